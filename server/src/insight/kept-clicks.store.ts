import type { Tx } from '../db/database.ts'
import { type Sql, sql } from '../db/sql.ts'
import { type Day, oneDay } from './days.store.ts'

/** A SQL condition on a day `d`: its clicks and leads are younger than their retention, by some days. */
export const isYounger = (retentionDays: number, byDays: number): Sql =>
  sql`d.starts > now() - make_interval(days => ${retentionDays}::integer - ${byDays}::integer)`

/** A SQL condition on a day `d`: the clicks that its leads came from are still there; they may be older than it. */
export const hasOlderClicks = (accountId: number): Sql => sql`
  NOT EXISTS (
    SELECT 1 FROM tracked_leads l
     WHERE l.account_id = ${accountId} AND l.created_at >= d.starts AND l.created_at < d.ends
       AND NOT EXISTS (SELECT 1 FROM clicks k WHERE k.account_id = ${accountId} AND k.id = l.click_id))`

/** A condition on a day `d`: all its clicks are there. They are dropped oldest first, so an older one proves it. */
const hasAllClicks = (accountId: number, retentionDays: number): Sql => sql`
  (${isYounger(retentionDays, 1)} OR EXISTS (SELECT 1 FROM clicks k WHERE k.account_id = ${accountId} AND k.created_at < d.starts))`

/** Whether all clicks of a day are there. */
export async function areClicksKept(
  tx: Tx,
  accountId: number,
  day: Day,
  retentionDays: number,
): Promise<boolean> {
  const row = await tx.first<{ kept: boolean }>(sql`
    WITH ${oneDay(day)} SELECT ${hasAllClicks(accountId, retentionDays)} AS kept FROM days d`)
  return row?.kept === true
}

/**
 * Whether a day's clicks, leads and sources can be counted. The first time, if all its clicks are there: they are dropped oldest first, so an
 * older one proves it. Once counted, only if nothing it counted may be gone, or the new count would be lower. That clicks were dropped
 * shows even if a longer retention was set later: none is left until the day's end, in whatever time zone it was counted.
 */
export async function canCountVisits(
  tx: Tx,
  accountId: number,
  day: Day,
  retentionDays: number,
): Promise<boolean> {
  const row = await tx.first<{ can: boolean }>(sql`
    WITH ${oneDay(day)}, counted AS (
      SELECT v.clicks FROM insight_visits v WHERE v.account_id = ${accountId} AND v.day = ${day.day}::date)
    SELECT CASE WHEN EXISTS (SELECT 1 FROM counted) THEN
             ${isYounger(retentionDays, 1)} AND ${hasOlderClicks(accountId)} AND NOT (
               EXISTS (SELECT 1 FROM counted c WHERE c.clicks > 0)
               AND NOT EXISTS (SELECT 1 FROM clicks k WHERE k.account_id = ${accountId} AND k.created_at < d.ends + interval '26 hours'))
           ELSE
             ${hasAllClicks(accountId, retentionDays)}
           END AS can
      FROM days d`)
  return row?.can === true
}
