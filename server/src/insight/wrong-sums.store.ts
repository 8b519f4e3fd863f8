import type { Db } from '../db/database.ts'
import { sql } from '../db/sql.ts'

/*
 * Sums of days and totals of weeks that are not those of the rolled-up days. What a total has more than that of the week before must be
 * the days of its week. Each is the day or the Sunday of a difference.
 */

interface WrongSum {
  day: string
}

export const findWrongVisitSums = (db: Db, accountId: number, most: number) =>
  db.many<WrongSum>(sql`
    WITH visits AS (
      SELECT v.day, v.day + 7 - extract(isodow FROM v.day)::integer AS sunday, v.campaign_id, v.affiliate_id, v.clicks, v.unique_clicks,
             v.leads
        FROM insight_visits v WHERE v.account_id = ${accountId}
    ), parts AS (
      SELECT v.day, v.campaign_id, 0::bigint AS affiliate_id, v.clicks, v.unique_clicks, v.leads FROM visits v
      UNION ALL
      SELECT d.day, d.campaign_id, 0, -d.clicks, -d.unique_clicks, -d.leads FROM insight_visit_days d WHERE d.account_id = ${accountId}
      UNION ALL
      SELECT v.sunday, v.campaign_id, v.affiliate_id, v.clicks, v.unique_clicks, v.leads
        FROM visits v JOIN insight_accounts s ON s.account_id = ${accountId} AND v.sunday <= s.totals_until
      UNION ALL
      SELECT t.until, t.campaign_id, t.affiliate_id, -t.clicks, -t.unique_clicks, -t.leads
        FROM insight_visit_totals t WHERE t.account_id = ${accountId}
      UNION ALL
      SELECT t.until + 7, t.campaign_id, t.affiliate_id, t.clicks, t.unique_clicks, t.leads
        FROM insight_visit_totals t JOIN insight_accounts s ON s.account_id = ${accountId} AND t.until + 7 <= s.totals_until
       WHERE t.account_id = ${accountId}
    )
    SELECT DISTINCT to_char(w.day, 'YYYY-MM-DD') AS day
      FROM (SELECT p.day FROM parts p GROUP BY p.day, p.campaign_id, p.affiliate_id
            HAVING sum(p.clicks) <> 0 OR sum(p.unique_clicks) <> 0 OR sum(p.leads) <> 0) w
     ORDER BY 1 LIMIT ${most}`)

export const findWrongEarningSums = (db: Db, accountId: number, most: number) =>
  db.many<WrongSum>(sql`
    WITH earnings AS (
      SELECT e.day, e.day + 7 - extract(isodow FROM e.day)::integer AS sunday, e.campaign_id, e.affiliate_id, e.currency, e.conversions,
             e.customers, e.sales, e.revenue_minor, e.refunds, e.refunded_minor, e.commissions, e.commissions_minor
        FROM insight_earnings e WHERE e.account_id = ${accountId}
    ), parts AS (
      SELECT e.day, e.campaign_id, 0::bigint AS affiliate_id, e.currency, e.conversions, e.customers, e.sales, e.revenue_minor, e.refunds,
             e.refunded_minor, e.commissions, e.commissions_minor
        FROM earnings e
      UNION ALL
      SELECT d.day, d.campaign_id, 0, d.currency, -d.conversions, -d.customers, -d.sales, -d.revenue_minor, -d.refunds,
             -d.refunded_minor, -d.commissions, -d.commissions_minor
        FROM insight_earning_days d WHERE d.account_id = ${accountId}
      UNION ALL
      SELECT e.sunday, e.campaign_id, e.affiliate_id, e.currency, e.conversions, e.customers, e.sales, e.revenue_minor, e.refunds,
             e.refunded_minor, e.commissions, e.commissions_minor
        FROM earnings e JOIN insight_accounts s ON s.account_id = ${accountId} AND e.sunday <= s.totals_until
      UNION ALL
      SELECT t.until, t.campaign_id, t.affiliate_id, t.currency, -t.conversions, -t.customers, -t.sales, -t.revenue_minor, -t.refunds,
             -t.refunded_minor, -t.commissions, -t.commissions_minor
        FROM insight_earning_totals t WHERE t.account_id = ${accountId}
      UNION ALL
      SELECT t.until + 7, t.campaign_id, t.affiliate_id, t.currency, t.conversions, t.customers, t.sales, t.revenue_minor, t.refunds,
             t.refunded_minor, t.commissions, t.commissions_minor
        FROM insight_earning_totals t JOIN insight_accounts s ON s.account_id = ${accountId} AND t.until + 7 <= s.totals_until
       WHERE t.account_id = ${accountId}
    )
    SELECT DISTINCT to_char(w.day, 'YYYY-MM-DD') AS day
      FROM (SELECT p.day FROM parts p GROUP BY p.day, p.campaign_id, p.affiliate_id, p.currency
            HAVING sum(p.conversions) <> 0 OR sum(p.customers) <> 0 OR sum(p.sales) <> 0 OR sum(p.revenue_minor) <> 0
                OR sum(p.refunds) <> 0 OR sum(p.refunded_minor) <> 0 OR sum(p.commissions) <> 0 OR sum(p.commissions_minor) <> 0) w
     ORDER BY 1 LIMIT ${most}`)
