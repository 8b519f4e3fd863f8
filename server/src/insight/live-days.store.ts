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

/**
 * Of the days from `from` to `to`, those that are read from the raw rows: they are not rolled up yet, or have changed since. In one
 * statement with the rolled-up facts, each day is counted exactly once whatever the background work commits meanwhile.
 */
const liveDays = (
  accountId: number,
  { from, to }: { from: string; to: string },
  changed: Sql,
  isRolledUp: Sql,
): Sql => sql`
  account AS (
    SELECT a.time_zone,
           -- In another time zone than the account's, nothing is rolled up.
           coalesce((SELECT s.closed_until FROM insight_accounts s
                      WHERE s.account_id = ${accountId} AND s.time_zone = a.time_zone AND ${isRolledUp}), '-infinity') AS closed_until
      FROM accounts a WHERE a.id = ${accountId}
  ), days AS MATERIALIZED (
    SELECT each.day, day_start(each.day, account.time_zone) AS starts, day_start(each.day + 1, account.time_zone) AS ends
      FROM account CROSS JOIN LATERAL (
        SELECT g::date AS day FROM generate_series(${from}::date::timestamp, ${to}::date::timestamp, interval '1 day') g) each
     WHERE each.day > account.closed_until OR each.day IN (SELECT marked.day FROM marked WHERE ${changed})
  )`

/** The days to read from the raw rows: all of them unless the account `s` has what `isRolledUp` says. */
export const live = (
  scope: Pick<FactScope, 'accountId' | 'from' | 'to'>,
  changed: Sql = sql`true`,
  isRolledUp: Sql = sql`true`,
): Sql =>
  sql`${markedMoments(scope.accountId)}, ${markedDays(scope.accountId)}, ${liveDays(scope.accountId, scope, changed, isRolledUp)}`

/** Clicks may be gone when money changes: visits are read from the raw rows only where they have changed. */
export const visitsChanged: Sql = sql`marked.with_visits`

export const within = ({ campaignIds, affiliateIds }: Pick<FactScope, 'campaignIds' | 'affiliateIds'>): Sql =>
  all(
    when(campaignIds, ids => sql`f.campaign_id = ANY (${ids}::bigint[])`),
    when(affiliateIds, ids => sql`f.affiliate_id = ANY (${ids}::bigint[])`),
  )
