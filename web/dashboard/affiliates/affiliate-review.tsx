import { Button, Group, List, Text } from '@mantine/core'
import type { AffiliateSummary } from '@tributary/contract/dashboard'
import { texts as shared } from '../shared/en.ts'
import { type ReviewKind, useReviewDialog } from '../shared/review-dialog.tsx'
import { MOST_ROWS } from '../shared/use-review.ts'
import { ApplicantAnswers } from './affiliate-applications.tsx'
import { texts } from './en.ts'

const { review: labels } = texts

type Decision = 'approved' | 'rejected'
export type Reviewed = Pick<AffiliateSummary, 'id' | 'status'>

const decisions = {
  approved: { verb: labels.approve, colour: undefined, variant: 'filled' },
  rejected: { verb: labels.reject, colour: 'red', variant: 'light', asksReason: true },
} as const

const others = (rows: Reviewed[], decision: Decision) => rows.filter(({ status }) => status !== decision)

const review: ReviewKind<Reviewed, 'reviewAffiliates'> = {
  route: 'reviewAffiliates',
  noun: shared.review.nouns.affiliate,
  decisions,
  refusal: ({ status }, decision) => (status === decision ? labels.alreadyDecided : null),
  consequences: (rows, decision) => (
    <>
      {rows.length === 1 && rows[0] && <ApplicantAnswers affiliateId={rows[0].id} />}
      <List size="sm" spacing={4}>
        {labels.consequences[decision].map(line => (
          <List.Item key={line}>{line}</List.Item>
        ))}
      </List>
    </>
  ),
}

/** Approves or rejects affiliates: `decide` at once, `ask` after a confirmation. */
export const useAffiliateReview = () => useReviewDialog(review)

/** The decisions that would change one of these rows. */
export function AffiliateReviewButtons({
  rows,
  onDecide,
  size,
  describedBy,
}: {
  rows: Reviewed[]
  onDecide: (rows: Reviewed[], decision: Decision) => void
  size?: string
  /** The id of the element that names the affiliate, where a page has several of these buttons. */
  describedBy?: string
}) {
  if (rows.length > MOST_ROWS) return <Text size="sm">{shared.review.tooMany(MOST_ROWS)}</Text>
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
