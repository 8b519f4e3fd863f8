import type { Db } from '../../db/database.ts'
import { invalidState, notFound } from '../../kit/domain-error.ts'
import { lockPayout } from './payout.store.ts'
import { recordVerdict } from './verdict.store.ts'

/**
 * Takes back a payout that has not been sent to its rail: writes it down and leaves the booking to the service, after which its
 * commissions are free for the next one. Returns how many items it is about.
 */
export function recordCancellation(db: Db, accountId: number, id: number): Promise<number> {
  return db.transaction(async tx => {
    const payout = await lockPayout(tx, accountId, id)
    if (!payout) throw notFound('payout')
    if (payout.status !== 'pending')
      throw invalidState(
        `The payout is ${payout.status}; only a pending one can be canceled.${payout.status === 'processing' ? ' Items that were not paid can be marked failed.' : ''}`,
      )
    const verdict = { outcome: 'canceled', reason: null, reference: null } as const
    return (await recordVerdict(tx, accountId, id, undefined, verdict)).length
  })
}
