import type { CommissionSummary } from '@tributary/contract/dashboard'
import { money } from '../../ui/format.ts'
import { sumsByCurrency } from '../../ui/sums.ts'
import { listed } from '../shared/en.ts'
import { texts } from './en.ts'

type Decision = 'approved' | 'void'
export type Reviewed = Pick<
  CommissionSummary,
  'id' | 'status' | 'entry_type' | 'payout_id' | 'payout_amount_minor' | 'payout_currency' | 'hold_until'
> & { referral?: { status: string } | null }

const totalOf = (rows: Reviewed[]) =>
  listed(
    sumsByCurrency(
      rows.map(({ payout_currency, payout_amount_minor }) => ({
        currency: payout_currency,
        amount_minor: payout_amount_minor,
      })),
    ).map(([currency, minor]) => money(minor, currency)),
  )

/** Why a decision doesn't apply to a commission. An approved one can be voided while it is in no payout. */
export function refusalOf({ status, entry_type, payout_id }: Reviewed, decision: Decision): string | null {
  const { refusals } = texts.review
  if (status === 'pending') return null
  if (status === 'void') return refusals.void
  if (status === 'paid') return refusals.paid
  if (decision === 'approved') return refusals.approved
  if (payout_id !== null) return refusals.inPayout(payout_id)
  return entry_type === 'earned' || entry_type === 'credit' ? null : refusals.adjustment
}

/** The consequences of a decision about commissions. */
export function consequencesText(rows: Reviewed[], decision: Decision, now = Date.now()): string {
  if (decision === 'void') {
    const approved = rows.filter(({ status }) => status === 'approved')
    return [
      texts.review.void(totalOf(rows)),
      approved.length > 0 && texts.review.voidApproved(totalOf(approved)),
    ]
      .filter(Boolean)
      .join(' ')
  }
  const isInReview = rows.some(({ referral }) => referral?.status === 'pending_review')
  const isHeld = rows.some(({ hold_until }) => hold_until !== null && Date.parse(hold_until) > now)
  return [
    texts.review.approve(totalOf(rows)),
    isHeld && texts.review.endsHold,
    isInReview && texts.review.inReview,
  ]
    .filter(Boolean)
    .join(' ')
}
