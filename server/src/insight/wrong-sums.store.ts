import type { Db } from '../db/database.ts'
import { type Sql, sql } from '../db/sql.ts'

/*
 * Sums of days and totals that are not those of the rolled-up days. What a total has more than the one before it must be the days in
 * between. Each is the day of a difference.
 */

interface WrongSum {
  day: string
}

/** Every day with the first total that has it, as the WITH query `totalled`; and each total with the one after it, as `following`. */
const totalled = (accountId: number): Sql => sql`
  following AS MATERIALIZED (
    SELECT d.until, lead(d.until) OVER (ORDER BY d.until) AS next FROM insight_total_days d WHERE d.account_id = ${accountId}
  ), totalled AS MATERIALIZED (
    SELECT n.day, (SELECT min(d.until) FROM following d WHERE d.until >= n.day) AS until
      FROM (SELECT v.day FROM insight_visits v WHERE v.account_id = ${accountId}
            UNION
            SELECT e.day FROM insight_earnings e WHERE e.account_id = ${accountId}) n
  )`

/** What has no currency, whatever the currency of its row. */
export const findWrongCounts = (db: Db, accountId: number, most: number) =>
  db.many<WrongSum>(sql`
    WITH ${totalled(accountId)}, counts AS (
      SELECT v.day, v.campaign_id, v.affiliate_id, v.clicks, v.unique_clicks, v.leads, 0 AS conversions
        FROM insight_visits v WHERE v.account_id = ${accountId}
      UNION ALL
      SELECT e.day, e.campaign_id, e.affiliate_id, 0, 0, 0, e.conversions FROM insight_earnings e WHERE e.account_id = ${accountId}
    ), parts AS (
      SELECT c.day, c.campaign_id, 0::bigint AS affiliate_id, c.clicks::bigint AS clicks, c.unique_clicks::bigint AS unique_clicks,
             c.leads::bigint AS leads, c.conversions::bigint AS conversions
        FROM counts c
      UNION ALL
      SELECT d.day, d.campaign_id, 0, -d.clicks, -d.unique_clicks, -d.leads, 0 FROM insight_visit_days d WHERE d.account_id = ${accountId}
      UNION ALL
      SELECT d.day, d.campaign_id, 0, 0, 0, 0, -d.conversions FROM insight_earning_days d WHERE d.account_id = ${accountId}
      UNION ALL
      SELECT n.until, c.campaign_id, c.affiliate_id, c.clicks, c.unique_clicks, c.leads, c.conversions
        FROM counts c JOIN totalled n ON n.day = c.day WHERE n.until IS NOT NULL
      UNION ALL
      SELECT t.until, t.campaign_id, t.affiliate_id, -t.clicks, -t.unique_clicks, -t.leads, -t.conversions
        FROM insight_totals t WHERE t.account_id = ${accountId}
      UNION ALL
      SELECT l.next, t.campaign_id, t.affiliate_id, t.clicks, t.unique_clicks, t.leads, t.conversions
        FROM insight_totals t JOIN following l ON l.until = t.until AND l.next IS NOT NULL WHERE t.account_id = ${accountId}
    )
    SELECT DISTINCT to_char(w.day, 'YYYY-MM-DD') AS day
      FROM (SELECT p.day FROM parts p GROUP BY p.day, p.campaign_id, p.affiliate_id
            HAVING sum(p.clicks) <> 0 OR sum(p.unique_clicks) <> 0 OR sum(p.leads) <> 0 OR sum(p.conversions) <> 0) w
     ORDER BY 1 LIMIT ${most}`)

export const findWrongAmounts = (db: Db, accountId: number, most: number) =>
  db.many<WrongSum>(sql`
    WITH ${totalled(accountId)}, earnings AS (
      SELECT e.day, e.campaign_id, e.affiliate_id, e.currency, e.customers, e.sales, e.revenue_minor, e.refunds, e.refunded_minor,
             e.commissions, e.commissions_minor
        FROM insight_earnings e WHERE e.account_id = ${accountId}
    ), parts AS (
      SELECT e.day, e.campaign_id, 0::bigint AS affiliate_id, e.currency, e.customers, e.sales, e.revenue_minor, e.refunds,
             e.refunded_minor, e.commissions, e.commissions_minor
        FROM earnings e
      UNION ALL
      SELECT d.day, d.campaign_id, 0, d.currency, -d.customers, -d.sales, -d.revenue_minor, -d.refunds, -d.refunded_minor,
             -d.commissions, -d.commissions_minor
        FROM insight_earning_days d WHERE d.account_id = ${accountId}
      UNION ALL
      SELECT n.until, e.campaign_id, e.affiliate_id, e.currency, e.customers, e.sales, e.revenue_minor, e.refunds, e.refunded_minor,
             e.commissions, e.commissions_minor
        FROM earnings e JOIN totalled n ON n.day = e.day WHERE n.until IS NOT NULL
      UNION ALL
      SELECT t.until, t.campaign_id, t.affiliate_id, t.currency, -t.customers, -t.sales, -t.revenue_minor, -t.refunds, -t.refunded_minor,
             -t.commissions, -t.commissions_minor
        FROM insight_totals t WHERE t.account_id = ${accountId}
      UNION ALL
      SELECT l.next, t.campaign_id, t.affiliate_id, t.currency, t.customers, t.sales, t.revenue_minor, t.refunds, t.refunded_minor,
             t.commissions, t.commissions_minor
        FROM insight_totals t JOIN following l ON l.until = t.until AND l.next IS NOT NULL WHERE t.account_id = ${accountId}
    )
    SELECT DISTINCT to_char(w.day, 'YYYY-MM-DD') AS day
      FROM (SELECT p.day FROM parts p GROUP BY p.day, p.campaign_id, p.affiliate_id, p.currency
            HAVING sum(p.customers) <> 0 OR sum(p.sales) <> 0 OR sum(p.revenue_minor) <> 0 OR sum(p.refunds) <> 0
                OR sum(p.refunded_minor) <> 0 OR sum(p.commissions) <> 0 OR sum(p.commissions_minor) <> 0) w
     ORDER BY 1 LIMIT ${most}`)
