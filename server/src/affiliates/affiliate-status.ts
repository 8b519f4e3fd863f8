import type { Tx } from '../db/database.ts'
import { lockAffiliate } from './affiliate.store.ts'
import type { AffiliateStatus } from './affiliate.ts'

/** The affiliate's status, held until the transaction ends: what is decided on it cannot be overtaken. */
export const affiliateStatus = async (
  tx: Tx,
  accountId: number,
  id: number,
): Promise<AffiliateStatus | undefined> => (await lockAffiliate(tx, accountId, id))?.status
