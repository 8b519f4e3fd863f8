import type { Db } from '../../db/database.ts'
import { notFound } from '../../kit/domain-error.ts'
import { findAccountBySlug, findAccountSlug } from './account.store.ts'

/** Finds an account by its slug or, as other commands do, by its ID. */
export async function accountByName(db: Db, name: string): Promise<{ id: number; slug: string }> {
  const id = await findAccountBySlug(db, name)
  if (id !== undefined) return { id, slug: name }
  const slug = /^\d{1,15}$/.test(name) ? await findAccountSlug(db, Number(name)) : undefined
  if (slug === undefined) throw notFound('account')
  return { id: Number(name), slug }
}
