import type { Db } from '../db/database.ts'
import { findAccountBySlug } from './account.store.ts'

export const accountBySlug = (db: Db, slug: string): Promise<number | undefined> =>
  findAccountBySlug(db, slug)
