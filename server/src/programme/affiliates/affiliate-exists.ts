import type { Db } from '../../db/database.ts'
import { findAffiliate } from './affiliate.store.ts'

export const affiliateExists = async (db: Db, accountId: number, id: number): Promise<boolean> =>
  (await findAffiliate(db, accountId, id)) !== undefined
