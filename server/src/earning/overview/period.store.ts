import type { OverviewPeriod } from '@tributary/contract/dashboard'
import type { Db } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import { notFound } from '../../kit/domain-error.ts'
import { DAY_MS } from '../../kit/timestamp.ts'

/** The time that the overview covers, and the time before it that it is compared with. */
export interface Period {
  timeZone: string
  from: string
  to: string
  /** Its last day is cut where today ends now. */
  before: { from: string; to: string; firstDay: string; lastDay: string; lastDayFrom: string }
  today: string
  /** What amounts are converted to, if they are. */
  reportingCurrency: string | null
  stepDays: 1 | 7
  /** Calendar days, or weeks, in the account's time zone. A step ends where the next one starts, the last one with the period. */
  steps: { day: string; from: string }[]
}

const dayAfter = (day: string, days: number) =>
  new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10)

interface StepRow {
  time_zone: string
  to: string
  day: string
  from: string
  before_from: string
  before_to: string
  before_last_day_from: string
  reporting_currency: string | null
}

/**
 * Days in the account's time zone that end with today, by the clock that stamps every row. A year is 52 weeks: a last week of one day
 * would look like a drop. Boundaries are computed by day_start, since a day with a clock change is not 24 hours long.
 */
export async function findPeriod(
  db: Db,
  accountId: number,
  days: OverviewPeriod,
  now?: string,
): Promise<Period> {
  const stepDays = days === 365 ? 7 : 1
  const count = Math.floor(days / stepDays)
  const length = count * stepDays
  const rows = await db.many<StepRow>(sql`
    WITH at AS (
      SELECT a.time_zone, a.reporting_currency, t.now, (t.now AT TIME ZONE a.time_zone)::timestamp AS local_now,
             (t.now AT TIME ZONE a.time_zone)::date + 1 - ${length}::integer AS first_day
        FROM accounts a CROSS JOIN (SELECT coalesce(${now ?? null}, clock_timestamp())::timestamptz(3) AS now) t
       WHERE a.id = ${accountId}
    )
    SELECT at.time_zone, at.reporting_currency, at.now AS "to", to_char(at.first_day + step, 'YYYY-MM-DD') AS day,
           day_start(at.first_day + step, at.time_zone) AS "from",
           day_start(at.first_day - ${length}::integer, at.time_zone) AS before_from,
           -- Today is not over: the time before ends at the same local time, or every morning would look like a drop.
           least((at.local_now - make_interval(days => ${length}::integer)) AT TIME ZONE at.time_zone,
                 day_start(at.first_day, at.time_zone)) AS before_to,
           day_start(at.first_day - 1, at.time_zone) AS before_last_day_from
      FROM at CROSS JOIN generate_series(0, ${length - stepDays}::integer, ${stepDays}::integer) step ORDER BY step`)
  const [first] = rows
  if (!first) throw notFound('account')
  return {
    timeZone: first.time_zone,
    from: first.from,
    to: first.to,
    before: {
      from: first.before_from,
      to: first.before_to,
      firstDay: dayAfter(first.day, -length),
      lastDay: dayAfter(first.day, -1),
      lastDayFrom: first.before_last_day_from,
    },
    today: dayAfter(first.day, length - 1),
    reportingCurrency: first.reporting_currency,
    stepDays,
    steps: rows.map(({ day, from }) => ({ day, from })),
  }
}
