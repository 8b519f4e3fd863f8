import type { Tx } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import { busyDays, type Day, findStart, markedMoments, oneDay } from './days.store.ts'
import { isYounger } from './kept-clicks.store.ts'

/**
 * Marks every day after `after`, up to `until`, that has anything to count or was counted. Until it is computed, a marked day is read from
 * its rows, but clicks and leads are not if some of them may have been dropped: an older click proves that none was.
 */
export async function markDays(
  tx: Tx,
  accountId: number,
  {
    after,
    until,
    zone,
    retentionDays,
  }: { after: string; until: string; zone: string; retentionDays: number },
): Promise<void> {
  const starts = await findStart(tx, after, zone)
  await tx.many(sql`
    WITH ${busyDays(accountId, { after, starts, zone })}, d AS (
      SELECT day_start(b.day, ${zone}::text) AS starts FROM busy b WHERE b.day > ${after}::date AND b.day <= ${until}::date)
    INSERT INTO insight_marks (account_id, at, with_visits)
    SELECT ${accountId}, d.starts,
           ${isYounger(retentionDays, 1)} OR d.starts > (SELECT min(k.created_at) FROM clicks k WHERE k.account_id = ${accountId}) IS TRUE
      FROM d`)
}

const MOST_REFERRALS = 1000

/**
 * Replaces marks of referrals by marks of the closed days that they decide about; days that are still open are computed when they close.
 * A bounded number at a time: returns true if more may be left. All come before the first day is computed, which many may have marked.
 */
export async function resolveReferralMarks(
  tx: Tx,
  accountId: number,
  { time_zone: zone, closed_until: closedUntil }: { time_zone: string; closed_until: string },
): Promise<boolean> {
  const row = await tx.first<{ resolved: number }>(sql`
    WITH ${markedMoments(accountId, MOST_REFERRALS)}, gone AS (
      DELETE FROM insight_marks m
       WHERE m.account_id = ${accountId} AND m.id IN (SELECT g.id FROM marked_referrals g)
    ), added AS (
      INSERT INTO insight_marks (account_id, at, with_visits)
      SELECT ${accountId}::bigint, day_start(o.day, ${zone}::text), bool_or(o.with_visits)
        FROM (SELECT (t.at AT TIME ZONE ${zone}::text)::date AS day, t.with_visits FROM moments t) o
       WHERE o.day <= ${closedUntil}::date GROUP BY o.day)
    SELECT count(*)::integer AS resolved FROM marked_referrals`)
  return row?.resolved === MOST_REFERRALS
}

/** The newest marked day: it is the one that people look at. */
export function findMarkedDay(tx: Tx, accountId: number, zone: string): Promise<Day | undefined> {
  return tx.first(sql`
    SELECT to_char(o.day, 'YYYY-MM-DD') AS day, day_start(o.day, ${zone}::text) AS starts, day_start(o.day + 1, ${zone}::text) AS ends
      FROM (SELECT (m.at AT TIME ZONE ${zone}::text)::date AS day FROM insight_marks m
             WHERE m.account_id = ${accountId} AND m.at IS NOT NULL AND m.referral_id IS NULL ORDER BY m.at DESC LIMIT 1) o`)
}

/** Returns whether its clicks, leads and sources have changed too, and not only its money. */
export async function deleteMarksOf(tx: Tx, accountId: number, day: Day): Promise<{ withVisits: boolean }> {
  const row = await tx.first<{ with_visits: boolean }>(sql`
    WITH ${oneDay(day)}, gone AS (
      DELETE FROM insight_marks m USING days d
       WHERE m.account_id = ${accountId} AND m.at >= d.starts AND m.at < d.ends AND m.referral_id IS NULL RETURNING m.with_visits)
    SELECT coalesce(bool_or(gone.with_visits), false) AS with_visits FROM gone`)
  return { withVisits: row?.with_visits === true }
}
