import type { Db, Tx } from './transaction.ts'

/** Ends a dry run and rolls it back. */
class DryRunComplete extends Error {}

/** Runs the work in a transaction. A dry run does exactly the same and rolls back, so its result is that of the real run. */
export async function dryRunOr<T>(db: Db, isDryRun: boolean, work: (tx: Tx) => Promise<T>): Promise<T> {
  if (!isDryRun) return db.transaction(work)
  let result: T | undefined
  try {
    await db.transaction(async tx => {
      result = await work(tx)
      throw new DryRunComplete()
    })
  } catch (error) {
    if (!(error instanceof DryRunComplete)) throw error
  }
  return result as T
}
