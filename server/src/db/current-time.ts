import type { Db } from './database.ts'
import { sql } from './sql.ts'

/** What time it is, by the clock that stamps every row, and rounded as it is there: two clocks would disagree on which of two things came first. */
export async function currentTime(db: Db): Promise<string> {
  const row = await db.first<{ at: string }>(sql`SELECT clock_timestamp()::timestamptz(3) AS at`)
  return (row as { at: string }).at
}
