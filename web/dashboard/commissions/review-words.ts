import type { CommissionSummary } from '@tributary/contract/dashboard'
import { money } from '../../ui/format.ts'
import { sumsByCurrency } from '../../ui/sums.ts'

type Decision = 'approved' | 'void'
export type Reviewed = Pick<
  CommissionSummary,
  'id' | 'status' | 'payout_amount_minor' | 'payout_currency' | 'hold_until'
> & { referral?: { status: string } | null }

const worth = (rows: Reviewed[]) =>
  sumsByCurrency(
    rows.map(({ payout_currency, payout_amount_minor }) => ({
      currency: payout_currency,
      amount_minor: payout_amount_minor,
    })),
  )
    .map(([currency, minor]) => money(minor, currency))
    .join(' and ')

/** What a decision about commissions leads to. */
export function consequences(rows: Reviewed[], decision: Decision, now = Date.now()): string {
  if (decision === 'void')
    return `${worth(rows)} is no longer owed. A voided commission stays in the ledger and cannot be approved again; an adjustment could still make up for it.`
  const isInReview = rows.some(({ referral }) => referral?.status === 'pending_review')
  const isHeld = rows.some(({ hold_until }) => hold_until !== null && Date.parse(hold_until) > now)
  return `${worth(rows)} becomes payable with the next payout.${
    isHeld ? ' The hold ends early: a refund after that is taken back from later payouts.' : ''
  }${isInReview ? ' Its referral still waits for review: if that is rejected, it is taken back.' : ''}`
}
