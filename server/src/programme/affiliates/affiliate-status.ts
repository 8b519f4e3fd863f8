import type { Tx } from '../../db/database.ts'
import { lockAffiliate, shareAffiliateStatuses } from './affiliate.store.ts'
import type { AffiliateStatus } from './affiliate.ts'

/** The affiliate's status, with a row lock until the transaction ends, so that decisions based on it stay valid. */
export const affiliateStatus = async (
  tx: Tx,
  accountId: number,
  id: number,
): Promise<AffiliateStatus | undefined> => (await lockAffiliate(tx, accountId, id))?.status

/** Their statuses, locked against review until the transaction ends. */
export const heldStatuses = shareAffiliateStatuses
