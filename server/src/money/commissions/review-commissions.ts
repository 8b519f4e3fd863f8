import type { UpdateCommission } from '@tributary/contract'
import type { BulkResult } from '@tributary/contract/dashboard'
import type { Tx } from '../../db/database.ts'
import { decideEach } from '../../kit/bulk.ts'
import { lockEntriesOf } from '../ledger/move-status.ts'
import { reviewCommission } from './review-commission.ts'

/**
 * Approves or voids several commissions. A clawback that changes together with its entry is not reported as already reviewed; one that
 * another user reviewed concurrently is.
 */
export async function reviewCommissions(
  tx: Tx,
  accountId: number,
  ids: number[],
  decision: UpdateCommission['status'],
): Promise<BulkResult> {
  // Locked together: one at a time, a clawback would lock its older entry after newer ones, and deadlock with a rejection.
  await lockEntriesOf(tx, accountId, ids)
  const moved = new Set<number>()
  return decideEach(ids, async id => {
    // A clawback is always newer than its entry, so the entry has been reviewed before it.
    if (moved.has(id)) return
    await reviewCommission(tx, accountId, id, decision, movedIds => {
      for (const each of movedIds) moved.add(each)
    })
  })
}
