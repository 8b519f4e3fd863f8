import type { Db } from '../../db/database.ts'
import { invalidState, notFound } from '../../kit/domain-error.ts'
import { recordOutcome } from './payment-outcome.store.ts'
import { lockPayout } from './payout.store.ts'

/**
 * Cancels a payout that has not been sent to its rail. Settling it, which releases its commissions for the next payout, is left
 * to the service. Returns the number of items.
 */
export function recordCancellation(db: Db, accountId: number, id: number): Promise<number> {
  return db.transaction(async tx => {
    const payout = await lockPayout(tx, accountId, id)
    if (!payout) throw notFound('payout')
    if (payout.status !== 'pending')
      throw invalidState(
        `The payout is ${payout.status}; only a pending payout can be canceled.${payout.status === 'processing' ? ' Mark its unpaid items failed instead.' : ''}`,
      )
    const canceled = { outcome: 'canceled', reason: null, reference: null } as const
    return (await recordOutcome(tx, accountId, id, undefined, canceled)).length
  })
}
