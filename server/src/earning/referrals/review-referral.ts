import type { Referral } from '@tributary/contract'
import type { Db } from '../../db/database.ts'
import { invalidState, notFound } from '../../kit/domain-error.ts'
import { takeBackEntries } from '../../money/commissions/take-back-entries.ts'
import { lockEntriesOfReferral } from '../../money/ledger/entries.ts'
import { approveReleasableEntries } from '../../money/ledger/holds.ts'
import { everything } from '../../money/ledger/take-back.ts'
import { presentReferral } from './referral.presenter.ts'
import { findReferral, moveReferralStatus } from './referral.store.ts'
import type { ReferralRow } from './referral.ts'

/** The allowed status transitions: an approved referral can still be rejected. */
const allowedFrom: Record<'approved' | 'rejected', ReferralRow['status'][]> = {
  approved: ['pending_review'],
  rejected: ['pending_review', 'approved'],
}

/**
 * Approves or rejects a referral and updates its commissions: approval releases entries whose hold has passed; rejection voids pending
 * entries and claws back approved and paid ones.
 */
export function reviewReferral(
  db: Db,
  accountId: number,
  id: number,
  decision: 'approved' | 'rejected',
  rejection?: { reason: string; isShared: boolean },
): Promise<Referral> {
  return db.transaction(async tx => {
    const moved = await moveReferralStatus(tx, accountId, id, allowedFrom[decision], decision, rejection)
    if (!moved) {
      const referral = await findReferral(tx, accountId, id)
      if (!referral) throw notFound('referral')
      throw invalidState(`The referral is ${referral.status} and can't be ${decision}.`)
    }
    if (decision === 'approved') await approveReleasableEntries(tx, accountId, id)
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
