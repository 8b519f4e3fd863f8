import type { Tx } from '../db/database.ts'
import { moveAffiliateStatus } from './affiliate.store.ts'

/**
 * Approves an affiliate. Approved and rejected may follow each other, since a merchant may reconsider; an affiliate that
 * is approved already is left alone. Returns whether anything changed.
 */
export function approveAffiliate(tx: Tx, accountId: number, id: number): Promise<boolean> {
  return moveAffiliateStatus(tx, accountId, id, 'approved')
}

/** Rejects an affiliate, on the same terms. */
export function rejectAffiliate(tx: Tx, accountId: number, id: number): Promise<boolean> {
  return moveAffiliateStatus(tx, accountId, id, 'rejected')
}
