import type { Db } from '../../db/database.ts'
import { notFound } from '../../kit/domain-error.ts'
import { findAccountSlug } from './account.store.ts'

/** The account's name in URLs. Commands ask it first, so that a mistyped account id is said plainly. */
export async function accountSlug(db: Db, accountId: number): Promise<string> {
  const slug = await findAccountSlug(db, accountId)
  if (slug === undefined) throw notFound('account')
  return slug
}
