import { all, type Sql, sql, when } from '../db/sql.ts'
import { countsAsConversion } from '../earning/referrals/counts-as-conversion.store.ts'
import { commissionsOf, countsAsEarned } from '../money/ledger/counts-as-earned.ts'

/*
 * The single definition of what counts for a day: the roll-ups are computed by it, days that are not rolled up are read by it, and doctor
 * compares by it. Each is a WITH query that needs another one before it, `days`, with the days to compute: `day`, and the moments where it
 * `starts` and `ends`. Visits also need `seen_from`: of a day whose first part is counted already, its start, and else null.
 */

/** The currency of counts: ISO 4217's code for none. */
export const NO_CURRENCY = 'XXX'

/** What earlier versions let in may be more than a bigint holds. */
export const bounded = (sum: Sql): Sql => sql`least(${sum}, 9223372036854775807)::bigint`

/** A condition on an affiliate: one of some, or any. */
const isOneOf = (affiliateIds: number[] | undefined, affiliateId: Sql): Sql =>
  all(when(affiliateIds, ids => sql`${affiliateId} = ANY (${ids}::bigint[])`))

/** Conversions, sales, refunds and commissions, a row for each with its moment, and the referral it belongs to if it has one, as `earned`. */
export const earnedRows = (accountId: number, affiliateIds?: number[]): Sql => sql`
  earned AS (
  SELECT d.day, f.at, f.campaign_id, f.affiliate_id, f.referral_id, f.currency, f.conversions, f.customers, f.sales, f.revenue_minor, f.refunds,
         f.refunded_minor, f.commissions, f.commissions_minor
    FROM days d CROSS JOIN LATERAL (
      SELECT r.occurred_at AS at, r.campaign_id, r.affiliate_id, r.id AS referral_id, ${NO_CURRENCY}::text AS currency, 1 AS conversions,
             0 AS customers, 0 AS sales, 0::bigint AS revenue_minor, 0 AS refunds, 0::bigint AS refunded_minor, 0 AS commissions,
             0::bigint AS commissions_minor
        FROM referrals r
       WHERE r.account_id = ${accountId} AND r.occurred_at >= d.starts AND r.occurred_at < d.ends AND ${countsAsConversion}
         AND ${isOneOf(affiliateIds, sql`r.affiliate_id`)}
      UNION ALL
      -- A customer is new with the first sale of their referral; one of 0, such as a trial, is not the first. One that another sale replaces is
      -- not counted, nor are its refunds.
      SELECT s.occurred_at, r.campaign_id, r.affiliate_id, r.id, s.currency, 0,
             (s.amount_minor > 0
              AND NOT EXISTS (SELECT 1 FROM sales e WHERE e.account_id = ${accountId} AND e.referral_id = s.referral_id
                                 AND e.replaced_by IS NULL AND e.amount_minor > 0 AND (e.occurred_at, e.id) < (s.occurred_at, s.id)))::integer,
             1, s.amount_minor, 0, 0, 0, 0
        FROM sales s JOIN referrals r ON r.account_id = ${accountId} AND r.id = s.referral_id
       WHERE s.account_id = ${accountId} AND s.occurred_at >= d.starts AND s.occurred_at < d.ends AND s.replaced_by IS NULL
         AND ${countsAsConversion} AND ${isOneOf(affiliateIds, sql`r.affiliate_id`)}
      UNION ALL
      SELECT u.occurred_at, r.campaign_id, r.affiliate_id, r.id, s.currency, 0, 0, 0, 0, 1, u.amount_minor, 0, 0
        FROM refunds u
        JOIN sales s ON s.account_id = ${accountId} AND s.id = u.sale_id AND s.replaced_by IS NULL
        JOIN referrals r ON r.account_id = ${accountId} AND r.id = s.referral_id
       WHERE u.account_id = ${accountId} AND u.occurred_at >= d.starts AND u.occurred_at < d.ends AND u.reversed_at IS NULL
         AND ${countsAsConversion} AND ${isOneOf(affiliateIds, sql`r.affiliate_id`)}
      UNION ALL
      SELECT c.created_at, c.campaign_id, c.affiliate_id, c.referral_id, c.payout_currency, 0, 0, 0, 0, 0, 0,
             ${commissionsOf(accountId)}, c.payout_amount_minor
        FROM commissions c
       WHERE c.account_id = ${accountId} AND c.created_at >= d.starts AND c.created_at < d.ends AND ${countsAsEarned(accountId)}
         AND ${isOneOf(affiliateIds, sql`c.affiliate_id`)}
    ) f
  )`

/** Of each affiliate, or of all together as affiliate 0: much faster where there are many. */
export const EACH: Sql = sql`f.affiliate_id`
export const TOGETHER: Sql = sql`0::bigint`

/** The sums of what was earned. */
const earnedSums = (whose: Sql): Sql => sql`
  earning_facts AS (
  SELECT f.day, f.campaign_id, ${whose} AS affiliate_id, f.currency, sum(f.conversions)::integer AS conversions,
         sum(f.customers)::integer AS customers, sum(f.sales)::integer AS sales, ${bounded(sql`sum(f.revenue_minor)`)} AS revenue_minor,
         sum(f.refunds)::integer AS refunds, ${bounded(sql`sum(f.refunded_minor)`)} AS refunded_minor,
         sum(f.commissions)::integer AS commissions, ${bounded(sql`sum(f.commissions_minor)`)} AS commissions_minor
    FROM earned f GROUP BY f.day, f.campaign_id, ${whose}, f.currency
  )`

/** Conversions, sales, refunds and commissions by day, campaign, affiliate and currency, as `earning_facts`. */
export const earningFacts = (accountId: number, whose: Sql = EACH): Sql =>
  sql`${earnedRows(accountId)}, ${earnedSums(whose)}`

/**
 * A condition on a click `k` of the day `d`: it is counted there. In the rest of a day also what tells whether a visitor is new: the clicks
 * of its first part from an address that comes again.
 */
export const isCounted = (accountId: number): Sql => sql`
  k.created_at >= coalesce(d.seen_from, d.starts) AND k.created_at < d.ends AND NOT k.is_bot
  AND (k.created_at >= d.starts
       OR k.address_hash IN (SELECT r.address_hash FROM clicks r
                              WHERE r.account_id = ${accountId} AND r.created_at >= d.starts AND r.created_at < d.ends))`

/**
 * Clicks and leads by day, campaign and affiliate, as `visit_facts`. Clicks from one address with one browser count once in a day; without a known address
 * each counts. In the rest of a day, visitors that its first part has counted are not unique again.
 */
export const visitFacts = (accountId: number, whose: Sql = EACH): Sql => sql`
  visit_facts AS (
  SELECT d.day, f.campaign_id, ${whose} AS affiliate_id, sum(f.clicks)::integer AS clicks, sum(f.unique_clicks)::integer AS unique_clicks,
         sum(f.leads)::integer AS leads
    FROM days d CROSS JOIN LATERAL (
      SELECT u.campaign_id, u.affiliate_id, u.clicks, 0 AS leads,
             CASE WHEN u.address_hash IS NULL THEN u.clicks WHEN u.was_seen THEN 0 ELSE 1 END AS unique_clicks
        FROM (SELECT k.campaign_id, k.affiliate_id, k.address_hash, k.user_agent, count(*) FILTER (WHERE k.created_at >= d.starts) AS clicks,
                     bool_or(k.created_at < d.starts) AS was_seen
                FROM clicks k WHERE k.account_id = ${accountId} AND ${isCounted(accountId)}
               GROUP BY k.campaign_id, k.affiliate_id, k.address_hash, k.user_agent) u
       WHERE u.clicks > 0
      UNION ALL
      SELECT k.campaign_id, k.affiliate_id, 0, 1, 0
        FROM tracked_leads l JOIN clicks k ON k.account_id = ${accountId} AND k.id = l.click_id
       WHERE l.account_id = ${accountId} AND l.created_at >= d.starts AND l.created_at < d.ends
    ) f
   GROUP BY d.day, f.campaign_id, ${whose}
  )`
