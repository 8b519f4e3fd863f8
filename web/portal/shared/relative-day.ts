import { isSupportedZone } from '../../ui/format.ts'

const DAY_MS = 86_400_000

/** "in 27 days", "tomorrow" or "3 days ago" in the reader's locale, counted in calendar days to match the date it is shown with. */
export function relativeDay(time: string, zone: string, now = Date.now()): string {
  // In UTC where the browser doesn't have the zone, like the date.
  const timeZone = isSupportedZone(zone) ? zone : 'UTC'
  const calendar = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' })
  const dayNumber = (moment: number) => Date.parse(`${calendar.format(moment)}T00:00:00Z`) / DAY_MS
  const days = dayNumber(Date.parse(time)) - dayNumber(now)
  return new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' }).format(days, 'day')
}
