import { Button, Group, List, Text } from '@mantine/core'
import type { AffiliateSummary } from '@tributary/contract/dashboard'
import { type ReviewKind, useReviewDialog } from '../shared/review-dialog.tsx'
import { MOST_ROWS } from '../shared/use-review.ts'

type Decision = 'approved' | 'rejected'
export type Reviewed = Pick<AffiliateSummary, 'id' | 'status'>

const decisions = {
  approved: { verb: 'Approve', colour: undefined, variant: 'filled' },
  rejected: { verb: 'Reject', colour: 'red', variant: 'light' },
} as const

const consequences: Record<Decision, string[]> = {
  approved: [
    'They can sign in to the portal, and conversions through their links and codes are credited to them.',
    'Conversions from while they were pending are credited, within the attribution window, where the campaign looks back.',
    'What they have earned can be paid out.',
    'Webhook endpoints that listen to promoter.approved are told of each.',
  ],
  rejected: [
    'New conversions are no longer credited to them, later sales earn nothing, and they cannot sign in.',
    'What they have earned stays, but is excluded from payouts. Payouts created before are not changed.',
    'You can approve them again at any time.',
  ],
}

const others = (rows: Reviewed[], decision: Decision) => rows.filter(({ status }) => status !== decision)

const review: ReviewKind<Reviewed, 'reviewAffiliates'> = {
  route: 'reviewAffiliates',
  noun: 'affiliate',
  decisions,
  isOpen: ({ status }, decision) => status !== decision,
  closed: 'in that state already',
  consequences: (_rows, decision) => (
    <List size="sm" spacing={4}>
      {consequences[decision].map(line => (
        <List.Item key={line}>{line}</List.Item>
      ))}
    </List>
  ),
}

/** Lets affiliates in or turns them away: one at once, several after asking. */
export const useAffiliateReview = () => useReviewDialog(review)

/** The decisions that change something about these rows. */
export function AffiliateReviewButtons({
  rows,
  onDecide,
  size,
  describedBy,
}: {
  rows: Reviewed[]
  onDecide: (rows: Reviewed[], decision: Decision) => void
  size?: string
  /** The element that names whom a button is about, where several stand on a page. */
  describedBy?: string
}) {
  if (rows.length > MOST_ROWS) return <Text size="sm">Select at most {MOST_ROWS} at once.</Text>
  return (
    <Group gap="xs" wrap="nowrap">
      {(['approved', 'rejected'] as const)
        .filter(decision => others(rows, decision).length > 0)
        .map(decision => (
          <Button
            key={decision}
            size={size}
            variant={decisions[decision].variant}
            color={decisions[decision].colour}
            onClick={() => onDecide(rows, decision)}
            aria-describedby={describedBy}
          >
            {decisions[decision].verb}
          </Button>
        ))}
    </Group>
  )
}
