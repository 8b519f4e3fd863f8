import type { UpdateCommission } from '@tributary/contract'
import type { BulkResult } from '@tributary/contract/dashboard'
import type { Tx } from '../../db/database.ts'
import { decideEach } from '../../kit/bulk.ts'
import { lockEntriesOf } from '../ledger/move-status.ts'
import { reviewCommission } from './review-commission.ts'

/**
 * Approves or voids several commissions. A clawback that moves along with its entry is not refused for having moved already; one that
 * another person decided meanwhile is.
 */
export async function reviewCommissions(
  tx: Tx,
  accountId: number,
  ids: number[],
  decision: UpdateCommission['status'],
): Promise<BulkResult> {
  // All at once: one by one, a clawback would lock its older entry after younger ones, and deadlock with a rejection.
  await lockEntriesOf(tx, accountId, ids)
  const moved = new Set<number>()
  return decideEach(ids, async id => {
    // A clawback is always younger than its entry, so the entry has been decided before it.
    if (moved.has(id)) return
    await reviewCommission(tx, accountId, id, decision, along => {
      for (const each of along) moved.add(each)
    })
  })
}
