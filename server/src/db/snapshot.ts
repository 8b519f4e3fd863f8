import type { Db, Tx } from './database.ts'
import { sql } from './sql.ts'

/** Reads several statements' worth of one and the same moment, however much is written meanwhile. */
export function readSnapshot<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  return db.transaction(async tx => {
    await tx.many(sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY`)
    return work(tx)
  })
}
