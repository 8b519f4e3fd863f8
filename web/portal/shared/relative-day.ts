const DAY_MS = 86_400_000

const midnight = (time: number) => new Date(time).setHours(0, 0, 0, 0)

/** "in 27 days", "tomorrow" or "3 days ago" in the reader's locale, counted in calendar days to match the date it is shown with. */
export function relativeDay(time: string, now = Date.now()): string {
  // Rounded, since a day of a clock change is an hour shorter or longer.
  const days = Math.round((midnight(new Date(time).getTime()) - midnight(now)) / DAY_MS)
  return new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' }).format(days, 'day')
}
