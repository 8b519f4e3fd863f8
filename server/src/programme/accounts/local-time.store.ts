import type { Db } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import { notFound } from '../../kit/domain-error.ts'
import { isDay, isLocalTime, isTimestamp } from '../../kit/timestamp.ts'

/** A moment, and the account's time zone. */
export interface LocalMoment {
  time_zone: string
  at: string
}

/**
 * Resolves a timestamp, a local time or a day in the account's time zone; now if omitted. A day means its last millisecond. A local
 * time skipped by a clock change moves forward by the change; one that occurs twice means the second. A timestamp is resolved without
 * the zone, so payouts continue on a PostgreSQL that doesn't have it.
 */
export async function localMoment(db: Db, accountId: number, moment?: string): Promise<LocalMoment> {
  const where = (matches: (text: string) => boolean) =>
    moment !== undefined && matches(moment) ? moment : null
  const row = await db.first<LocalMoment>(sql`
    SELECT a.time_zone, t.at
      FROM accounts a CROSS JOIN LATERAL (
             SELECT coalesce(day_start(${where(isDay)}::date + 1, a.time_zone) - interval '1 millisecond',
                             ${where(isLocalTime)}::timestamp AT TIME ZONE a.time_zone,
                             ${where(isTimestamp)}::timestamptz, clock_timestamp())::timestamptz(3) AS at) t
     WHERE a.id = ${accountId}`)
  if (!row) throw notFound('account')
  // A timestamp is kept as it was given: rounded up, it could take in what happened after it.
  return moment !== undefined && isTimestamp(moment) ? { ...row, at: moment } : row
}

/** The calendar day of a moment in a time zone. */
export async function dayIn(db: Db, zone: string, at: string): Promise<string> {
  const [row] = await db.many<{ day: string }>(
    sql`SELECT to_char(${at}::timestamptz AT TIME ZONE ${zone}::text, 'YYYY-MM-DD') AS day`,
  )
  return row?.day ?? ''
}

/** Whole days in the account's time zone, both included, as the range of creation that lists take: both ends are exclusive. */
export async function createdOn(
  db: Db,
  accountId: number,
  { from, until }: { from?: string | undefined; until?: string | undefined },
): Promise<{ created_after?: string; created_before?: string }> {
  if (from === undefined && until === undefined) return {}
  const row = await db.first<{ after: string | null; before: string | null }>(sql`
    SELECT day_start(${from ?? null}::date, a.time_zone) - interval '1 millisecond' AS after,
           day_start(${until ?? null}::date + 1, a.time_zone) AS before
      FROM accounts a WHERE a.id = ${accountId}`)
  return {
    ...(row?.after && { created_after: row.after }),
    ...(row?.before && { created_before: row.before }),
  }
}
