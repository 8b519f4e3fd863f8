const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const days = (count: number) => (count === 1 ? '1 day' : `${count} days`)
const both = (large: string, small: number, unit: string) =>
  small === 0 ? large : `${large} ${small} ${unit}`

/** A duration in human units: `5 min`, `3 h 20 min`, `1 day 3 h`, `45 days`. Rounded down; long durations omit the small unit. */
export function duration(ms: number): string {
  if (ms < MINUTE) return `${Math.floor(ms / 1000)} s`
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`
  if (ms < DAY) return both(`${Math.floor(ms / HOUR)} h`, Math.floor((ms % HOUR) / MINUTE), 'min')
  const whole = Math.floor(ms / DAY)
  return whole < 10 ? both(days(whole), Math.floor((ms % DAY) / HOUR), 'h') : days(whole)
}
