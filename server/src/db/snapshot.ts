import type { Db, Tx } from './database.ts'
import { sql } from './sql.ts'

/** Runs several reads in one snapshot, unaffected by concurrent writes. */
export function readSnapshot<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  return db.transaction(async tx => {
    await tx.many(sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY`)
    return work(tx)
  })
}
