import type { Db } from '../../db/database.ts'
import { notFound } from '../../kit/domain-error.ts'
import { findAccount } from './account.store.ts'

export async function accountName(db: Db, accountId: number): Promise<string> {
  const account = await findAccount(db, accountId)
  if (!account) throw notFound('account')
  return account.name
}
