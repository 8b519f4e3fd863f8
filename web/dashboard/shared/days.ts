const startOfDay = (day: string | undefined, daysLater = 0): number | undefined => {
  if (!day || !/^\d{4}-\d\d-\d\d$/.test(day)) return undefined
  const moment = new Date(`${day}T00:00:00`)
  moment.setDate(moment.getDate() + daysLater)
  const time = moment.getTime()
  return Number.isNaN(time) ? undefined : time
}
const asTime = (time: number | undefined) => (time === undefined ? undefined : new Date(time).toISOString())

/** Whole days of the reader, both included, as the range of moments that calls take, both ends of which are exclusive. */
export function createdBetween({ from, until }: { from?: string; until?: string }) {
  const begin = startOfDay(from)
  return {
    created_after: asTime(begin === undefined ? undefined : begin - 1),
    created_before: asTime(startOfDay(until, 1)),
  }
}

/** What a field for a local date and time holds, as the moment that it means. */
export function momentOf(local: string | undefined): string | undefined {
  const time = new Date(local ?? '').getTime()
  return Number.isNaN(time) ? undefined : new Date(time).toISOString()
}

/** The moment as the field of a form writes it, in the reader's own time. */
export function asFieldValue(date: Date): string {
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 16)
}

/** The end of that day where the reader is. */
export function endOfDay(day: string): string | undefined {
  const end = new Date(`${day}T23:59:59.999`)
  return day === '' || Number.isNaN(end.getTime()) ? undefined : end.toISOString()
}
