import { isOneLine, ONE_LINE_PROBLEM } from '@tributary/contract/one-line'
import type { Db } from '../../db/database.ts'
import { invalid } from '../../kit/domain-error.ts'
import { newApiKey, sha256 } from '../../kit/tokens.ts'
import { accountSlug } from '../accounts/account-slug.ts'
import { insertApiKey } from './api-key.store.ts'

/** Creates an API key. The key itself is only returned here; the database has its hash. */
export async function createApiKey(
  db: Db,
  accountId: number,
  name: string,
): Promise<{ id: number; key: string }> {
  if (name.length < 1 || name.length > 255) throw invalid('name', 'must have 1 to 255 characters')
  if (!isOneLine(name)) throw invalid('name', ONE_LINE_PROBLEM)
  await accountSlug(db, accountId)
  const key = newApiKey()
  const id = await insertApiKey(db, accountId, { name, hash: sha256(key), lastFour: key.slice(-4) })
  return { id, key }
}
