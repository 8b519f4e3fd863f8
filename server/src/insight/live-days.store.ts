import { all, type Sql, sql, when } from '../db/sql.ts'
import { markedDays, markedMoments } from './days.store.ts'

/** Days of the account's time zone, both included, and optionally some campaigns or affiliates. */
export interface FactScope {
  accountId: number
  from: string
  to: string
  campaignIds?: number[] | undefined
  affiliateIds?: number[] | undefined
  /** What amounts are converted to, if they are. */
  reportingCurrency: string | null
}

export type Range = Pick<FactScope, 'accountId' | 'from' | 'to'>

/** What is rolled up, as conditions. */
export interface RolledUp {
  /** On marks: what has changed. */
  changed?: Sql
  /** On the account `s`: its closed days are. */
  isRolledUp?: Sql
  /** The same of the day after these: its part is. */
  hasPart?: Sql
}

/** The account's time zone and up to where its days are rolled up. In another time zone than the account's, nothing is. */
const rolledUp = (accountId: number, { isRolledUp = sql`true`, hasPart = sql`true` }: RolledUp): Sql => sql`
  account AS (
    SELECT a.time_zone, coalesce(s.closed_until, '-infinity') AS closed_until,
           CASE WHEN NOT s.open_has_changed AND ${hasPart} THEN s.open_until END AS open_until
      FROM accounts a
      LEFT JOIN insight_accounts s ON s.account_id = ${accountId} AND s.time_zone = a.time_zone AND ${isRolledUp}
     WHERE a.id = ${accountId}
  )`

/**
 * Of the days from `from` to `to`, those that are read from the raw rows: they are not rolled up yet, or have changed since. In one
 * statement with the rolled-up facts, each day is counted exactly once whatever the background work commits meanwhile.
 */
const liveDays = ({ from, to }: Range, changed: Sql): Sql => sql`
  live_days AS (
    SELECT each.day, day_start(each.day, account.time_zone) AS starts, day_start(each.day + 1, account.time_zone) AS ends,
           account.closed_until, account.open_until, each.is_marked
      FROM account CROSS JOIN LATERAL (
        SELECT g::date AS day, g::date IN (SELECT marked.day FROM marked WHERE ${changed}) AS is_marked
          FROM generate_series(${from}::date::timestamp, ${to}::date::timestamp, interval '1 day') g) each
     WHERE each.day > account.closed_until OR each.is_marked
  )`

const asWhole: Sql = sql`
  days AS MATERIALIZED (SELECT e.day, e.starts, e.ends, NULL::timestamptz AS seen_from FROM live_days e)`

/** Of the open day only what is not stored of it, if it is rolled up in part: `seen_from` is then its start, and null for other days. */
const asRest: Sql = sql`
  days AS MATERIALIZED (
    SELECT e.day, CASE WHEN o.is_open THEN e.open_until ELSE e.starts END AS starts, e.ends, CASE WHEN o.is_open THEN e.starts END AS seen_from
      FROM live_days e
     CROSS JOIN LATERAL (
       SELECT e.day = e.closed_until + 1 AND e.open_until > e.starts AND e.open_until <= e.ends AND NOT e.is_marked AS is_open) o
  )`

/** The days to read from the raw rows. */
export const live = (range: Range, { changed = sql`true`, ...rest }: RolledUp = {}): Sql =>
  sql`${marked(range)}, ${rolledUp(range.accountId, rest)}, ${liveDays(range, changed)}, ${asWhole}`

/** The same, but of an open day that is rolled up in part only the rest. */
export const liveRest = (range: Range, { changed = sql`true`, ...rest }: RolledUp = {}): Sql =>
  sql`${marked(range)}, ${rolledUp(range.accountId, rest)}, ${liveDays(range, changed)}, ${asRest}`

const marked = ({ accountId }: Range): Sql => sql`${markedMoments(accountId)}, ${markedDays(accountId)}`

/** Clicks may be gone when money changes: visits are read from the raw rows only where they have changed. */
export const visitsChanged: Sql = sql`marked.with_visits`

/** A condition on rows of an affiliate in a campaign. */
export const within = (
  { campaignIds, affiliateIds }: Pick<FactScope, 'campaignIds' | 'affiliateIds'>,
  row: Sql = sql`f`,
): Sql =>
  all(
    when(campaignIds, ids => sql`${row}.campaign_id = ANY (${ids}::bigint[])`),
    when(affiliateIds, ids => sql`${row}.affiliate_id = ANY (${ids}::bigint[])`),
  )
