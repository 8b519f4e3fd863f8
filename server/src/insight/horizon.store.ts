import type { Db } from '../db/database.ts'
import { sql } from '../db/sql.ts'

/** A moment, and the first transaction ID that was not yet in use then. */
export interface Horizon {
  at: string
  xid: string
}

/** The statement's start is before its snapshot; the clock, read in between or after, might be later than a transaction that it does not know. */
export async function findHorizon(db: Db): Promise<Horizon> {
  const row = await db.first<Horizon>(
    sql`SELECT date_trunc('milliseconds', statement_timestamp()) AS at, pg_snapshot_xmax(pg_current_snapshot())::text AS xid`,
  )
  return row as Horizon
}

/** Whether every transaction that had written anything by then has ended. */
export async function hasPassed(db: Db, { xid }: Horizon): Promise<boolean> {
  const row = await db.first<{ passed: boolean }>(
    sql`SELECT pg_snapshot_xmin(pg_current_snapshot()) >= ${xid}::text::xid8 AS passed`,
  )
  return row?.passed === true
}

/** The last day that was over an hour ago. */
export async function lastClosableDay(db: Db, zone: string, at: string): Promise<string> {
  const row = await db.first<{ day: string }>(sql`
    SELECT to_char(((${at}::timestamptz - interval '1 hour') AT TIME ZONE ${zone}::text)::date - 1, 'YYYY-MM-DD') AS day`)
  return row?.day as string
}
