import { type Sql, sql } from '../db/sql.ts'
import { countsAsConversion } from '../earning/referrals/counts-as-conversion.store.ts'

/** The month of the first sale of a referral `r`, in the account's time zone `z`. */
const firstMonth = (accountId: number): Sql => sql`
  date_trunc('month', (SELECT min(e.occurred_at) FROM sales e
                        WHERE e.account_id = ${accountId} AND e.referral_id = r.id AND e.replaced_by IS NULL
                          AND e.amount_minor > 0) AT TIME ZONE z.time_zone)::date`

/**
 * What customers bought, by day, month of their first sale, campaign, affiliate and currency, as `cohort_facts` after `days`. A customer buys
 * in a month with the first of its sales, so that days add up to months. A sale of 0, such as a trial, is none.
 */
export const cohortFacts = (accountId: number): Sql => sql`
  cohort_facts AS (
  SELECT d.day, f.first_month, f.campaign_id, f.affiliate_id, f.currency, sum(f.buyers)::integer AS buyers,
         sum(f.revenue_minor)::bigint AS revenue_minor, sum(f.refunded_minor)::bigint AS refunded_minor
    FROM days d CROSS JOIN (SELECT a.time_zone FROM accounts a WHERE a.id = ${accountId}) z CROSS JOIN LATERAL (
      SELECT ${firstMonth(accountId)} AS first_month, r.campaign_id, r.affiliate_id, s.currency,
             (NOT EXISTS (SELECT 1 FROM sales e
                           WHERE e.account_id = ${accountId} AND e.referral_id = s.referral_id AND e.replaced_by IS NULL AND e.amount_minor > 0
                             AND e.occurred_at >= day_start(date_trunc('month', d.day)::date, z.time_zone)
                             AND (e.occurred_at, e.id) < (s.occurred_at, s.id)))::integer AS buyers,
             s.amount_minor AS revenue_minor, 0::bigint AS refunded_minor
        FROM sales s JOIN referrals r ON r.account_id = ${accountId} AND r.id = s.referral_id
       WHERE s.account_id = ${accountId} AND s.occurred_at >= d.starts AND s.occurred_at < d.ends AND s.replaced_by IS NULL
         AND s.amount_minor > 0 AND ${countsAsConversion}
      UNION ALL
      SELECT ${firstMonth(accountId)}, r.campaign_id, r.affiliate_id, s.currency, 0, 0, u.amount_minor
        FROM refunds u
        JOIN sales s ON s.account_id = ${accountId} AND s.id = u.sale_id AND s.replaced_by IS NULL AND s.amount_minor > 0
        JOIN referrals r ON r.account_id = ${accountId} AND r.id = s.referral_id
       WHERE u.account_id = ${accountId} AND u.occurred_at >= d.starts AND u.occurred_at < d.ends AND u.reversed_at IS NULL
         AND ${countsAsConversion}
    ) f
   GROUP BY d.day, f.first_month, f.campaign_id, f.affiliate_id, f.currency
  )`

/** The days of the WITH query `changed` as months: by affiliate, and of all affiliates as those of affiliate 0. */
export const byMonth: Sql = sql`
  months AS (
    SELECT coalesce(c.affiliate_id, 0) AS affiliate_id, c.first_month, date_trunc('month', c.day)::date AS month, c.campaign_id, c.currency,
           sum(c.buyers)::bigint AS buyers, sum(c.revenue_minor)::bigint AS revenue_minor, sum(c.refunded_minor)::bigint AS refunded_minor
      FROM changed c
     GROUP BY GROUPING SETS ((c.affiliate_id, c.first_month, date_trunc('month', c.day)::date, c.campaign_id, c.currency),
                             (c.first_month, date_trunc('month', c.day)::date, c.campaign_id, c.currency))
  )`
