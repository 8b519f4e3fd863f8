import type { CommissionSummary } from '@tributary/contract/dashboard'
import { money } from '../../ui/format.ts'
import { sumsByCurrency } from '../../ui/sums.ts'
import { listed } from '../shared/en.ts'
import { texts } from './en.ts'

type Decision = 'approved' | 'void'
export type Reviewed = Pick<
  CommissionSummary,
  'id' | 'status' | 'payout_amount_minor' | 'payout_currency' | 'hold_until'
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

/** The consequences of a decision about commissions. */
export function consequencesText(rows: Reviewed[], decision: Decision, now = Date.now()): string {
  if (decision === 'void') return texts.review.void(totalOf(rows))
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
