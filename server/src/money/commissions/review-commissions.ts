import type { UpdateCommission } from '@tributary/contract'
import type { BulkResult } from '@tributary/contract/dashboard'
import type { Tx } from '../../db/database.ts'
import { decideEach } from '../../kit/bulk.ts'
import { invalidState } from '../../kit/domain-error.ts'
import { lockEntriesOf } from '../ledger/move-status.ts'
import { lockPayoutsOf } from '../ledger/pins.ts'
import { findCommission } from './commission.store.ts'
import { reviewCommission } from './review-commission.ts'
import { voidApproved } from './void-approved.ts'
import { voidDescription } from './void-description.ts'

/** Voids a commission in whichever way its status allows. */
async function voidOne(
  tx: Tx,
  accountId: number,
  id: number,
  description: string,
  onMoved: (ids: number[]) => void,
): Promise<void> {
  const known = await findCommission(tx, accountId, id)
  if (known?.status === 'paid')
    throw invalidState("The commission is paid and can't be voided. Adjust the balance instead.")
  if (known?.status === 'approved') await voidApproved(tx, accountId, id, description)
  else await reviewCommission(tx, accountId, id, 'void', onMoved)
}

/**
 * Approves or voids several commissions. Unlike the API, a person can also void an approved one that is in no payout. A clawback that changes together with its entry is not reported as already reviewed; one that
 * another user reviewed concurrently is.
 */
export async function reviewCommissions(
  tx: Tx,
  accountId: number,
  ids: number[],
  decision: UpdateCommission['status'],
  sharedReason?: string,
): Promise<BulkResult> {
  const description = voidDescription(sharedReason)
  if (decision === 'void') await lockPayoutsOf(tx, accountId, ids)
  // Locked together: one at a time, a clawback would lock its older entry after newer ones, and deadlock with a rejection.
  await lockEntriesOf(tx, accountId, ids)
  const moved = new Set<number>()
  return decideEach(ids, async id => {
    // A clawback is always newer than its entry, so the entry has been reviewed before it.
    if (moved.has(id)) return
    const onMoved = (movedIds: number[]) => {
      for (const each of movedIds) moved.add(each)
    }
    if (decision === 'void')
      await tx.transaction(inner => voidOne(inner, accountId, id, description, onMoved))
    else await reviewCommission(tx, accountId, id, decision, onMoved)
  })
}
