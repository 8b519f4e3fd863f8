import { Button, Group, List, Text } from '@mantine/core'
import type { AffiliateSummary } from '@tributary/contract/dashboard'
import { useState } from 'react'
import { texts as shared } from '../shared/en.ts'
import { type ReviewKind, useReviewDialog } from '../shared/review-dialog.tsx'
import { MOST_ROWS } from '../shared/use-review.ts'
import { ApplicantAnswers } from './affiliate-applications.tsx'
import { texts } from './en.ts'

const { review: labels } = texts

type Decision = 'approved' | 'rejected'
/** An affiliate's own page shows the answers anyway. */
export type Reviewed = Pick<AffiliateSummary, 'id' | 'name' | 'email' | 'status'> &
  Partial<Pick<AffiliateSummary, 'has_answers'>>

const decisions = {
  approved: { verb: labels.approve, colour: undefined, variant: 'filled' },
  rejected: { verb: labels.reject, colour: 'red', variant: 'light', asksReason: true },
} as const

const others = (rows: Reviewed[], decision: Decision) => rows.filter(({ status }) => status !== decision)

const review: ReviewKind<Reviewed, 'reviewAffiliates'> = {
  route: 'reviewAffiliates',
  noun: shared.review.nouns.affiliate,
  decisions,
  // A colleague may have decided since.
  shown: rows => ({ from: rows.map(({ id, status }) => ({ id, status })) }),
  refusal: ({ status }, decision) => (status === decision ? labels.alreadyDecided : null),
  consequences: (rows, decision) => (
    <>
      <Answers rows={rows} />
      <List size="sm" spacing={4}>
        {labels.consequences[decision].map(line => (
          <List.Item key={line}>{line}</List.Item>
        ))}
      </List>
    </>
  ),
}

/** What they answered: of one applicant at once, of several when each is opened. */
const Answers = ({ rows }: { rows: Reviewed[] }) =>
  rows.length === 1 && rows[0] ? (
    <ApplicantAnswers affiliateId={rows[0].id} />
  ) : (
    rows
      .filter(({ has_answers }) => has_answers)
      .map(({ id, name, email }) => <OpenedAnswers key={id} id={id} name={name ?? email} />)
  )

function OpenedAnswers({ id, name }: { id: number; name: string }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details onToggle={event => setOpen(event.currentTarget.open)}>
      <Text component="summary" size="sm" style={{ cursor: 'pointer', overflowWrap: 'anywhere' }}>
        {labels.answersOf(name)}
      </Text>
      {isOpen && <ApplicantAnswers affiliateId={id} />}
    </details>
  )
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
