import { type ExploreSource, NO_CLICK, OTHER } from '@tributary/contract/dashboard'
import { type Sql, sql } from '../db/sql.ts'
import { bounded, earnedRows, isCounted } from './fact-rows.store.ts'
import {
  clickColumns,
  clickValue,
  clickValueBy,
  isBeyondPage,
  referralSource,
  sourceValue,
} from './referral-source.store.ts'

/** At least one. */
export type Dimensions = readonly [ExploreSource, ...ExploreSource[]]
export const isSome = (dimensions: ExploreSource[]): dimensions is [ExploreSource, ...ExploreSource[]] =>
  dimensions.length > 0

/**
 * Values per day, dimension and campaign; the rest counts as `(other)`, or a scanner that makes up values would fill the table. Those with
 * the most clicks are kept: a lead proves no more than a click, so made-up ones must not displace a source that people come from.
 */
const MOST_VALUES = 200

/**
 * Clicks of one visitor that are alike in all that they are counted by, as `seen`, and how many of them are unique whatever the dimension:
 * none if the visitor has others on the day, in the campaign, because these may have the same value. Of a day's rest, also those whose
 * visitors its first part has: they `were_seen` there. The clicks of leads, as `leads`.
 */
const seenClicks = (accountId: number): Sql => sql`
  seen AS MATERIALIZED (
    SELECT s.*, CASE WHEN s.address_hash IS NULL THEN s.clicks
                     WHEN s.were_seen OR count(*) OVER (PARTITION BY s.address_hash, s.user_agent, s.campaign_id, s.day) > 1 THEN 0
                     ELSE 1 END AS unique_clicks
      FROM (SELECT d.day, k.* FROM days d CROSS JOIN LATERAL (
              SELECT k.campaign_id, k.affiliate_id, k.address_hash, k.user_agent, k.landing_url, k.referrer, k.country,
                     count(*) FILTER (WHERE k.created_at >= d.starts)::integer AS clicks, bool_or(k.created_at < d.starts) AS were_seen
                FROM clicks k WHERE k.account_id = ${accountId} AND ${isCounted(accountId)} GROUP BY 1, 2, 3, 4, 5, 6, 7) k) s
  ), leads AS MATERIALIZED (
    SELECT d.day, k.campaign_id, k.affiliate_id, k.user_agent, k.landing_url, k.referrer, k.country
      FROM days d
      JOIN tracked_leads l ON l.account_id = ${accountId} AND l.created_at >= d.starts AND l.created_at < d.ends
      JOIN clicks k ON k.account_id = ${accountId} AND k.id = l.click_id
  )`

/** Five dimensions are read from the landing page: its clicks are put together once for all of them, as `pages`. */
const pages: Sql = sql`
  pages AS MATERIALIZED (
    SELECT k.day, k.campaign_id, k.landing_url, sum(k.clicks)::integer AS clicks, sum(k.unique_clicks)::integer AS unique_clicks
      FROM seen k GROUP BY k.day, k.campaign_id, k.landing_url
  )`

/** What clicks have of one dimension. To find a value takes longer than to count it, so it is found once for clicks that are alike. */
const ofDimension = (dimension: ExploreSource): Sql =>
  isBeyondPage(dimension)
    ? sql`
      SELECT k.day, ${dimension}::text AS dimension, k.campaign_id, ${clickValue(dimension)} AS value, k.clicks, k.unique_clicks, 0 AS leads
        FROM (SELECT k.day, k.campaign_id, ${clickColumns(dimension)}, sum(k.clicks)::integer AS clicks,
                     sum(k.unique_clicks)::integer AS unique_clicks
                FROM seen k GROUP BY k.day, k.campaign_id, ${clickColumns(dimension)}) k`
    : sql`
      SELECT k.day, ${dimension}::text AS dimension, k.campaign_id, ${clickValue(dimension)} AS value, k.clicks, k.unique_clicks, 0 AS leads
        FROM pages k`

function ofDimensions([dimension, ...others]: Dimensions): Sql {
  if (!isSome(others)) return ofDimension(dimension)
  return sql`${ofDimension(dimension)} UNION ALL ${ofDimensions(others)}`
}

/**
 * Visitors with several clicks in a campaign, as `few`, and by page as `few_pages`: those with the same value count once, and not at all if the
 * first part of the day has counted them.
 */
const fewVisitors: Sql = sql`
  few AS MATERIALIZED (SELECT k.* FROM seen k WHERE k.unique_clicks = 0),
  few_pages AS MATERIALIZED (
    SELECT k.day, k.campaign_id, k.landing_url, k.address_hash, k.user_agent AS browser, bool_or(k.were_seen) AS were_seen
      FROM few k GROUP BY k.day, k.campaign_id, k.landing_url, k.address_hash, k.user_agent
  )`

const fewOfDimension = (dimension: ExploreSource): Sql =>
  isBeyondPage(dimension)
    ? sql`
      SELECT k.day, ${dimension}::text AS dimension, k.campaign_id, ${clickValue(dimension)} AS value, k.address_hash, k.browser, k.were_seen
        FROM (SELECT k.day, k.campaign_id, ${clickColumns(dimension)}, k.address_hash, k.user_agent AS browser, bool_or(k.were_seen) AS were_seen
                FROM few k GROUP BY k.day, k.campaign_id, ${clickColumns(dimension)}, k.address_hash, k.user_agent) k`
    : sql`
      SELECT k.day, ${dimension}::text AS dimension, k.campaign_id, ${clickValue(dimension)} AS value, k.address_hash, k.browser, k.were_seen
        FROM few_pages k`

function fewOfDimensions([dimension, ...others]: Dimensions): Sql {
  if (!isSome(others)) return fewOfDimension(dimension)
  return sql`${fewOfDimension(dimension)} UNION ALL ${fewOfDimensions(others)}`
}

/** The visitors with several clicks, and the leads. */
const fewOf = (dimensions: Dimensions): Sql => sql`
  SELECT x.day, x.dimension, x.campaign_id, x.value, 0 AS clicks, 1 AS unique_clicks, 0 AS leads
    FROM few_values x
   GROUP BY x.day, x.dimension, x.campaign_id, x.value, x.address_hash, x.browser HAVING NOT bool_or(x.were_seen)
  UNION ALL
  SELECT k.day, u.dimension, k.campaign_id, ${clickValueBy(sql`u.dimension`)}, 0, 0, 1
    FROM leads k CROSS JOIN unnest(${[...dimensions]}::text[]) u (dimension)`

/**
 * A condition on a kind of source and the open day: it has a part that can be added to. One with more values than are stored has none, because
 * what the others are is known only at the day's end.
 */
export const hasPart = (accountId: number, dimension: Sql, day: Sql): Sql => sql`
  NOT EXISTS (SELECT 1 FROM insight_sources x
               WHERE x.account_id = ${accountId} AND x.dimension = ${dimension} AND x.day = ${day} AND x.value = ${OTHER})
  AND NOT EXISTS (SELECT 1 FROM insight_source_earnings x
                   WHERE x.account_id = ${accountId} AND x.dimension = ${dimension} AND x.day = ${day} AND x.value = ${OTHER})`

/** What is stored of the first part of a day whose rest is read. */
const storedVisits = (accountId: number, dimensions: Dimensions): Sql => sql`
  SELECT f.day, f.dimension, f.campaign_id, f.value, f.clicks, f.unique_clicks, f.leads
    FROM insight_sources f
   WHERE f.account_id = ${accountId} AND f.dimension = ANY (${[...dimensions]}::text[])
     AND f.day = ANY (ARRAY(SELECT d.day FROM days d WHERE d.seen_from IS NOT NULL))`

/**
 * Clicks and leads by day, dimension, campaign and value, as `source_visit_facts`, after `days` as the other facts: of a day whose first part is
 * stored, of both parts together, since which values have the most is known only then.
 */
export const sourceVisitFacts = (accountId: number, dimensions: Dimensions): Sql => sql`
  ${seenClicks(accountId)}, ${pages}, ${fewVisitors}, few_values AS (${fewOfDimensions(dimensions)}), source_visits AS (${ofDimensions(dimensions)} UNION ALL ${fewOf(dimensions)}
  UNION ALL ${storedVisits(accountId, dimensions)}), ${mostVisited}`

const mostVisited: Sql = sql`
  source_visit_facts AS (
  SELECT n.day, n.dimension, n.campaign_id, n.value, sum(n.clicks)::integer AS clicks, sum(n.unique_clicks)::integer AS unique_clicks,
         sum(n.leads)::integer AS leads
    FROM (
      SELECT v.day, v.dimension, v.campaign_id, v.clicks, v.unique_clicks, v.leads,
             CASE WHEN row_number() OVER (PARTITION BY v.day, v.dimension, v.campaign_id ORDER BY v.clicks DESC, v.leads DESC, v.value)
                       <= ${MOST_VALUES}::integer THEN v.value ELSE ${OTHER} END AS value
        FROM (
          SELECT f.day, f.dimension, f.campaign_id, f.value, sum(f.clicks)::integer AS clicks, sum(f.unique_clicks)::integer AS unique_clicks,
                 sum(f.leads)::integer AS leads
            FROM source_visits f GROUP BY f.day, f.dimension, f.campaign_id, f.value
        ) v
    ) n
   GROUP BY n.day, n.dimension, n.campaign_id, n.value
  )`

/** The sums of what was earned, by the source of its referral. */
const earnedBySource = (accountId: number, dimensions: readonly ExploreSource[]): Sql => sql`
  earned_by_referral AS (
    -- The source of each is looked up once.
    SELECT f.day, f.campaign_id, f.affiliate_id, f.referral_id, f.currency, sum(f.conversions) AS conversions, sum(f.customers) AS customers,
           sum(f.sales) AS sales, sum(f.revenue_minor) AS revenue_minor, sum(f.refunds) AS refunds, sum(f.refunded_minor) AS refunded_minor,
           sum(f.commissions) AS commissions, sum(f.commissions_minor) AS commissions_minor
      FROM earned f GROUP BY f.day, f.campaign_id, f.affiliate_id, f.referral_id, f.currency
  ),
  source_earnings AS (
    SELECT f.day, u.dimension, f.campaign_id, ${sourceValue(sql`u.dimension`, sql`f`)} AS value, f.currency, f.conversions, f.customers, f.sales,
           f.revenue_minor, f.refunds, f.refunded_minor, f.commissions, f.commissions_minor
      FROM earned_by_referral f
      LEFT JOIN LATERAL (WITH ${referralSource(accountId, sql`f.referral_id`)} SELECT o.* FROM origin o LIMIT 1) s ON true
      CROSS JOIN unnest(${[...dimensions]}::text[]) AS u (dimension)
    UNION ALL
    SELECT f.day, f.dimension, f.campaign_id, f.value, f.currency, f.conversions, f.customers, f.sales, f.revenue_minor, f.refunds,
           f.refunded_minor, f.commissions, f.commissions_minor
      FROM insight_source_earnings f
     WHERE f.account_id = ${accountId} AND f.dimension = ANY (${[...dimensions]}::text[])
       AND f.day = ANY (ARRAY(SELECT d.day FROM days d WHERE d.seen_from IS NOT NULL))
  ),
  source_earning_facts AS (
  SELECT n.day, n.dimension, n.campaign_id, n.value, n.currency, sum(n.conversions)::integer AS conversions,
         sum(n.customers)::integer AS customers, sum(n.sales)::integer AS sales, ${bounded(sql`sum(n.revenue_minor)`)} AS revenue_minor,
         sum(n.refunds)::integer AS refunds, ${bounded(sql`sum(n.refunded_minor)`)} AS refunded_minor,
         sum(n.commissions)::integer AS commissions, ${bounded(sql`sum(n.commissions_minor)`)} AS commissions_minor
    FROM (
      SELECT p.day, p.dimension, p.campaign_id, p.currency, p.conversions, p.customers, p.sales, p.revenue_minor, p.refunds,
             p.refunded_minor, p.commissions, p.commissions_minor,
             CASE WHEN dense_rank() OVER (PARTITION BY p.day, p.dimension, p.campaign_id
                                          ORDER BY p.value = ${NO_CLICK} DESC, p.actions DESC, p.value)
                       <= ${MOST_VALUES}::integer THEN p.value ELSE ${OTHER} END AS value
        FROM (
          SELECT v.*, sum(v.conversions + v.sales + v.commissions) OVER (PARTITION BY v.day, v.dimension, v.campaign_id, v.value) AS actions
            FROM (
              SELECT f.day, f.dimension, f.campaign_id, f.value, f.currency, sum(f.conversions) AS conversions, sum(f.customers) AS customers,
                     sum(f.sales) AS sales, sum(f.revenue_minor) AS revenue_minor, sum(f.refunds) AS refunds,
                     sum(f.refunded_minor) AS refunded_minor, sum(f.commissions) AS commissions, sum(f.commissions_minor) AS commissions_minor
                FROM source_earnings f GROUP BY f.day, f.dimension, f.campaign_id, f.value, f.currency
            ) v
        ) p
    ) n
   GROUP BY n.day, n.dimension, n.campaign_id, n.value, n.currency
  )`

/**
 * What the referrals of each source earned, as `source_earning_facts`, by day, dimension, campaign, value and currency. Every dimension adds up
 * to all earnings: those that no click brought, such as by coupon code, have the value `(no click)`.
 */
export const sourceEarningFacts = (accountId: number, dimensions: readonly ExploreSource[]): Sql =>
  sql`${earnedRows(accountId)}, ${earnedBySource(accountId, dimensions)}`
