import type { Tx } from '../../db/database.ts'
import { lockAffiliate, shareAffiliateStatuses } from './affiliate.store.ts'
import type { AffiliateStatus } from './affiliate.ts'

/** The affiliate's status, held until the transaction ends: what is decided on it cannot be overtaken. */
export const affiliateStatus = async (
  tx: Tx,
  accountId: number,
  id: number,
): Promise<AffiliateStatus | undefined> => (await lockAffiliate(tx, accountId, id))?.status

/**
 * Whether the affiliate is rejected. Without a lock: rejecting takes nothing back, so a sale or payout beside it is one that came just
 * before it.
 */
/** Their statuses, locked against review until the transaction ends. */
export const heldStatuses = shareAffiliateStatuses
