import type { Db } from '../../db/database.ts'
import { listSomeSlugs } from './account.store.ts'

/** The slug of the account of an installation that has exactly one. */
export async function onlyAccountSlug(db: Db): Promise<string | undefined> {
  const slugs = await listSomeSlugs(db, 2)
  return slugs.length === 1 ? slugs[0] : undefined
}
