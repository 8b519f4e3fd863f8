import type { Db } from '../db/database.ts'
import { createdOn } from '../programme/accounts/local-time.store.ts'

/** The filters of a list with its days as the moments that stores take, in the account's time zone. */
export async function withDays<Q extends { from?: string; until?: string }>(
  db: Db,
  accountId: number,
  { from, until, ...query }: Q,
): Promise<Omit<Q, 'from' | 'until'>> {
  return { ...query, ...(await createdOn(db, accountId, { from, until })) }
}
