const startOfDay = (day: string | undefined, daysLater = 0): number | undefined => {
  if (!day || !/^\d{4}-\d\d-\d\d$/.test(day)) return undefined
  const moment = new Date(`${day}T00:00:00`)
  moment.setDate(moment.getDate() + daysLater)
  const time = moment.getTime()
  return Number.isNaN(time) ? undefined : time
}
const asTime = (time: number | undefined) => (time === undefined ? undefined : new Date(time).toISOString())

/** Inclusive days in the reader's time zone, as the range of timestamps that calls take; both of its ends are exclusive. */
export function createdBetween({ from, until }: { from?: string; until?: string }) {
  const begin = startOfDay(from)
  return {
    created_after: asTime(begin === undefined ? undefined : begin - 1),
    created_before: asTime(startOfDay(until, 1)),
  }
}

/** The timestamp of a datetime-local input's value. */
export function momentOf(local: string | undefined): string | undefined {
  const time = new Date(local ?? '').getTime()
  return Number.isNaN(time) ? undefined : new Date(time).toISOString()
}

/** The value of a datetime-local input for a date, in the reader's time zone. */
export function asFieldValue(date: Date): string {
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 16)
}

/** The end of that day in the reader's time zone. */
export function endOfDay(day: string): string | undefined {
  const end = new Date(`${day}T23:59:59.999`)
  return day === '' || Number.isNaN(end.getTime()) ? undefined : end.toISOString()
}
