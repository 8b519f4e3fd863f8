import type { Db } from '../db/database.ts'
import { isInvalidParameter } from '../db/failures.ts'
import { type Sql, sql } from '../db/sql.ts'

/** How long the zones found stay excluded: they may be known once PostgreSQL is updated. */
const KEPT_MS = 600_000

interface Found {
  zones: string[]
  keptUntil: number
}
const unknownOf = new WeakMap<Db, Found>()

async function findUnknownZones(db: Db): Promise<string[]> {
  const rows = await db.many<{ time_zone: string }>(sql`
    /* every account */
    SELECT u.time_zone FROM (SELECT a.time_zone FROM accounts a UNION SELECT s.time_zone FROM insight_accounts s) u
     WHERE u.time_zone NOT IN (SELECT z.name FROM pg_timezone_names z)`)
  return rows.map(({ time_zone }) => time_zone)
}

/**
 * Runs a statement over all accounts that computes with their time zones. PostgreSQL may lack one that an account has, as after a restore onto
 * older zone data, and one is enough to fail the statement: it is run again with the zones to leave out. These are looked for only then,
 * because listing the known ones reads hundreds of files.
 */
export async function withKnownZones<Result>(
  db: Db,
  run: (unknownZones: string[]) => Promise<Result>,
): Promise<Result> {
  const found = unknownOf.get(db)
  try {
    return await run(found && performance.now() < found.keptUntil ? found.zones : [])
  } catch (error) {
    if (!isInvalidParameter(error)) throw error
    const zones = await findUnknownZones(db)
    unknownOf.set(db, { zones, keptUntil: performance.now() + KEPT_MS })
    return run(zones)
  }
}

/** A time zone as an expression; null for an unknown one, and so is what is computed with it. */
export const knownZone = (zone: Sql, unknownZones: string[]): Sql =>
  sql`CASE WHEN ${zone} <> ALL (${unknownZones}::text[]) THEN ${zone} END`
