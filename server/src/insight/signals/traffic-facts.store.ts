import type { Tx } from '../../db/database.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { countsAsConversion } from '../../earning/referrals/counts-as-conversion.store.ts'
import { facts } from '../facts.store.ts'
import { wonClick } from '../source-rows.store.ts'
import {
  type Conversions,
  INSTANT_SECONDS,
  LEAST_CLICKS_IN_DAY,
  LEAST_CONVERSIONS,
  LEAST_INSTANT,
  type PaidClicks,
  type Peak,
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
/** Rows of a kind; the largest come first, and the rest waits until these are dealt with. */
export const MOST_FOUND = 500
/** Affiliates whose clicks are searched for paid search, and how many of the newest clicks of each. */
const MOST_SEARCHED = 1000
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

/** The busiest day of each affiliate's last week, if it is busy enough. */
export function findPeaks(tx: Tx, accountId: number, { first, recent, today }: SignalDays): Promise<Peak[]> {
  return tx.many(sql`
    WITH ${facts({ accountId, from: first, to: today })}, by_day AS (
      SELECT f.affiliate_id, f.day, sum(f.clicks)::integer AS clicks, sum(f.unique_clicks)::integer AS unique_clicks
        FROM visits f GROUP BY f.affiliate_id, f.day
    ), peaks AS (
      SELECT DISTINCT ON (d.affiliate_id) d.affiliate_id, d.day, d.clicks, d.unique_clicks FROM by_day d
       WHERE d.day >= ${recent}::date AND d.clicks >= ${LEAST_CLICKS_IN_DAY}::integer
       ORDER BY d.affiliate_id, d.clicks DESC, d.day DESC
    ), before AS (
      SELECT d.affiliate_id, sum(d.clicks) AS clicks FROM by_day d WHERE d.day < ${recent}::date GROUP BY d.affiliate_id
    )
    SELECT p.affiliate_id, to_char(p.day, 'YYYY-MM-DD') AS day, p.clicks, p.unique_clicks,
           coalesce(b.clicks, 0)::float8 / (${recent}::date - ${first}::date) AS usual
      FROM peaks p
      JOIN affiliates a ON a.account_id = ${accountId} AND a.id = p.affiliate_id AND ${isWatched}
      LEFT JOIN before b ON b.affiliate_id = p.affiliate_id
     ORDER BY p.clicks DESC, p.affiliate_id LIMIT ${MOST_FOUND}`)
}

/** What clicks led to, by campaign and affiliate, of those with the fewest conversions that a rule asks for. */
export function findConversions(
  tx: Tx,
  accountId: number,
  { converted, today }: SignalDays,
): Promise<Conversions[]> {
  return tx.many(sql`
    WITH ${facts({ accountId, from: converted, to: today })}, won AS (
      SELECT r.campaign_id, r.affiliate_id, count(*)::integer AS conversions,
             count(*) FILTER (WHERE k.referrer IS NULL AND r.occurred_at >= k.created_at
                                AND r.occurred_at < k.created_at + make_interval(secs => ${INSTANT_SECONDS}))::integer AS instant
        FROM referrals r
        JOIN accounts o ON o.id = ${accountId}
        JOIN conversions v ON v.account_id = ${accountId} AND v.referral_id = r.id
        JOIN clicks k ON k.account_id = ${accountId} AND k.id = ${wonClick}
       WHERE r.account_id = ${accountId} AND r.occurred_at >= day_start(${converted}::date, o.time_zone) AND ${countsAsConversion}
       GROUP BY r.campaign_id, r.affiliate_id
    ), clicked AS (
      SELECT f.campaign_id, f.affiliate_id, sum(f.clicks)::integer AS clicks FROM visits f GROUP BY f.campaign_id, f.affiliate_id
    ), all_clicked AS (
      SELECT l.campaign_id, sum(l.clicks) AS clicks FROM clicked l GROUP BY l.campaign_id
    ), all_won AS (
      SELECT w.campaign_id, sum(w.conversions) AS conversions FROM won w GROUP BY w.campaign_id
    )
    SELECT w.affiliate_id, w.campaign_id, coalesce(l.clicks, 0) AS clicks, w.conversions, w.instant,
           coalesce(t.clicks - coalesce(l.clicks, 0), 0)::integer AS other_clicks,
           (o.conversions - w.conversions)::integer AS other_conversions
      FROM won w
      JOIN all_won o ON o.campaign_id = w.campaign_id
      JOIN affiliates a ON a.account_id = ${accountId} AND a.id = w.affiliate_id AND ${isWatched}
      LEFT JOIN all_clicked t ON t.campaign_id = w.campaign_id
      LEFT JOIN clicked l ON l.campaign_id = w.campaign_id AND l.affiliate_id = w.affiliate_id
     WHERE w.conversions >= ${Math.min(LEAST_CONVERSIONS, LEAST_INSTANT)}::integer ORDER BY w.conversions DESC, w.affiliate_id LIMIT ${MOST_FOUND}`)
}

/** The parameters by which search engines mark a click on an ad, and how ads are usually labelled. */
const adParameter: Sql = sql`coalesce(
  substring(lower(k.landing_url) FROM '[?&](gclid|gbraid|wbraid|msclkid)=[^&#]'),
  substring(lower(k.landing_url) FROM '[?&](utm_medium=(?:cpc|ppc|paid[_-]?search|sem))(?:[&#]|$)'))`

/** Of the newest clicks in campaigns that forbid paid search, those that came from ads. A few indexed rows per affiliate. */
export function findPaidClicks(
  tx: Tx,
  accountId: number,
  { recent, today }: SignalDays,
): Promise<PaidClicks[]> {
  return tx.many(sql`
    WITH ${facts({ accountId, from: recent, to: today })}, searched AS (
      SELECT f.campaign_id, f.affiliate_id, sum(f.clicks) AS clicks
        FROM visits f
        JOIN campaigns c ON c.account_id = ${accountId} AND c.id = f.campaign_id AND c.forbids_paid_search
        JOIN affiliates a ON a.account_id = ${accountId} AND a.id = f.affiliate_id AND ${isWatched}
       GROUP BY f.campaign_id, f.affiliate_id ORDER BY clicks DESC, f.affiliate_id LIMIT ${MOST_SEARCHED}
    ), newest AS (
      SELECT s.campaign_id, s.affiliate_id, k.parameter
        FROM searched s JOIN accounts o ON o.id = ${accountId} CROSS JOIN LATERAL (
          SELECT ${adParameter} AS parameter FROM clicks k
           WHERE k.account_id = ${accountId} AND k.affiliate_id = s.affiliate_id AND k.campaign_id = s.campaign_id AND NOT k.is_bot
             AND k.created_at >= day_start(${recent}::date, o.time_zone)
           ORDER BY k.created_at DESC LIMIT ${NEWEST_CLICKS}) k
    )
    SELECT n.affiliate_id, n.campaign_id, count(*)::integer AS clicks, count(n.parameter)::integer AS paid,
           coalesce(mode() WITHIN GROUP (ORDER BY n.parameter), '') AS parameter
      FROM newest n GROUP BY n.affiliate_id, n.campaign_id HAVING count(n.parameter) > 0
     ORDER BY paid DESC, n.affiliate_id LIMIT ${MOST_FOUND}`)
}
