import type { ExploreSort, ExploreSource } from '@tributary/contract/dashboard'
import type { Db } from '../db/database.ts'
import { all, type Sql, sql, when } from '../db/sql.ts'
import { factsByAffiliate, factsByAffiliateAndDay, factsByDay, rates } from './facts.store.ts'
import { type FactScope, live, visitsChanged, within } from './live-days.store.ts'
import { sourceFacts } from './source-rows.store.ts'

/** What facts are summed by. */
export type FactKey = 'day' | 'campaign' | 'affiliate'
const keyOf = (by: FactKey): Sql => sql`
  CASE ${by}::text WHEN 'day' THEN to_char(f.day, 'YYYY-MM-DD') WHEN 'campaign' THEN f.campaign_id::text ELSE f.affiliate_id::text END`

/** The facts of a scope as they are read fastest, for sums by a key. */
export const factsFor = (scope: FactScope, by: FactKey): Sql =>
  by === 'affiliate'
    ? factsByAffiliate(scope)
    : scope.affiliateIds
      ? factsByAffiliateAndDay(scope)
      : factsByDay(scope)

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
}

/** Sums in which nothing happened are left out: they are what remains of what was taken back. */
export function sumFacts(db: Db, scope: FactScope, by: FactKey): Promise<FactSum[]> {
  return db.many(sql`
    WITH ${factsFor(scope, by)}, ${rates(scope)}
    SELECT ${keyOf(by)} AS key, f.currency, sum(f.clicks)::integer AS clicks, sum(f.unique_clicks)::integer AS unique_clicks,
           sum(f.leads)::integer AS leads, sum(f.conversions)::integer AS conversions, sum(f.customers)::integer AS customers,
           sum(f.sales)::integer AS sales, sum(f.revenue_minor) AS revenue_minor, sum(f.refunds)::integer AS refunds,
           sum(f.refunded_minor) AS refunded_minor, sum(f.commissions)::integer AS commissions,
           sum(f.commissions_minor) AS commissions_minor,
           sum(f.revenue_minor * r.worth)::text AS revenue_converted, sum(f.refunded_minor * r.worth)::text AS refunded_converted,
           sum(f.commissions_minor * r.worth)::text AS commissions_converted,
           coalesce(sum(f.revenue_minor) FILTER (WHERE r.worth IS NULL), 0) AS revenue_without_rate,
           coalesce(sum(f.refunded_minor) FILTER (WHERE r.worth IS NULL), 0) AS refunded_without_rate,
           coalesce(sum(f.commissions_minor) FILTER (WHERE r.worth IS NULL), 0) AS commissions_without_rate
      FROM facts f LEFT JOIN rates r ON r.day = f.day AND r.currency = f.currency GROUP BY 1, 2
    HAVING sum(f.clicks) + sum(f.leads) + sum(f.conversions) + sum(f.sales) + sum(f.refunds) + sum(f.commissions) > 0
     ORDER BY 1, 2`)
}

/*
 * Of all affiliates there may be many: only the figures in question are added up, and visits and earnings apart, since neither has what the
 * other has.
 */

/** The affiliates that brought a click or a lead, as the WITH query `visitors` after `visits`. */
const visitors: Sql = sql`
  visitors AS (
    SELECT v.affiliate_id AS id, sum(v.clicks) AS clicks FROM visits v GROUP BY v.affiliate_id HAVING sum(v.clicks + v.leads) > 0
  )`

/** How many affiliates brought a click or earned anything. */
export async function countActiveAffiliates(db: Db, scope: FactScope): Promise<number> {
  const row = await db.first<{ active: number }>(sql`
    WITH ${factsByAffiliate(scope)}, ${visitors}, earners AS (
      SELECT e.affiliate_id AS id FROM earnings e
       GROUP BY e.affiliate_id HAVING sum(e.conversions + e.sales + e.refunds + e.commissions) > 0
    )
    SELECT count(*)::integer AS active FROM (SELECT v.id FROM visitors v UNION SELECT e.id FROM earners e) a`)
  return row?.active ?? 0
}

export interface RankedAffiliate {
  id: number
  /** How many there are, with those that the limit leaves out. */
  found: number
}

/** The affiliates with the largest figure; ties are broken by what comes before a sale. Amounts are compared in one currency. */
export function rankAffiliatesBy(
  db: Db,
  scope: FactScope,
  { sort, currency, limit }: { sort: ExploreSort; currency: string | null; limit: number | null },
): Promise<RankedAffiliate[]> {
  const amount = sort === 'revenue' ? sql`e.revenue_minor` : sql`e.commissions_minor`
  const value =
    sort === 'clicks' || sort === 'conversions'
      ? sql`0`
      : sort === 'customers'
        ? sql`e.customers`
        : scope.reportingCurrency === null
          ? sql`CASE WHEN e.currency = ${currency}::text THEN ${amount} ELSE 0 END`
          : sql`${amount} * coalesce(r.worth, 0)`
  return db.many(sql`
    WITH ${factsByAffiliate(scope)}, ${rates(scope)}, ${visitors}, earners AS (
      SELECT e.affiliate_id AS id, sum(e.conversions) AS conversions, sum(${value}) AS value
        FROM earnings e LEFT JOIN rates r ON r.day = e.day AND r.currency = e.currency
       GROUP BY e.affiliate_id HAVING sum(e.conversions + e.sales + e.refunds + e.commissions) > 0
    )
    SELECT p.id, (count(*) OVER ())::integer AS found
      FROM (SELECT v.id, v.clicks, 0 AS conversions, 0 AS value FROM visitors v
            UNION ALL
            SELECT e.id, 0, e.conversions, e.value FROM earners e) p
     GROUP BY p.id
     ORDER BY CASE ${sort}::text WHEN 'clicks' THEN sum(p.clicks) WHEN 'conversions' THEN sum(p.conversions) ELSE sum(p.value) END DESC,
              sum(p.conversions) DESC, sum(p.clicks) DESC, p.id LIMIT ${limit}`)
}

export interface SourceSum {
  key: string
  clicks: number
  unique_clicks: number
  conversions: number
}

/** By the value of a dimension, or of one value by day or campaign; not by affiliate, which would multiply the rows. */
export function sumSources(
  db: Db,
  { accountId, from, to, campaignIds }: Omit<FactScope, 'affiliateIds' | 'reportingCurrency'>,
  dimension: ExploreSource,
  { key, value }: { key: 'value' | 'day' | 'campaign'; value?: string | undefined } = { key: 'value' },
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
    SELECT CASE ${key}::text WHEN 'day' THEN to_char(f.day, 'YYYY-MM-DD') WHEN 'campaign' THEN f.campaign_id::text ELSE f.value END AS key,
           sum(f.clicks)::integer AS clicks, sum(f.unique_clicks)::integer AS unique_clicks, sum(f.conversions)::integer AS conversions
      FROM facts f WHERE ${within({ campaignIds })} AND ${all(when(value, one => sql`f.value = ${one}`))} GROUP BY 1 ORDER BY 1`)
}
