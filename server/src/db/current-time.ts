import type { Db } from './database.ts'
import { sql } from './sql.ts'

/**
 * The transaction's time, rounded like the columns it is compared with. A row that was made due "now" may be rounded up by half a
 * millisecond: a statement that follows within it would not find the row due.
 */
export const NOW = sql`now()::timestamptz(3)`

/** The database's time, rounded like every timestamp column, so that comparing it with rows does not depend on two clocks. */
export async function currentTime(db: Db): Promise<string> {
  const row = await db.first<{ at: string }>(sql`SELECT clock_timestamp()::timestamptz(3) AS at`)
  return (row as { at: string }).at
}
