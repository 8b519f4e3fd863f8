import type { ExploreSource } from '@tributary/contract/dashboard'
import type { Db } from '../db/database.ts'
import { all, type Sql, sql, when } from '../db/sql.ts'
import { worthOf } from '../money/fx/worth.store.ts'
import { markedDays, markedMoments } from './days.store.ts'
import { earningFacts, NO_CURRENCY, visitFacts } from './fact-rows.store.ts'
import { sourceFacts } from './source-rows.store.ts'

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

/** What facts are summed by. */
export type FactKey = 'day' | 'campaign' | 'affiliate'
const keyOf = (by: FactKey): Sql => sql`
  CASE ${by}::text WHEN 'day' THEN to_char(f.day, 'YYYY-MM-DD') WHEN 'campaign' THEN f.campaign_id::text ELSE f.affiliate_id::text END`

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
  ), days AS (
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
const visitsChanged: Sql = sql`marked.with_visits`

const within = ({ campaignIds, affiliateIds }: Pick<FactScope, 'campaignIds' | 'affiliateIds'>): Sql =>
  all(
    when(campaignIds, ids => sql`f.campaign_id = ANY (${ids}::bigint[])`),
    when(affiliateIds, ids => sql`f.affiliate_id = ANY (${ids}::bigint[])`),
  )

/**
 * What happened in a scope, as the WITH query `facts`. Each day is read once: from its roll-up, or from the raw rows if it is not rolled up
 * or has changed since. In one statement, since the raw rows of an account that is not rolled up yet are many.
 */
export const facts = (scope: Omit<FactScope, 'reportingCurrency'>): Sql => sql`
  visits AS NOT MATERIALIZED (
    WITH ${live(scope, visitsChanged)}, ${visitFacts(scope.accountId)}
    SELECT f.day, f.campaign_id, f.affiliate_id, f.clicks, f.unique_clicks, f.leads
      FROM insight_visits f
     WHERE f.account_id = ${scope.accountId} AND f.day BETWEEN ${scope.from}::date AND ${scope.to}::date
       AND f.day NOT IN (SELECT d.day FROM days d) AND ${within(scope)}
    UNION ALL
    SELECT f.day, f.campaign_id, f.affiliate_id, f.clicks, f.unique_clicks, f.leads FROM visit_facts f WHERE ${within(scope)}
  ), earnings AS (
    WITH ${live(scope)}, ${earningFacts(scope.accountId)}
    SELECT f.day, f.campaign_id, f.affiliate_id, f.currency, f.conversions, f.customers, f.sales, f.revenue_minor, f.refunds,
           f.refunded_minor, f.commissions, f.commissions_minor
      FROM insight_earnings f
     WHERE f.account_id = ${scope.accountId} AND f.day BETWEEN ${scope.from}::date AND ${scope.to}::date
       AND f.day NOT IN (SELECT d.day FROM days d) AND ${within(scope)}
    UNION ALL
    SELECT f.day, f.campaign_id, f.affiliate_id, f.currency, f.conversions, f.customers, f.sales, f.revenue_minor, f.refunds,
           f.refunded_minor, f.commissions, f.commissions_minor
      FROM earning_facts f WHERE ${within(scope)}
  ), facts AS (
    SELECT v.day, v.campaign_id, v.affiliate_id, ${NO_CURRENCY}::text AS currency, v.clicks, v.unique_clicks, v.leads,
           0 AS conversions, 0 AS customers, 0 AS sales, 0::bigint AS revenue_minor, 0 AS refunds, 0::bigint AS refunded_minor,
           0 AS commissions, 0::bigint AS commissions_minor
      FROM visits v
    UNION ALL
    SELECT e.day, e.campaign_id, e.affiliate_id, e.currency, 0, 0, 0, e.conversions, e.customers, e.sales, e.revenue_minor, e.refunds,
           e.refunded_minor, e.commissions, e.commissions_minor
      FROM earnings e
  )`

/** What the amounts of a day are worth in the reporting currency, as the WITH query `rates` after `facts`. */
export const rates = ({ reportingCurrency }: FactScope): Sql => sql`
  rates AS (
    SELECT u.day, u.currency, ${worthOf(sql`u.currency`, sql`u.day`, reportingCurrency)} AS worth
      FROM (SELECT DISTINCT e.day, e.currency FROM earnings e
             WHERE e.currency <> ${NO_CURRENCY} AND ${reportingCurrency}::text IS NOT NULL) u
  )`

export interface FactSum {
  key: string
  /** XXX for what has none: visits and conversions. */
  currency: string
  clicks: number
  unique_clicks: number
  leads: number
  conversions: number
  customers: number
  sales: number
  revenue_minor: number
  refunds: number
  refunded_minor: number
  commissions: number
  commissions_minor: number
  /** Exact, in whole units of the reporting currency; null without one, and where no day has a rate. */
  revenue_converted: string | null
  refunded_converted: string | null
  commissions_converted: string | null
  /** Of days without a rate. */
  revenue_without_rate: number
  refunded_without_rate: number
  commissions_without_rate: number
  /** Of all keys: how many affiliates brought a click or earned anything. */
  active_affiliates: number
}

export function sumFacts(db: Db, scope: FactScope, by: FactKey): Promise<FactSum[]> {
  return db.many(sql`
    WITH ${facts(scope)}, ${rates(scope)}
    SELECT ${keyOf(by)} AS key, f.currency, sum(f.clicks)::integer AS clicks, sum(f.unique_clicks)::integer AS unique_clicks,
           sum(f.leads)::integer AS leads, sum(f.conversions)::integer AS conversions, sum(f.customers)::integer AS customers,
           sum(f.sales)::integer AS sales, sum(f.revenue_minor) AS revenue_minor, sum(f.refunds)::integer AS refunds,
           sum(f.refunded_minor) AS refunded_minor, sum(f.commissions)::integer AS commissions,
           sum(f.commissions_minor) AS commissions_minor,
           sum(f.revenue_minor * r.worth)::text AS revenue_converted, sum(f.refunded_minor * r.worth)::text AS refunded_converted,
           sum(f.commissions_minor * r.worth)::text AS commissions_converted,
           coalesce(sum(f.revenue_minor) FILTER (WHERE r.worth IS NULL), 0) AS revenue_without_rate,
           coalesce(sum(f.refunded_minor) FILTER (WHERE r.worth IS NULL), 0) AS refunded_without_rate,
           coalesce(sum(f.commissions_minor) FILTER (WHERE r.worth IS NULL), 0) AS commissions_without_rate,
           (SELECT count(DISTINCT f.affiliate_id)::integer FROM facts f) AS active_affiliates
      FROM facts f LEFT JOIN rates r ON r.day = f.day AND r.currency = f.currency GROUP BY 1, 2 ORDER BY 1, 2`)
}

export interface SourceSum {
  key: string
  clicks: number
  unique_clicks: number
  conversions: number
}

/** By the value of a dimension; not by affiliate, which would multiply the rows. */
export function sumSources(
  db: Db,
  { accountId, from, to, campaignIds }: Omit<FactScope, 'affiliateIds' | 'reportingCurrency'>,
  dimension: ExploreSource,
): Promise<SourceSum[]> {
  return db.many(sql`
    WITH ${live({ accountId, from, to }, visitsChanged)}, ${sourceFacts(accountId, dimension)}, facts AS (
      SELECT s.day, s.campaign_id, s.value, s.clicks, s.unique_clicks, s.conversions
        FROM insight_sources s
       WHERE s.account_id = ${accountId} AND s.dimension = ${dimension} AND s.day BETWEEN ${from}::date AND ${to}::date
         AND s.day NOT IN (SELECT d.day FROM days d)
      UNION ALL
      SELECT x.day, x.campaign_id, x.value, x.clicks, x.unique_clicks, x.conversions FROM source_facts x
    )
    SELECT f.value AS key, sum(f.clicks)::integer AS clicks, sum(f.unique_clicks)::integer AS unique_clicks,
           sum(f.conversions)::integer AS conversions
      FROM facts f WHERE ${within({ campaignIds })} GROUP BY 1 ORDER BY 1`)
}
