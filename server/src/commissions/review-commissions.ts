import type { UpdateCommission } from '@tributary/contract'
import type { BulkResult } from '@tributary/contract/dashboard'
import type { Tx } from '../db/database.ts'
import { decideEach } from '../kit/bulk.ts'
import { findFollowers } from './commission-list.store.ts'
import { reviewCommission } from './review-commission.ts'

/**
 * Approves or voids several commissions. What takes back from another of them moves along with it, and is not refused for having
 * moved already.
 */
export async function reviewCommissions(
  tx: Tx,
  accountId: number,
  ids: number[],
  decision: UpdateCommission['status'],
): Promise<BulkResult> {
  const followed = await findFollowers(tx, accountId, ids)
  const done = new Set<number>()
  return decideEach(ids, async id => {
    // A clawback is always younger than what it takes back from, so that one has been decided about before.
    if (!done.has(followed.get(id) ?? 0)) await reviewCommission(tx, accountId, id, decision)
    done.add(id)
  })
}
