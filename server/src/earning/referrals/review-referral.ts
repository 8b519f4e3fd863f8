import type { Referral } from '@tributary/contract'
import type { Db } from '../../db/database.ts'
import { invalidState, notFound } from '../../kit/domain-error.ts'
import { takeBackEntries } from '../../money/commissions/take-back-entries.ts'
import { lockEntriesOfReferral } from '../../money/ledger/entries.ts'
import { approveFreeEntries } from '../../money/ledger/holds.ts'
import { everything } from '../../money/ledger/take-back.ts'
import { presentReferral } from './referral.presenter.ts'
import { findReferral, moveReferralStatus } from './referral.store.ts'
import type { ReferralRow } from './referral.ts'

/** Which decisions may follow which status: an approved referral may still be found out. */
const allowedFrom: Record<'approved' | 'rejected', ReferralRow['status'][]> = {
  approved: ['pending_review'],
  rejected: ['pending_review', 'approved'],
}

/**
 * Approves or rejects a referral, with what follows for the money: approval releases entries whose hold has passed; rejection
 * voids the pending ones and takes back the approved and paid ones.
 */
export function reviewReferral(
  db: Db,
  accountId: number,
  id: number,
  decision: 'approved' | 'rejected',
): Promise<Referral> {
  return db.transaction(async tx => {
    const moved = await moveReferralStatus(tx, accountId, id, allowedFrom[decision], decision)
    if (!moved) {
      const referral = await findReferral(tx, accountId, id)
      if (!referral) throw notFound('referral')
      throw invalidState(`The referral is ${referral.status} and cannot be ${decision}.`)
    }
    if (decision === 'approved') await approveFreeEntries(tx, accountId, id)
    else {
      const entries = await lockEntriesOfReferral(tx, accountId, id)
      await takeBackEntries(tx, accountId, entries, everything, {
        refundId: null,
        description: `Referral ${id} was rejected`,
      })
    }
    return presentReferral(moved)
  })
}
