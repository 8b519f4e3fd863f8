import type { DigestKind } from '@tributary/contract/dashboard'
import { DAY_MS } from '../kit/timestamp.ts'

/** A week or month in days of the account's time zone, both included, and the day that its digest is due. */
export interface Period {
  dueDay: string
  from: string
  to: string
}

/** In the morning, when people read their email and the last day is over in every report. */
const DUE_TIME = '08:00'

/** A digest that could not be sent in time is still news for this many days, and then it isn't sent at all. */
export const LATEST_DAYS = 3

/** The date and time of a moment in a time zone, to the minute, such as 2026-01-31T08:00. */
export function localTime(at: Date, zone: string): string {
  const parts = new Intl.DateTimeFormat('en', {
    timeZone: zone,
    calendar: 'iso8601',
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  }).formatToParts(at)
  const of = (type: Intl.DateTimeFormatPartTypes) => parts.find(part => part.type === type)?.value ?? ''
  return `${of('year')}-${of('month')}-${of('day')}T${of('hour')}:${of('minute')}`
}

const millis = (day: string) => Date.parse(`${day}T00:00:00Z`)
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)
const addDays = (day: string, days: number) => dayOf(millis(day) + days * DAY_MS)
const firstOfMonth = (day: string) => `${day.slice(0, 7)}-01`

/** As many days, or the calendar month, before a period. */
export function periodBefore(kind: DigestKind, { from }: Period): { from: string; to: string } {
  const to = addDays(from, -1)
  return { from: kind === 'team' ? addDays(from, -7) : firstOfMonth(to), to }
}

/** The period that was due last at a local time: Mondays for the team, the first of a month for affiliates. */
export function lastPeriod(kind: DigestKind, local: string): Period & { daysLate: number } {
  const [today, time] = local.split('T') as [string, string]
  const day = time < DUE_TIME ? addDays(today, -1) : today
  const sinceMonday = (new Date(millis(day)).getUTCDay() + 6) % 7
  const dueDay = kind === 'team' ? addDays(day, -sinceMonday) : firstOfMonth(day)
  const to = addDays(dueDay, -1)
  return {
    dueDay,
    from: kind === 'team' ? addDays(dueDay, -7) : firstOfMonth(to),
    to,
    daysLate: (millis(day) - millis(dueDay)) / DAY_MS,
  }
}

/** How far a digest is sent, and since when it is turned on. */
interface Progress {
  kind: DigestKind
  time_zone: string
  since: string
  due_day: string | null
  is_done: boolean
}

/** The period to send now, if any. Days are compared, and those of a period that was sent don't come again in another time zone. */
export function duePeriod(
  { kind, time_zone, since, due_day, is_done }: Progress,
  now: Date,
): Period | undefined {
  const { daysLate, ...period } = lastPeriod(kind, localTime(now, time_zone))
  const wasOn = localTime(new Date(since), time_zone) < `${period.dueDay}T${DUE_TIME}`
  const isOpen = due_day === null || due_day < period.dueDay || (due_day === period.dueDay && !is_done)
  return wasOn && isOpen && daysLate < LATEST_DAYS ? period : undefined
}
