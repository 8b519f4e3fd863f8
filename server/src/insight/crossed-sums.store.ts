import {
  type ExploreDimension,
  type ExploreSource,
  isExploreSource,
  OTHER,
} from '@tributary/contract/dashboard'
import type { Db, Tx } from '../db/database.ts'
import { all, type Sql, sql, when } from '../db/sql.ts'
import { invalid } from '../kit/domain-error.ts'
import { planningAnew } from './asking.store.ts'
import { type Day, oneDay } from './days.store.ts'
import { earnedRows } from './fact-rows.store.ts'
import type { FactSum } from './fact-sums.store.ts'
import { type FactScope, within } from './live-days.store.ts'
import {
  clickValue,
  isBeyondPage,
  referralSource,
  type Source,
  sourceValue,
} from './referral-source.store.ts'
import { type SourceKey, sumsBySource } from './source-sums.store.ts'

/*
 * Facts by affiliate and source together, or by two sources. There are nearly as many as clicks, so no roll-up has them: they are counted
 * from the raw rows of the whole range, and their number is bounded. Clicks count as long as they are stored.
 */

/** Some affiliates, a source, or both. */
export interface CrossedScope extends FactScope {
  source?: Source | undefined
}

/** Clicks, leads, conversions, sales, refunds and commissions that a range may have. */
export const MOST_CROSSED = 200_000

interface Size {
  clicks: number
  earned: number
}

/** What the rolled-up days have, and the leads of all affiliates, which are found by their time. */
async function sizeOf(tx: Tx, { accountId, affiliateIds, from, to }: FactScope): Promise<Size> {
  const row = await tx.first<Size>(
    affiliateIds
      ? sql`
        SELECT coalesce((SELECT sum(v.clicks) FROM insight_visits v
                          WHERE v.account_id = ${accountId} AND v.affiliate_id = ANY (${affiliateIds}::bigint[])
                            AND v.day BETWEEN ${from}::date AND ${to}::date), 0)::bigint
               + coalesce((SELECT sum(d.leads) FROM insight_visit_days d
                            WHERE d.account_id = ${accountId} AND d.day BETWEEN ${from}::date AND ${to}::date), 0)::bigint AS clicks,
               coalesce((SELECT sum(e.conversions + e.sales + e.refunds + e.commissions) FROM insight_earnings e
                          WHERE e.account_id = ${accountId} AND e.affiliate_id = ANY (${affiliateIds}::bigint[])
                            AND e.day BETWEEN ${from}::date AND ${to}::date), 0)::bigint AS earned`
      : sql`
        SELECT coalesce((SELECT sum(d.clicks + d.leads) FROM insight_visit_days d
                          WHERE d.account_id = ${accountId} AND d.day BETWEEN ${from}::date AND ${to}::date), 0)::bigint AS clicks,
               coalesce((SELECT sum(e.conversions + e.sales + e.refunds + e.commissions) FROM insight_earning_days e
                          WHERE e.account_id = ${accountId} AND e.day BETWEEN ${from}::date AND ${to}::date), 0)::bigint AS earned`,
  )
  return row as Size
}

async function refuseTooMany(tx: Tx, scope: FactScope): Promise<void> {
  const { clicks, earned } = await sizeOf(tx, scope)
  const written = (count: number) => count.toLocaleString('en-US')
  if (clicks + earned > MOST_CROSSED)
    throw invalid(
      'from',
      `must be later: at most ${written(MOST_CROSSED)} clicks and sales can be counted by affiliate and source, and ${scope.from} to ${scope.to} has ${written(clicks + earned)}`,
    )
}

interface Range extends Day {
  zone: string
}

const findRange = async (tx: Tx, { accountId, from, to }: FactScope): Promise<Range> =>
  (await tx.first<Range>(sql`
    SELECT ${from}::text AS day, day_start(${from}::date, a.time_zone) AS starts, day_start(${to}::date + 1, a.time_zone) AS ends,
           a.time_zone AS zone
      FROM accounts a WHERE a.id = ${accountId}`)) as Range

const localDay = (at: Sql, { zone }: Range): Sql => sql`(${at} AT TIME ZONE ${zone}::text)::date`

/** What rows are grouped by: an affiliate, or the value of a source; nothing more if it is their day or campaign. */
const keyOf = (by: ExploreDimension, affiliateId: Sql, sourceOf: (by: ExploreSource) => Sql): Sql =>
  by === 'affiliate' ? sql`${affiliateId}::text` : isExploreSource(by) ? sourceOf(by) : sql`''::text`

/** What a click's values are made of, as `clicked`: what they aren't made of is null, so that more clicks are alike. */
function clicked(
  { accountId, campaignIds, affiliateIds, source }: CrossedScope,
  by: ExploreDimension,
  range: Range,
): Sql {
  const areMadeOf = (...made: ExploreSource[]) => made.some(each => each === by || each === source?.dimension)
  const isOfPage = [by, source?.dimension].some(
    each => each !== undefined && isExploreSource(each) && (each === 'link' || !isBeyondPage(each)),
  )
  return sql`
    clicked AS NOT MATERIALIZED (
      SELECT ${localDay(sql`k.created_at`, range)} AS day, k.campaign_id, k.affiliate_id, k.address_hash, k.user_agent,
             CASE WHEN ${areMadeOf('link')}::boolean THEN k.affiliate_id END AS of_affiliate_id,
             CASE WHEN ${areMadeOf('device')}::boolean THEN k.user_agent END AS of_user_agent,
             CASE WHEN ${areMadeOf('referrer')}::boolean THEN k.referrer END AS referrer,
             CASE WHEN ${areMadeOf('country')}::boolean THEN k.country END AS country,
             CASE WHEN ${isOfPage}::boolean THEN k.landing_url END AS landing_url
        FROM days d JOIN clicks k ON k.account_id = ${accountId} AND k.created_at >= d.starts AND k.created_at < d.ends
       WHERE NOT k.is_bot AND ${within({ campaignIds, affiliateIds }, sql`k`)}
    )`
}

/** What clicks `c` that are alike have in common. As an array, which is equal to another one also where both have null. */
const alike: Sql = sql`
  ARRAY[c.campaign_id::text, c.of_affiliate_id::text, c.of_user_agent, c.referrer, c.country, c.landing_url]`

/**
 * Clicks of one visitor in a day, for each affiliate and value, as `seen`. A full join of which only pairs are kept: PostgreSQL never does it
 * in a nested loop, as it could where it expects few clicks, since those of today are new to it.
 */
function seen(by: ExploreDimension, value: Sql, isAsked: Sql): Sql {
  return sql`
    kinds AS MATERIALIZED (
      SELECT DISTINCT c.campaign_id, c.of_affiliate_id AS affiliate_id, c.of_user_agent AS user_agent, c.referrer, c.country, c.landing_url,
             ${alike} AS alike
        FROM clicked c
    ), asked AS MATERIALIZED (
      SELECT k.alike, ${value} AS value FROM kinds k WHERE ${isAsked}
    ), seen AS (
      SELECT c.day, c.campaign_id, ${keyOf(by, sql`c.affiliate_id`, () => sql`a.value`)} AS value, c.address_hash, count(*)::integer AS clicks
        FROM clicked c FULL JOIN asked a ON a.alike = ${alike}
       WHERE coalesce(a.alike IS NOT NULL, false)
       GROUP BY c.day, c.campaign_id, c.affiliate_id, a.value, c.address_hash, c.user_agent
    )`
}

/** What was seen, and leads, as `visits`. */
const seenAndLeads = (
  { accountId, campaignIds, affiliateIds }: CrossedScope,
  range: Range,
  key: Sql,
  isAsked: Sql,
): Sql => sql`
  visits AS (
    SELECT s.day, s.campaign_id, s.value, s.clicks, CASE WHEN s.address_hash IS NULL THEN s.clicks ELSE 1 END AS unique_clicks, 0 AS leads
      FROM seen s
    UNION ALL
    SELECT ${localDay(sql`l.created_at`, range)}, k.campaign_id, ${key}, 0, 0, 1
      FROM days d
      JOIN tracked_leads l ON l.account_id = ${accountId} AND l.created_at >= d.starts AND l.created_at < d.ends
      JOIN clicks k ON k.account_id = ${accountId} AND k.id = l.click_id
     WHERE ${within({ campaignIds, affiliateIds }, sql`k`)} AND ${isAsked}
  )`

/**
 * Clicks and leads as `visits`. A visitor counts once in a day for each affiliate and value. To find the value of a click takes longer than to
 * count it, so it is found once for clicks that are alike.
 */
function visits(scope: CrossedScope, by: ExploreDimension, range: Range): Sql {
  const value = isExploreSource(by) ? clickValue(by) : sql`''::text`
  const isAsked = all(when(scope.source, each => sql`${clickValue(each.dimension)} = ${each.value}`))
  const key = keyOf(by, sql`k.affiliate_id`, () => value)
  return sql`${clicked(scope, by, range)}, ${seen(by, value, isAsked)}, ${seenAndLeads(scope, range, key, isAsked)}`
}

/** What was earned as `earnings`, after `earned`. The source of a referral is looked up once for each day. */
function earnings({ accountId, campaignIds, source }: CrossedScope, by: ExploreDimension, range: Range): Sql {
  const sourceOf = (dimension: ExploreSource) => sourceValue(sql`${dimension}::text`, sql`f`)
  const isAsked = all(when(source, each => sql`${sourceOf(each.dimension)} = ${each.value}`))
  return sql`
    earned_by_referral AS (
      SELECT ${localDay(sql`f.at`, range)} AS day, f.campaign_id, f.affiliate_id, f.referral_id, f.currency, sum(f.conversions) AS conversions,
             sum(f.customers) AS customers, sum(f.sales) AS sales, sum(f.revenue_minor) AS revenue_minor, sum(f.refunds) AS refunds,
             sum(f.refunded_minor) AS refunded_minor, sum(f.commissions) AS commissions, sum(f.commissions_minor) AS commissions_minor
        FROM earned f WHERE ${within({ campaignIds })} GROUP BY 1, 2, 3, 4, 5
    ), earning_changes AS MATERIALIZED (
      SELECT f.day, f.campaign_id, ${keyOf(by, sql`f.affiliate_id`, sourceOf)} AS value, f.currency, f.conversions, f.customers, f.sales,
             f.revenue_minor, f.refunds, f.refunded_minor, f.commissions, f.commissions_minor
        FROM earned_by_referral f
        LEFT JOIN LATERAL (WITH ${referralSource(accountId, sql`f.referral_id`)} SELECT o.* FROM origin o LIMIT 1) s ON true
       WHERE ${isAsked}
    ), earnings AS (SELECT f.* FROM earning_changes f)`
}

/** By day, campaign, affiliate or the value of a source. Refuses a range that has too many rows. */
export async function sumCrossed(db: Db, scope: CrossedScope, by: ExploreDimension): Promise<FactSum[]> {
  if (scope.source?.value === OTHER)
    throw invalid('source_value', 'must be one source: (other) is the rest of many')
  return planningAnew(db, async tx => {
    await refuseTooMany(tx, scope)
    const range = await findRange(tx, scope)
    const earned = earnedRows(scope.accountId, scope.affiliateIds)
    const facts = sql`${oneDay(range)}, ${visits(scope, by, range)}, ${earned}, ${earnings(scope, by, range)}`
    const key: SourceKey =
      by === 'campaign' ? by : by === 'affiliate' || isExploreSource(by) ? 'value' : 'day'
    return tx.many<FactSum>(sumsBySource(scope, facts, key, sql`true`))
  })
}
