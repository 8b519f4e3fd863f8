import type { Db } from '../../db/database.ts'
import { findAccountBySlug } from '../../programme/accounts/account.store.ts'
import { findDestinations } from './link.store.ts'

/** The destinations of an account's campaigns; empty if the account does not exist. */
export async function merchantSites(db: Db, accountSlug: string): Promise<string[]> {
  const accountId = await findAccountBySlug(db, accountSlug)
  return accountId === undefined ? [] : findDestinations(db, accountId)
}
