import type { DashboardBody } from '@tributary/contract/dashboard'
import type { Db } from '../../db/database.ts'
import { reviewReferral } from '../../earning/referrals/review-referral.ts'
import { invalidState, notFound } from '../../kit/domain-error.ts'
import { lockAffiliate, setReviewReferrals } from '../../programme/affiliates/affiliate.store.ts'
import { updateAffiliate } from '../../programme/affiliates/update-affiliate.ts'
import {
  lockInReview,
  lockOpenSignalsBeside,
  type OpenSignal,
  saveDecision,
  signalExists,
} from './signal.store.ts'

/** Referrals that one decision rejects, each with its commissions. */
const MOST_REJECTED = 500

interface DecidedSignal {
  signal: OpenSignal
  /** The referrals that it rejected. */
  rejected: number[]
  left: boolean
}

/**
 * Carries out what a person decided about a signal. The open signals of the affiliate are locked first: of two decisions at once, the
 * second finds it decided and changes nothing. Blocking ends all of them.
 */
export function decideSignal(
  db: Db,
  accountId: number,
  id: number,
  {
    decision,
    reason = '',
    share_reason: isShared = false,
    up_to_referral_id: upTo = Number.MAX_SAFE_INTEGER,
  }: DashboardBody<'decideSignal'>,
): Promise<DecidedSignal> {
  const rejection = reason ? { reason, isShared } : undefined
  return db.transaction(async tx => {
    const open = await lockOpenSignalsBeside(tx, accountId, id)
    const signal = open.find(each => each.id === id)
    if (!signal) {
      if (!(await signalExists(tx, accountId, id))) throw notFound('signal')
      throw invalidState('The signal is not open any more.')
    }
    const { affiliate_id: affiliateId } = signal
    if (decision === 'hold') {
      await setReviewReferrals(tx, accountId, affiliateId, true)
    } else if (decision === 'block') {
      await updateAffiliate(tx, accountId, affiliateId, { status: 'rejected' }, { rejection })
    } else if (decision === 'reject') {
      const scope = { affiliateId, campaignId: signal.campaign_id, upTo }
      const found = await lockInReview(tx, accountId, scope, MOST_REJECTED + 1)
      if (found.length === 0) throw invalidState('The affiliate has no referrals in review.')
      const rejected = found.slice(0, MOST_REJECTED)
      for (const referral of rejected) await reviewReferral(tx, accountId, referral, 'rejected', rejection)
      if (found.length > rejected.length) return { signal, rejected, left: true }
      await saveDecision(tx, accountId, [id], { decision, reason: reason || null })
      return { signal, rejected, left: false }
    }
    const decided = decision === 'block' ? open.map(each => each.id) : [id]
    await saveDecision(tx, accountId, decided, { decision, reason: reason || null })
    return { signal, rejected: [], left: false }
  })
}

/** Holds an affiliate's new referrals for review, or ends that. Referrals that are in review stay there. */
export function holdAffiliate(db: Db, accountId: number, id: number, isHeld: boolean): Promise<void> {
  return db.transaction(async tx => {
    if (!(await lockAffiliate(tx, accountId, id))) throw notFound('affiliate')
    await setReviewReferrals(tx, accountId, id, isHeld)
  })
}
