import { texts } from './en.ts'

export const exactTime = (time: string) =>
  new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' }).format(new Date(time))

const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['week', 7 * 86_400],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
]

/** "3 days ago", "in 2 hours". */
export function relativeTime(time: string, now = Date.now()): string {
  const seconds = (new Date(time).getTime() - now) / 1000
  const format = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })
  const step = STEPS.find(([, size]) => Math.abs(seconds) >= size)
  if (step) return format.format(Math.trunc(seconds / step[1]), step[0])
  // Seconds matter only for what is about to happen.
  return seconds > 1 ? format.format(Math.round(seconds), 'second') : texts.time.justNow
}
