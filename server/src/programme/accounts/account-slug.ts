import type { Db } from '../../db/database.ts'
import { notFound } from '../../kit/domain-error.ts'
import { findAccountSlug } from './account.store.ts'

/** The account's slug. Commands look it up first, so that a mistyped account ID gives a clear error. */
export async function accountSlug(db: Db, accountId: number): Promise<string> {
  const slug = await findAccountSlug(db, accountId)
  if (slug === undefined) throw notFound('account')
  return slug
}
