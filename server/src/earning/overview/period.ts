import type { OverviewPeriod } from '@tributary/contract/dashboard'
import { DAY_MS } from '../../kit/timestamp.ts'

/** The time that the overview looks at, and the time before it that it is compared with. */
export interface Period {
  from: string
  to: string
  before: { from: string; to: string }
  stepDays: 1 | 7
  steps: number
}

const iso = (ms: number) => new Date(ms).toISOString()

/** Days of UTC that end with today. A year is 52 weeks: a last week of one day would look like a fall. */
export function periodUntil(now: string, days: OverviewPeriod): Period {
  const stepDays = days === 365 ? 7 : 1
  const steps = Math.floor(days / stepDays)
  const lengthMs = steps * stepDays * DAY_MS
  const to = Date.parse(now)
  const from = Math.floor(to / DAY_MS) * DAY_MS + DAY_MS - lengthMs
  return {
    from: iso(from),
    to: iso(to),
    // Today is not over: the time before ends at the same time of day, or every morning would look like a fall.
    before: { from: iso(from - lengthMs), to: iso(to - lengthMs) },
    stepDays,
    steps,
  }
}

/** Which step of the period a time belongs to. */
export const stepOf = (period: Period, time: string) =>
  Math.floor((Date.parse(time) - Date.parse(period.from)) / (period.stepDays * DAY_MS))
