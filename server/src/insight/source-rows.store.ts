import { type ExploreSource, NO_CLICK, NONE, OTHER } from '@tributary/contract/dashboard'
import { type Sql, sql } from '../db/sql.ts'
import { bounded, earnedRows } from './fact-rows.store.ts'
import { clickValue, referralSource, sourceValue } from './referral-source.store.ts'

/** Values per day, dimension and campaign; the rest counts as `(other)`, or a scanner that makes up values would fill the table. */
const MOST_VALUES = 200

/** Clicks and leads by day, campaign and value of a dimension, as `source_visit_facts`, after `days` as the other facts. */
export const sourceVisitFacts = (accountId: number, dimension: ExploreSource): Sql => sql`
  source_visit_facts AS (
  SELECT n.day, n.campaign_id, n.value, sum(n.clicks)::integer AS clicks, sum(n.unique_clicks)::integer AS unique_clicks,
         sum(n.leads)::integer AS leads
    FROM (
      SELECT v.day, v.campaign_id, v.clicks, v.unique_clicks, v.leads,
             CASE WHEN row_number() OVER (PARTITION BY v.day, v.campaign_id ORDER BY v.leads DESC, v.clicks DESC, v.value)
                       <= ${MOST_VALUES}::integer THEN v.value ELSE ${OTHER} END AS value
        FROM (
          SELECT d.day, f.campaign_id, f.value, sum(f.clicks) AS clicks, sum(f.unique_clicks) AS unique_clicks, sum(f.leads) AS leads
            FROM days d CROSS JOIN LATERAL (
              SELECT k.campaign_id, coalesce(${clickValue(dimension)}, ${NONE}) AS value, count(*) AS clicks, 0 AS leads,
                     count(DISTINCT (k.address_hash, k.user_agent)) FILTER (WHERE k.address_hash IS NOT NULL)
                       + count(*) FILTER (WHERE k.address_hash IS NULL) AS unique_clicks
                FROM clicks k
               WHERE k.account_id = ${accountId} AND k.created_at >= d.starts AND k.created_at < d.ends AND NOT k.is_bot
               GROUP BY 1, 2
              UNION ALL
              SELECT k.campaign_id, coalesce(${clickValue(dimension)}, ${NONE}), 0, 1, 0
                FROM tracked_leads l JOIN clicks k ON k.account_id = ${accountId} AND k.id = l.click_id
               WHERE l.account_id = ${accountId} AND l.created_at >= d.starts AND l.created_at < d.ends
            ) f GROUP BY d.day, f.campaign_id, f.value
        ) v
    ) n
   GROUP BY n.day, n.campaign_id, n.value
  )`

/** The sums of what was earned, by the source of its referral. */
const earnedBySource = (accountId: number, dimensions: readonly ExploreSource[]): Sql => sql`
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
              SELECT f.day, u.dimension, f.campaign_id, ${sourceValue(sql`u.dimension`, sql`f`)} AS value, f.currency,
                     sum(f.conversions) AS conversions, sum(f.customers) AS customers, sum(f.sales) AS sales,
                     sum(f.revenue_minor) AS revenue_minor, sum(f.refunds) AS refunds, sum(f.refunded_minor) AS refunded_minor,
                     sum(f.commissions) AS commissions, sum(f.commissions_minor) AS commissions_minor
                FROM earned f
                LEFT JOIN LATERAL (
                  WITH ${referralSource(accountId, sql`f.referral_id`)}
                  SELECT o.campaign_id, o.affiliate_id, o.referrer, o.utm_source, o.utm_medium, o.utm_campaign, o.sub_id, o.landing_page,
                         o.device, o.country
                    FROM origin o LIMIT 1) s ON true
                CROSS JOIN unnest(${[...dimensions]}::text[]) AS u (dimension)
               GROUP BY 1, 2, 3, 4, 5
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
