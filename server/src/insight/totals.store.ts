import type { Tx } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import { NO_CURRENCY } from './fact-rows.store.ts'

/*
 * Sums of all affiliates by day, and totals of each until every Sunday and every recent day, so that a range is read by its two ends.
 * Triggers of the rolled-up days keep both; here they begin, and begin anew.
 */

/** Since how many days before the newest total every day has one: what people look at most is read from totals alone. */
const RECENT_DAYS = 35

async function deleteTotalsSince(tx: Tx, accountId: number, day: string): Promise<void> {
  await tx.many(
    sql`DELETE FROM insight_total_days d WHERE d.account_id = ${accountId} AND d.until >= ${day}::date`,
  )
  await tx.many(
    sql`DELETE FROM insight_totals t WHERE t.account_id = ${accountId} AND t.until >= ${day}::date`,
  )
}

/** None until they are added again: a change of every day would be one of every total since. */
export const deleteTotals = (tx: Tx, accountId: number): Promise<void> =>
  deleteTotalsSince(tx, accountId, '-infinity')

/** Marked days that may be in totals while they are computed again; each changes every total since. */
const MOST_IN_TOTALS = 30

/** Takes back the totals since the oldest of many marked days: they are added again once all are computed. */
export async function cutTotals(tx: Tx, accountId: number, zone: string): Promise<void> {
  const marked = await tx.first<{ days: number; first: string | null }>(sql`
    SELECT count(DISTINCT (m.at AT TIME ZONE ${zone}::text)::date)::integer AS days,
           to_char(min((m.at AT TIME ZONE ${zone}::text)::date), 'YYYY-MM-DD') AS first
      FROM insight_marks m
     WHERE m.account_id = ${accountId} AND m.referral_id IS NULL
       AND m.at < day_start((SELECT max(d.until) FROM insight_total_days d WHERE d.account_id = ${accountId}) + 1, ${zone}::text)`)
  if (marked?.first && marked.days > MOST_IN_TOTALS) await deleteTotalsSince(tx, accountId, marked.first)
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

/** Begins with the Sunday before anything was counted, or before the last closed day if nothing was: its total is empty. */
export async function startTotals(tx: Tx, accountId: number): Promise<void> {
  await tx.many(sql`
    INSERT INTO insight_total_days (account_id, until)
    SELECT ${accountId}::bigint, f.day - extract(isodow FROM f.day)::integer
      FROM (SELECT least((SELECT min(v.day) FROM insight_visit_days v WHERE v.account_id = ${accountId}),
                         (SELECT min(e.day) FROM insight_earning_days e WHERE e.account_id = ${accountId}),
                         s.closed_until) AS day
              FROM insight_accounts s WHERE s.account_id = ${accountId}) f`)
}

export interface NextTotal {
  after: string
  until: string
}

/** The next closed day to have a total: a Sunday, or any of the recent days. Undefined if there is none. */
export function findNextTotal(tx: Tx, accountId: number): Promise<NextTotal | undefined> {
  return tx.first(sql`
    SELECT to_char(n.after, 'YYYY-MM-DD') AS after, to_char(n.until, 'YYYY-MM-DD') AS until
      FROM (SELECT l.until AS after, s.closed_until,
                   CASE WHEN l.sunday <= s.closed_until - ${RECENT_DAYS}::integer THEN l.sunday ELSE l.until + 1 END AS until
              FROM insight_accounts s
             CROSS JOIN LATERAL (SELECT d.until, d.until + 7 - extract(isodow FROM d.until)::integer % 7 AS sunday
                                   FROM insight_total_days d WHERE d.account_id = ${accountId} ORDER BY d.until DESC LIMIT 1) l
             WHERE s.account_id = ${accountId}) n
     WHERE n.until <= n.closed_until`)
}

/**
 * Adds a total: the one before it and the days in between. What has no currency goes into the row of the affiliate's first one, so that
 * most have only one row; they are stored in the order that they are read in.
 */
export async function addTotal(tx: Tx, accountId: number, { after, until }: NextTotal): Promise<void> {
  await tx.many(sql`INSERT INTO insight_total_days (account_id, until) VALUES (${accountId}, ${until}::date)`)
  await tx.many(sql`
    WITH parts AS MATERIALIZED (
      SELECT t.affiliate_id, t.campaign_id, t.currency, t.clicks, t.unique_clicks, t.leads, t.conversions, t.customers, t.sales,
             t.revenue_minor, t.refunds, t.refunded_minor, t.commissions, t.commissions_minor
        FROM insight_totals t WHERE t.account_id = ${accountId} AND t.until = ${after}::date
      UNION ALL
      SELECT v.affiliate_id, v.campaign_id, ${NO_CURRENCY}, v.clicks, v.unique_clicks, v.leads, 0, 0, 0, 0, 0, 0, 0, 0
        FROM insight_visits v WHERE v.account_id = ${accountId} AND v.day > ${after}::date AND v.day <= ${until}::date
      UNION ALL
      SELECT e.affiliate_id, e.campaign_id, e.currency, 0, 0, 0, e.conversions, e.customers, e.sales, e.revenue_minor, e.refunds,
             e.refunded_minor, e.commissions, e.commissions_minor
        FROM insight_earnings e WHERE e.account_id = ${accountId} AND e.day > ${after}::date AND e.day <= ${until}::date
    ), firsts AS (
      SELECT p.affiliate_id, p.campaign_id, coalesce(min(p.currency) FILTER (WHERE p.currency <> ${NO_CURRENCY}), ${NO_CURRENCY}) AS currency
        FROM parts p GROUP BY p.affiliate_id, p.campaign_id
    )
    INSERT INTO insight_totals (account_id, until, affiliate_id, campaign_id, currency, clicks, unique_clicks, leads, conversions, customers,
                                sales, revenue_minor, refunds, refunded_minor, commissions, commissions_minor)
    SELECT ${accountId}::bigint, ${until}::date, p.affiliate_id, p.campaign_id,
           CASE p.currency WHEN ${NO_CURRENCY} THEN f.currency ELSE p.currency END, sum(p.clicks), sum(p.unique_clicks), sum(p.leads),
           sum(p.conversions), sum(p.customers), sum(p.sales), sum(p.revenue_minor), sum(p.refunds), sum(p.refunded_minor),
           sum(p.commissions), sum(p.commissions_minor)
      FROM parts p JOIN firsts f ON f.affiliate_id = p.affiliate_id AND f.campaign_id = p.campaign_id
     GROUP BY 3, 4, 5 ORDER BY 3, 4, 5`)
}

/** Of the days that are no longer recent, only the Sundays keep their totals. */
export async function thinTotals(tx: Tx, accountId: number, until: string): Promise<void> {
  const gone = await tx.many<{ until: string }>(sql`
    DELETE FROM insight_total_days d
     WHERE d.account_id = ${accountId} AND d.until <= ${until}::date - ${RECENT_DAYS}::integer AND extract(isodow FROM d.until) <> 7
    RETURNING to_char(d.until, 'YYYY-MM-DD') AS until`)
  if (gone.length > 0)
    await tx.many(
      sql`DELETE FROM insight_totals t WHERE t.account_id = ${accountId} AND t.until = ANY (${gone.map(each => each.until)}::date[])`,
    )
}
