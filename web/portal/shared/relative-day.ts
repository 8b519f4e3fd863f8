const DAY_MS = 86_400_000

/** Days of a zone; of UTC where this browser doesn't have the zone, as dates are shown then. */
function calendarOf(timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' })
  } catch {
    return new Intl.DateTimeFormat('en-CA', { timeZone: 'UTC', dateStyle: 'short' })
  }
}

/** "in 27 days", "tomorrow" or "3 days ago" in the reader's locale, counted in calendar days to match the date it is shown with. */
export function relativeDay(time: string, zone: string, now = Date.now()): string {
  const calendar = calendarOf(zone)
  const dayNumber = (moment: number) => Date.parse(`${calendar.format(moment)}T00:00:00Z`) / DAY_MS
  const days = dayNumber(Date.parse(time)) - dayNumber(now)
  return new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' }).format(days, 'day')
}
