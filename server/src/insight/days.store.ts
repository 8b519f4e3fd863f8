import type { Db } from '../db/database.ts'
import { type Sql, sql } from '../db/sql.ts'

/** A day of the account's time zone, and the moments where it starts and ends. */
export interface Day {
  day: string
  starts: string
  ends: string
  /** Where the day itself starts, if this is its rest: its first part is counted already. */
  seenFrom?: string
}

/** One day, as the WITH query that the facts are computed for. Its moments are constants, so that PostgreSQL plans only the partitions of clicks that have it. */
export const oneDay = ({ day, starts, ends, seenFrom }: Day): Sql => sql`
  days AS NOT MATERIALIZED (
    SELECT ${day}::date AS day, ${starts}::timestamptz AS starts, ${ends}::timestamptz AS ends, ${seenFrom ?? null}::timestamptz AS seen_from)`

/**
 * When anything happened that a marked referral decides about, or a marked sale of it, as the WITH query `moments`, with the mark's `id`.
 * Of all marks, or of the first ones. Sources are those of the referral's day.
 */
export const markedMoments = (accountId: number, most: number | null = null): Sql => sql`
  marked_referrals AS (
    SELECT m.id, m.referral_id, m.at FROM insight_marks m
     WHERE m.account_id = ${accountId} AND m.referral_id IS NOT NULL ORDER BY m.id LIMIT ${most}
  ), whole_referrals AS (
    SELECT g.id, g.referral_id FROM marked_referrals g WHERE g.at IS NULL
  ), marked_sales AS (
    SELECT g.id, g.referral_id, g.at FROM marked_referrals g WHERE g.at IS NOT NULL
  ), first_sales AS (
    -- Another first sale may be in another month, which is that of everything the customer has bought.
    SELECT g.id, g.referral_id FROM marked_sales g
     WHERE NOT EXISTS (SELECT 1 FROM sales s WHERE s.account_id = ${accountId} AND s.referral_id = g.referral_id
                          AND s.occurred_at < g.at AND s.replaced_by IS NULL AND s.amount_minor > 0)
  ), moments AS (
    SELECT g.id, r.occurred_at AS at, true AS with_visits
      FROM whole_referrals g JOIN referrals r ON r.account_id = ${accountId} AND r.id = g.referral_id
    UNION
    SELECT g.id, s.occurred_at, false
      FROM whole_referrals g JOIN sales s ON s.account_id = ${accountId} AND s.referral_id = g.referral_id
    UNION
    SELECT g.id, c.created_at, false
      FROM whole_referrals g JOIN commissions c ON c.account_id = ${accountId} AND c.referral_id = g.referral_id
    UNION
    SELECT g.id, u.occurred_at, false
      FROM whole_referrals g
      JOIN sales s ON s.account_id = ${accountId} AND s.referral_id = g.referral_id
      JOIN refunds u ON u.account_id = ${accountId} AND u.sale_id = s.id
    UNION
    SELECT g.id, s.occurred_at, false
      FROM first_sales g JOIN sales s ON s.account_id = ${accountId} AND s.referral_id = g.referral_id
    UNION
    SELECT g.id, u.occurred_at, false
      FROM first_sales g
      JOIN sales s ON s.account_id = ${accountId} AND s.referral_id = g.referral_id
      JOIN refunds u ON u.account_id = ${accountId} AND u.sale_id = s.id
    UNION
    SELECT g.id, g.at, false FROM marked_sales g
    UNION
    SELECT g.id, (SELECT min(s.occurred_at) FROM sales s
                   WHERE s.account_id = ${accountId} AND s.referral_id = g.referral_id AND s.occurred_at > g.at
                     AND s.replaced_by IS NULL AND s.amount_minor > 0), false
      FROM marked_sales g
    UNION
    SELECT g.id, u.occurred_at, false
      FROM marked_sales g
      JOIN sales s ON s.account_id = ${accountId} AND s.referral_id = g.referral_id AND s.occurred_at = g.at
      JOIN refunds u ON u.account_id = ${accountId} AND u.sale_id = s.id
  )`

/**
 * The days that have changed since they were rolled up, as the WITH query `marked`, after `moments`: once for its money, and once more
 * `with_visits` if its clicks, leads or sources have.
 */
export const markedDays = (accountId: number): Sql => sql`
  marked AS (
    SELECT (t.at AT TIME ZONE a.time_zone)::date AS day, t.with_visits
      FROM moments t JOIN accounts a ON a.id = ${accountId} WHERE t.at IS NOT NULL
    UNION
    SELECT (m.at AT TIME ZONE a.time_zone)::date, m.with_visits
      FROM insight_marks m JOIN accounts a ON a.id = ${accountId}
     WHERE m.account_id = ${accountId} AND m.at IS NOT NULL AND m.referral_id IS NULL
  )`

/** Nothing is rolled up: the first closing covers the whole history. */
export const NEVER = '0001-01-01'

/** The moment where a day starts; there is none before `NEVER`. */
export async function findStart(db: Db, day: string, zone: string): Promise<string> {
  if (day === NEVER) return '-infinity'
  const row = await db.first<{ at: string }>(sql`SELECT day_start(${day}::date, ${zone}::text) AS at`)
  return (row as { at: string }).at
}

/**
 * The days since `after` on which anything happened or was counted, as the WITH query `busy`. Where the first one starts is a constant: PostgreSQL
 * then knows how few rows are that young, and plans only their partitions.
 */
export const busyDays = (
  accountId: number,
  { after, starts, zone }: { after: string; starts: string; zone: string },
): Sql => sql`
  busy AS (
    SELECT (k.created_at AT TIME ZONE ${zone}::text)::date AS day FROM clicks k
     WHERE k.account_id = ${accountId} AND k.created_at >= ${starts}::timestamptz
    UNION
    SELECT (l.created_at AT TIME ZONE ${zone}::text)::date FROM tracked_leads l
     WHERE l.account_id = ${accountId} AND l.created_at >= ${starts}::timestamptz
    UNION
    SELECT (r.occurred_at AT TIME ZONE ${zone}::text)::date FROM referrals r
     WHERE r.account_id = ${accountId} AND r.occurred_at >= ${starts}::timestamptz
    UNION
    SELECT (s.occurred_at AT TIME ZONE ${zone}::text)::date FROM sales s
     WHERE s.account_id = ${accountId} AND s.occurred_at >= ${starts}::timestamptz
    UNION
    SELECT (u.occurred_at AT TIME ZONE ${zone}::text)::date FROM refunds u
     WHERE u.account_id = ${accountId} AND u.occurred_at >= ${starts}::timestamptz
    UNION
    SELECT (c.created_at AT TIME ZONE ${zone}::text)::date FROM commissions c
     WHERE c.account_id = ${accountId} AND c.created_at >= ${starts}::timestamptz
    UNION
    SELECT v.day FROM insight_visits v WHERE v.account_id = ${accountId} AND v.day >= ${after}::date
    UNION
    SELECT e.day FROM insight_earnings e WHERE e.account_id = ${accountId} AND e.day >= ${after}::date
  )`
