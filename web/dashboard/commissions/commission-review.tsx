import { Text } from '@mantine/core'
import type { CommissionSummary } from '@tributary/contract/dashboard'
import { money } from '../../ui/format.ts'
import type { ReviewKind } from '../shared/review-dialog.tsx'

type Decision = 'approved' | 'void'
type Reviewed = Pick<
  CommissionSummary,
  'id' | 'status' | 'payout_amount_minor' | 'payout_currency' | 'hold_until'
> & { referral?: { status: string } | null }

function worth(rows: Reviewed[]): string {
  const sums = new Map<string, number>()
  for (const { payout_currency, payout_amount_minor } of rows)
    sums.set(payout_currency, (sums.get(payout_currency) ?? 0) + payout_amount_minor)
  return [...sums].map(([currency, minor]) => money(minor, currency)).join(' and ')
}

function consequences(rows: Reviewed[], decision: Decision): string {
  if (decision === 'void')
    return `${worth(rows)} is no longer owed. A voided commission stays in the ledger and cannot be approved again; an adjustment could still make up for it.`
  const isInReview = rows.some(({ referral }) => referral?.status === 'pending_review')
  const isHeld = rows.some(({ hold_until }) => hold_until !== null && Date.parse(hold_until) > Date.now())
  return `${worth(rows)} becomes payable with the next payout.${
    isHeld ? ' The hold ends early: a refund after that is taken back from later payouts.' : ''
  }${isInReview ? ' Its referral still waits for review: if that is rejected, it is taken back.' : ''}`
}

export const commissionReview: ReviewKind<Reviewed, 'reviewCommissions'> = {
  route: 'reviewCommissions',
  noun: 'commission',
  decisions: { approved: { verb: 'Approve', colour: undefined }, void: { verb: 'Void', colour: 'red' } },
  isOpen: ({ status }) => status === 'pending',
  closed: 'not pending',
  consequences: (rows, decision) => <Text size="sm">{consequences(rows, decision)}</Text>,
}
