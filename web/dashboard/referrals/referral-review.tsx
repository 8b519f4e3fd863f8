import { List } from '@mantine/core'
import type { ReferralSummary } from '@tributary/contract/dashboard'
import type { ReactNode } from 'react'
import { texts as sharedTexts } from '../shared/en.ts'
import type { ReviewKind } from '../shared/review-dialog.tsx'
import { texts } from './en.ts'
import { earnedText } from './review-text.ts'

const { approve, reject } = texts.review
const { nouns, verbs } = sharedTexts.review

type Decision = 'approved' | 'rejected'
type Reviewed = Pick<ReferralSummary, 'id' | 'status' | 'commissions' | 'customer_ref'>

const openFor: Record<Decision, string[]> = {
  approved: ['pending_review'],
  rejected: ['pending_review', 'approved'],
}

function Consequences({ rows, decision }: { rows: Reviewed[]; decision: Decision }) {
  const pending = earnedText(rows, ['pending'])
  const settled = earnedText(rows, ['approved', 'paid'])
  const lines: ReactNode[] =
    decision === 'approved'
      ? [pending ? approve.pending(pending) : approve.none, approve.later]
      : [
          pending && reject.pending(pending),
          settled && reject.settled(settled),
          !pending && !settled && reject.none,
          reject.later,
          <b key="final">{reject.final}</b>,
        ]
  return (
    <List size="sm" spacing={4}>
      {lines.filter(Boolean).map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines keep their order.
        <List.Item key={index}>{line}</List.Item>
      ))}
    </List>
  )
}

export const referralReview: ReviewKind<Reviewed, 'reviewReferrals'> = {
  route: 'reviewReferrals',
  noun: nouns.referral,
  decisions: {
    approved: { verb: verbs.approved, colour: undefined },
    rejected: { verb: verbs.rejected, colour: 'red', asksReason: true },
  },
  refusal: ({ status }, decision) =>
    openFor[decision].includes(status) ? null : texts.review.refusals[status],
  consequences: (rows, decision) => <Consequences rows={rows} decision={decision} />,
}
