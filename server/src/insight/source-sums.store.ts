import type { ExploreSource } from '@tributary/contract/dashboard'
import type { Db } from '../db/database.ts'
import { all, type Sql, sql, when } from '../db/sql.ts'
import { NO_CURRENCY } from './fact-rows.store.ts'
import { type FactSum, isAny, sums } from './fact-sums.store.ts'
import { rates } from './facts.store.ts'
import { FACTS_VERSION } from './insight.store.ts'
import {
  type FactScope,
  liveRest,
  type Range,
  type RolledUp,
  visitsChanged,
  within,
} from './live-days.store.ts'
import { hasPart, sourceEarningFacts, sourceVisitFacts } from './source-rows.store.ts'

/** Earnings of days that were computed by an earlier definition are read from the raw rows. */
const isRolledUp: Sql = sql`s.facts_version >= ${FACTS_VERSION}`

/** The days to read from the raw rows, for one kind of source. */
const liveOf = (range: Range, dimension: ExploreSource, rolledUp: RolledUp): Sql =>
  liveRest(range, {
    ...rolledUp,
    hasPart: hasPart(range.accountId, sql`${dimension}::text`, sql`s.closed_until + 1`),
  })

/** Clicks and leads by day, campaign and value, as the WITH query `visits`. */
const visits = ({ accountId, from, to }: FactScope, dimension: ExploreSource): Sql => sql`
  visits AS (
    WITH ${liveOf({ accountId, from, to }, dimension, { changed: visitsChanged })}, ${sourceVisitFacts(accountId, [dimension])}
    SELECT f.day, f.campaign_id, f.value, f.clicks, f.unique_clicks, f.leads FROM source_visit_facts f
    UNION ALL
    SELECT f.day, f.campaign_id, f.value, f.clicks, f.unique_clicks, f.leads
      FROM insight_sources f
     WHERE f.account_id = ${accountId} AND f.dimension = ${dimension} AND f.day BETWEEN ${from}::date AND ${to}::date
       AND f.day NOT IN (SELECT d.day FROM days d)
  )`

/** What is read from the raw rows as `earning_changes`, for `rates`, and with the rest as `earnings`. */
const earnings = ({ accountId, from, to }: FactScope, dimension: ExploreSource): Sql => sql`
  earning_changes AS MATERIALIZED (
    WITH ${liveOf({ accountId, from, to }, dimension, { isRolledUp })}, ${sourceEarningFacts(accountId, [dimension])}
    SELECT f.day, f.campaign_id, f.value, f.currency, f.conversions, f.customers, f.sales, f.revenue_minor, f.refunds, f.refunded_minor,
           f.commissions, f.commissions_minor
      FROM source_earning_facts f
  ), earnings AS (
    WITH ${liveOf({ accountId, from, to }, dimension, { isRolledUp })}
    SELECT f.day, f.campaign_id, f.value, f.currency, f.conversions, f.customers, f.sales, f.revenue_minor, f.refunds, f.refunded_minor,
           f.commissions, f.commissions_minor
      FROM insight_source_earnings f
     WHERE f.account_id = ${accountId} AND f.dimension = ${dimension} AND f.day BETWEEN ${from}::date AND ${to}::date
       AND f.day NOT IN (SELECT d.day FROM days d)
    UNION ALL
    SELECT f.day, f.campaign_id, f.value, f.currency, f.conversions, f.customers, f.sales, f.revenue_minor, f.refunds, f.refunded_minor,
           f.commissions, f.commissions_minor
      FROM earning_changes f
  )`

const together: Sql = sql`
  facts AS (
    SELECT f.day, f.campaign_id, f.value, ${NO_CURRENCY}::text AS currency, f.clicks, f.unique_clicks, f.leads, 0 AS conversions, 0 AS customers,
           0 AS sales, 0::bigint AS revenue_minor, 0 AS refunds, 0::bigint AS refunded_minor, 0 AS commissions, 0::bigint AS commissions_minor
      FROM visits f
    UNION ALL
    SELECT f.day, f.campaign_id, f.value, f.currency, 0, 0, 0, f.conversions, f.customers, f.sales, f.revenue_minor, f.refunds,
           f.refunded_minor, f.commissions, f.commissions_minor
      FROM earnings f
  )`

/** What sources are summed by. */
export type SourceKey = 'value' | 'day' | 'campaign'

/** Sums of what the WITH queries `visits`, `earnings` and `earning_changes` have. */
export const sumsBySource = (scope: FactScope, withFacts: Sql, key: SourceKey, only: Sql): Sql => sql`
  WITH ${withFacts}, ${together}, ${rates(scope)}
  SELECT CASE ${key}::text WHEN 'day' THEN to_char(f.day, 'YYYY-MM-DD') WHEN 'campaign' THEN f.campaign_id::text ELSE f.value END AS key,
         f.currency, ${sums}
    FROM facts f LEFT JOIN rates r ON r.day = f.day AND r.currency = f.currency
   WHERE ${only} GROUP BY 1, 2 HAVING ${isAny} ORDER BY 1, 2`

/** By the value of a dimension, or of one value by day or campaign. Only links are counted by affiliate, since each is of one. */
export function sumSources(
  db: Db,
  scope: FactScope,
  dimension: ExploreSource,
  { key, value }: { key: SourceKey; value?: string | undefined } = { key: 'value' },
): Promise<FactSum[]> {
  const { campaignIds, affiliateIds } = scope
  const only = sql`${within({ campaignIds })} AND ${all(
    when(value, one => sql`f.value = ${one}`),
    when(affiliateIds, ids => sql`split_part(f.value, ' ', 2) = ANY (${ids.map(String)}::text[])`),
  )}`
  const facts = sql`${visits(scope, dimension)}, ${earnings(scope, dimension)}`
  return db.many(sumsBySource(scope, facts, key, only))
}
