import type { Tx } from '../db/database.ts'
import { sql } from '../db/sql.ts'

/*
 * Sums of all affiliates by day, and totals of each until the end of a week, so that a year is read by its two ends. Triggers of the
 * rolled-up days keep both; here they begin, and begin anew.
 */

/** None until they are added again: a change of every day would be one of every total since. */
export async function deleteTotals(tx: Tx, accountId: number): Promise<void> {
  await tx.many(sql`UPDATE insight_accounts s SET totals_until = NULL WHERE s.account_id = ${accountId}`)
  await tx.many(sql`DELETE FROM insight_visit_totals t WHERE t.account_id = ${accountId}`)
  await tx.many(sql`DELETE FROM insight_earning_totals t WHERE t.account_id = ${accountId}`)
}

/** Marked days that may be in totals while they are computed again; each changes every total since. */
const MOST_IN_TOTALS = 30

/** Takes back the totals since the oldest of many marked days: they are added again once all are computed. */
export async function cutTotals(tx: Tx, accountId: number, zone: string): Promise<void> {
  const cut = await tx.first<{ until: string | null }>(sql`
    WITH marked AS (
      SELECT count(DISTINCT (m.at AT TIME ZONE ${zone}::text)::date) AS days, min((m.at AT TIME ZONE ${zone}::text)::date) AS first
        FROM insight_marks m JOIN insight_accounts s ON s.account_id = ${accountId}
       WHERE m.account_id = ${accountId} AND m.referral_id IS NULL AND m.at < day_start(s.totals_until + 1, ${zone}::text)
    )
    UPDATE insight_accounts s SET totals_until = k.first - extract(isodow FROM k.first)::integer
      FROM marked k WHERE s.account_id = ${accountId} AND k.days > ${MOST_IN_TOTALS}
    RETURNING to_char(s.totals_until, 'YYYY-MM-DD') AS until`)
  if (!cut?.until) return
  await tx.many(
    sql`DELETE FROM insight_visit_totals t WHERE t.account_id = ${accountId} AND t.until > ${cut.until}::date`,
  )
  await tx.many(
    sql`DELETE FROM insight_earning_totals t WHERE t.account_id = ${accountId} AND t.until > ${cut.until}::date`,
  )
}

/** Adds up the days again: what is wrong in a sum would stay in it otherwise. */
export async function sumDays(tx: Tx, accountId: number): Promise<void> {
  await tx.many(sql`DELETE FROM insight_visit_days d WHERE d.account_id = ${accountId}`)
  await tx.many(sql`DELETE FROM insight_earning_days d WHERE d.account_id = ${accountId}`)
  await tx.many(sql`
    INSERT INTO insight_visit_days (account_id, day, campaign_id, clicks, unique_clicks, leads)
    SELECT ${accountId}::bigint, v.day, v.campaign_id, sum(v.clicks), sum(v.unique_clicks), sum(v.leads)
      FROM insight_visits v WHERE v.account_id = ${accountId} GROUP BY v.day, v.campaign_id`)
  await tx.many(sql`
    INSERT INTO insight_earning_days (account_id, day, campaign_id, currency, conversions, customers, sales, revenue_minor, refunds,
                                      refunded_minor, commissions, commissions_minor)
    SELECT ${accountId}::bigint, e.day, e.campaign_id, e.currency, sum(e.conversions), sum(e.customers), sum(e.sales), sum(e.revenue_minor),
           sum(e.refunds), sum(e.refunded_minor), sum(e.commissions), sum(e.commissions_minor)
      FROM insight_earnings e WHERE e.account_id = ${accountId} GROUP BY e.day, e.campaign_id, e.currency`)
}

/** The Sunday before anything was counted, or before the last closed day if nothing was. */
export async function startTotals(tx: Tx, accountId: number): Promise<string | null> {
  const row = await tx.first<{ until: string | null }>(sql`
    WITH first AS (
      SELECT least((SELECT min(v.day) FROM insight_visit_days v WHERE v.account_id = ${accountId}),
                   (SELECT min(e.day) FROM insight_earning_days e WHERE e.account_id = ${accountId}),
                   s.closed_until) AS day
        FROM insight_accounts s WHERE s.account_id = ${accountId}
    )
    UPDATE insight_accounts s SET totals_until = f.day - extract(isodow FROM f.day)::integer
      FROM first f WHERE s.account_id = ${accountId}
    RETURNING to_char(s.totals_until, 'YYYY-MM-DD') AS until`)
  return row?.until ?? null
}

/** Adds the totals of the next Sunday: those of the one before and the days in between. */
export async function addWeek(tx: Tx, accountId: number, until: string): Promise<void> {
  await tx.many(sql`
    INSERT INTO insight_visit_totals (account_id, until, affiliate_id, campaign_id, clicks, unique_clicks, leads)
    SELECT ${accountId}::bigint, ${until}::date + 7, p.affiliate_id, p.campaign_id, sum(p.clicks), sum(p.unique_clicks), sum(p.leads)
      FROM (SELECT t.affiliate_id, t.campaign_id, t.clicks, t.unique_clicks, t.leads
              FROM insight_visit_totals t WHERE t.account_id = ${accountId} AND t.until = ${until}::date
            UNION ALL
            SELECT v.affiliate_id, v.campaign_id, v.clicks, v.unique_clicks, v.leads
              FROM insight_visits v WHERE v.account_id = ${accountId} AND v.day > ${until}::date AND v.day <= ${until}::date + 7) p
     GROUP BY p.affiliate_id, p.campaign_id`)
  await tx.many(sql`
    INSERT INTO insight_earning_totals (account_id, until, affiliate_id, campaign_id, currency, conversions, customers, sales,
                                        revenue_minor, refunds, refunded_minor, commissions, commissions_minor)
    SELECT ${accountId}::bigint, ${until}::date + 7, p.affiliate_id, p.campaign_id, p.currency, sum(p.conversions), sum(p.customers),
           sum(p.sales), sum(p.revenue_minor), sum(p.refunds), sum(p.refunded_minor), sum(p.commissions), sum(p.commissions_minor)
      FROM (SELECT t.affiliate_id, t.campaign_id, t.currency, t.conversions, t.customers, t.sales, t.revenue_minor, t.refunds,
                   t.refunded_minor, t.commissions, t.commissions_minor
              FROM insight_earning_totals t WHERE t.account_id = ${accountId} AND t.until = ${until}::date
            UNION ALL
            SELECT e.affiliate_id, e.campaign_id, e.currency, e.conversions, e.customers, e.sales, e.revenue_minor, e.refunds,
                   e.refunded_minor, e.commissions, e.commissions_minor
              FROM insight_earnings e WHERE e.account_id = ${accountId} AND e.day > ${until}::date AND e.day <= ${until}::date + 7) p
     GROUP BY p.affiliate_id, p.campaign_id, p.currency`)
  await tx.many(
    sql`UPDATE insight_accounts s SET totals_until = ${until}::date + 7 WHERE s.account_id = ${accountId}`,
  )
}
