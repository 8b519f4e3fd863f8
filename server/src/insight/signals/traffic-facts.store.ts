import type { Tx } from '../../db/database.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { countsAsConversion } from '../../earning/referrals/counts-as-conversion.store.ts'
import { adParameter } from '../ad-parameter.store.ts'
import { factsByAffiliateAndDay } from '../facts.store.ts'
import { wonClick } from '../referral-source.store.ts'
import {
  type Conversions,
  FEW_VISITORS_SHARE,
  INSTANT_SECONDS,
  LEAST_CLICKS_IN_DAY,
  LEAST_CONVERSIONS,
  LEAST_DAYS_BEFORE,
  LEAST_INSTANT,
  LEAST_INSTANT_SHARE,
  LEAST_OTHER_CLICKS,
  LEAST_OTHER_SALES,
  LEAST_USUAL,
  type PaidClicks,
  type Peak,
  TIMES_OTHERS,
  TIMES_USUAL,
} from './traffic-rules.ts'

/** The days that signals look at, by the account's calendar, both included. */
export interface SignalDays {
  /** The first day of four weeks. */
  first: string
  /** The first day of the last week. */
  recent: string
  /** The first day whose conversions are read: later than `first` if there are very many. */
  converted: string
  today: string
}

/** About as many conversions are read at once, each with its click. */
const MOST_CONVERSIONS = 20_000
/** Rows of a kind without a decision; the largest come first, and the rest waits until these are dealt with. */
export const MOST_FOUND = 500
/** Affiliates whose clicks are searched for paid search, and how many of the newest clicks of each. */
export const MOST_SEARCHED = 1000
const NEWEST_CLICKS = 200

/** A rejected affiliate earns nothing any more. */
export const isWatched: Sql = sql`a.status <> 'rejected'`

export async function findSignalDays(tx: Tx, accountId: number): Promise<SignalDays | undefined> {
  return tx.first(sql`
    WITH at AS (SELECT a.time_zone, (now() AT TIME ZONE a.time_zone)::date AS today FROM accounts a WHERE a.id = ${accountId})
    SELECT to_char(at.today - 27, 'YYYY-MM-DD') AS first, to_char(at.today - 6, 'YYYY-MM-DD') AS recent,
           to_char(greatest(at.today - 27, (
             SELECT (r.occurred_at AT TIME ZONE at.time_zone)::date FROM referrals r
              WHERE r.account_id = ${accountId} AND r.occurred_at <= now()
              ORDER BY r.occurred_at DESC OFFSET ${MOST_CONVERSIONS} LIMIT 1)), 'YYYY-MM-DD') AS converted,
           to_char(at.today, 'YYYY-MM-DD') AS today
      FROM at`)
}

/** The busiest day of each affiliate's last week, if it is busy enough for a signal. */
export function findPeaks(
  tx: Tx,
  accountId: number,
  { first, recent, today }: SignalDays,
  limit: number,
): Promise<Peak[]> {
  return tx.many(sql`
    WITH ${factsByAffiliateAndDay({ accountId, from: first, to: today, reportingCurrency: null })}, by_day AS (
      SELECT f.affiliate_id, f.day, sum(f.clicks)::integer AS clicks, sum(f.unique_clicks)::integer AS unique_clicks
        FROM visits f GROUP BY f.affiliate_id, f.day
    ), peaks AS (
      SELECT DISTINCT ON (d.affiliate_id) d.affiliate_id, d.day, d.clicks, d.unique_clicks FROM by_day d
       WHERE d.day >= ${recent}::date AND d.clicks >= ${LEAST_CLICKS_IN_DAY}::integer
       ORDER BY d.affiliate_id, d.clicks DESC, d.day DESC
    ), before AS (
      SELECT d.affiliate_id, sum(d.clicks) AS clicks FROM by_day d WHERE d.day < ${recent}::date GROUP BY d.affiliate_id
    ), compared AS (
      SELECT p.affiliate_id, p.day, p.clicks, p.unique_clicks,
             CASE WHEN j.days >= ${LEAST_DAYS_BEFORE}::integer THEN coalesce(b.clicks, 0)::float8 / j.days END AS usual
        FROM peaks p
        JOIN accounts o ON o.id = ${accountId}
        JOIN affiliates a ON a.account_id = ${accountId} AND a.id = p.affiliate_id AND ${isWatched}
        CROSS JOIN LATERAL (
          SELECT ${recent}::date - greatest(${first}::date, (a.created_at AT TIME ZONE o.time_zone)::date) AS days) j
        LEFT JOIN before b ON b.affiliate_id = p.affiliate_id
    )
    SELECT c.affiliate_id, to_char(c.day, 'YYYY-MM-DD') AS day, c.clicks, c.unique_clicks, c.usual FROM compared c
     WHERE c.clicks >= ${TIMES_USUAL}::float8 * greatest(c.usual, ${LEAST_USUAL}::float8)
       AND (c.usual IS NOT NULL OR c.unique_clicks < ${FEW_VISITORS_SHARE}::float8 * c.clicks)
     ORDER BY c.clicks DESC, c.affiliate_id LIMIT ${limit}`)
}

/** What the rules ask for at least, without chance: multiplied, as any of the numbers may be 0. */
const mayBeRate: Sql = sql`(
  c.conversions >= ${LEAST_CONVERSIONS}::integer AND c.clicks > 0 AND c.other_clicks >= ${LEAST_OTHER_CLICKS}::integer
  AND c.other_conversions > 0
  AND c.conversions::float8 * c.other_clicks >= ${TIMES_OTHERS}::float8 * c.other_conversions * c.clicks)`
const mayBeInstant: Sql = sql`(
  c.instant >= ${LEAST_INSTANT}::integer AND c.instant >= ${LEAST_INSTANT_SHARE}::float8 * c.sales
  AND (c.other_sales < ${LEAST_OTHER_SALES}::integer
       OR c.instant::float8 * c.other_sales >= ${TIMES_OTHERS}::float8 * c.other_instant * c.sales))`

/**
 * What clicks led to, by campaign and affiliate, where a signal is possible. A rate is that of the clicks of these days: a sale today of
 * an earlier click would count without it. Clicks are unique ones: by repeating theirs, anyone could change the rate, and so hide or accuse
 * affiliates.
 */
export function findConversions(
  tx: Tx,
  accountId: number,
  { converted, today }: SignalDays,
  limit: number,
): Promise<Conversions[]> {
  return tx.many(sql`
    WITH ${factsByAffiliateAndDay({ accountId, from: converted, to: today, reportingCurrency: null })}, won AS (
      SELECT r.campaign_id, r.affiliate_id, count(*)::integer AS sales,
             count(*) FILTER (WHERE k.created_at >= day_start(${converted}::date, o.time_zone))::integer AS conversions,
             count(*) FILTER (WHERE k.referrer IS NULL AND r.occurred_at >= k.created_at
                                AND r.occurred_at < k.created_at + make_interval(secs => ${INSTANT_SECONDS}))::integer AS instant
        FROM referrals r
        JOIN accounts o ON o.id = ${accountId}
        JOIN conversions v ON v.account_id = ${accountId} AND v.referral_id = r.id
        -- Of a referral that was reassigned, the click is another affiliate's.
        JOIN clicks k ON k.account_id = ${accountId} AND k.id = ${wonClick} AND k.affiliate_id = r.affiliate_id AND k.campaign_id = r.campaign_id
       WHERE r.account_id = ${accountId} AND r.occurred_at >= day_start(${converted}::date, o.time_zone) AND ${countsAsConversion}
       GROUP BY r.campaign_id, r.affiliate_id
    ), clicked AS (
      SELECT f.campaign_id, f.affiliate_id, sum(f.unique_clicks)::integer AS clicks FROM visits f GROUP BY f.campaign_id, f.affiliate_id
    ), all_clicked AS (
      SELECT l.campaign_id, sum(l.clicks) AS clicks FROM clicked l GROUP BY l.campaign_id
    ), all_won AS (
      SELECT w.campaign_id, sum(w.conversions) AS conversions, sum(w.sales) AS sales, sum(w.instant) AS instant
        FROM won w GROUP BY w.campaign_id
    ), compared AS (
      SELECT w.affiliate_id, w.campaign_id, coalesce(l.clicks, 0) AS clicks, w.conversions, w.sales, w.instant,
             coalesce(t.clicks - coalesce(l.clicks, 0), 0)::integer AS other_clicks,
             (o.conversions - w.conversions)::integer AS other_conversions, (o.sales - w.sales)::integer AS other_sales,
             (o.instant - w.instant)::integer AS other_instant
        FROM won w
        JOIN all_won o ON o.campaign_id = w.campaign_id
        JOIN affiliates a ON a.account_id = ${accountId} AND a.id = w.affiliate_id AND ${isWatched}
        LEFT JOIN all_clicked t ON t.campaign_id = w.campaign_id
        LEFT JOIN clicked l ON l.campaign_id = w.campaign_id AND l.affiliate_id = w.affiliate_id
    )
    SELECT c.* FROM compared c WHERE ${mayBeRate} OR ${mayBeInstant} ORDER BY c.sales DESC, c.affiliate_id LIMIT ${limit}`)
}

/** The newest clicks in campaigns that forbid paid search, and how many came from ads. A few indexed rows for each of the busiest. */
export function findPaidClicks(
  tx: Tx,
  accountId: number,
  { recent, today }: SignalDays,
): Promise<PaidClicks[]> {
  return tx.many(sql`
    WITH ${factsByAffiliateAndDay({ accountId, from: recent, to: today, reportingCurrency: null })}, searched AS (
      SELECT f.campaign_id, f.affiliate_id, sum(f.clicks)::integer AS clicks
        FROM visits f
        JOIN campaigns c ON c.account_id = ${accountId} AND c.id = f.campaign_id AND c.forbids_paid_search
        JOIN affiliates a ON a.account_id = ${accountId} AND a.id = f.affiliate_id AND ${isWatched}
       GROUP BY f.campaign_id, f.affiliate_id ORDER BY clicks DESC, f.affiliate_id LIMIT ${MOST_SEARCHED}
    )
    SELECT s.affiliate_id, s.campaign_id, s.clicks AS week, n.clicks, n.paid, n.parameter
      FROM searched s JOIN accounts o ON o.id = ${accountId} CROSS JOIN LATERAL (
        SELECT count(*)::integer AS clicks, count(k.parameter)::integer AS paid,
               mode() WITHIN GROUP (ORDER BY k.parameter) AS parameter
          FROM (
            SELECT ${adParameter} AS parameter FROM clicks k
             WHERE k.account_id = ${accountId} AND k.affiliate_id = s.affiliate_id AND k.campaign_id = s.campaign_id AND NOT k.is_bot
               AND k.created_at >= day_start(${recent}::date, o.time_zone)
             ORDER BY k.created_at DESC LIMIT ${NEWEST_CLICKS}) k) n`)
}
