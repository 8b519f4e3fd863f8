import { List } from '@mantine/core'
import type { ReferralSummary } from '@tributary/contract/dashboard'
import type { ReactNode } from 'react'
import type { ReviewKind } from '../shared/review-dialog.tsx'
import { earned } from './review-words.ts'

type Decision = 'approved' | 'rejected'
type Reviewed = Pick<ReferralSummary, 'id' | 'status' | 'commissions' | 'customer_ref'>

const openFor: Record<Decision, string[]> = {
  approved: ['pending_review'],
  rejected: ['pending_review', 'approved'],
}

function Consequences({ rows, decision }: { rows: Reviewed[]; decision: Decision }) {
  const pending = earned(rows, ['pending'])
  const settled = earned(rows, ['approved', 'paid'])
  const lines: ReactNode[] =
    decision === 'approved'
      ? [
          pending
            ? `${pending} of pending commissions may go on: what has been held long enough is payable at once, the rest when its hold ends.`
            : 'No commission waits for this.',
          'Later sales of the customer earn commissions as usual.',
        ]
      : [
          pending && `${pending} of pending commissions is voided.`,
          settled &&
            `${settled} that was approved or paid is taken back: it is deducted from the affiliate’s next payouts.`,
          !pending && !settled && 'No commission is lost: none has been earned.',
          'Later sales of the customer earn nothing.',
          <b key="final">A rejected referral cannot be approved again.</b>,
        ]
  return (
    <List size="sm" spacing={4}>
      {lines.filter(Boolean).map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines never change their order.
        <List.Item key={index}>{line}</List.Item>
      ))}
    </List>
  )
}

export const referralReview: ReviewKind<Reviewed, 'reviewReferrals'> = {
  route: 'reviewReferrals',
  noun: 'referral',
  decisions: {
    approved: { verb: 'Approve', colour: undefined },
    rejected: { verb: 'Reject', colour: 'red' },
  },
  isOpen: ({ status }, decision) => openFor[decision].includes(status),
  closed: 'decided already',
  consequences: (rows, decision) => <Consequences rows={rows} decision={decision} />,
}
