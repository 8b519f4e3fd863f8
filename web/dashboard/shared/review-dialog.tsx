import { Button, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { type DecisionOf, MOST_ROWS, type ReviewRoute, useReview } from './use-review.ts'

/** What is decided about: the words for it, which rows a decision can still move, and what follows from it. */
interface DecisionKind<Row, Decision extends string> {
  noun: string
  decisions: Record<Decision, { verb: string; colour: string | undefined }>
  isOpen: (row: Row, decision: Decision) => boolean
  /** Why a decision cannot move the rest of a selection, as in "2 referrals of the selection are …". */
  closed: string
  consequences: (rows: Row[], decision: Decision) => ReactNode
}

export interface ReviewKind<Row, Id extends ReviewRoute> extends DecisionKind<Row, DecisionOf<Id>> {
  route: Id
}

/** A decision about one row or many: asks first, says what follows, and leaves alone what it cannot move. */
export function useReviewDialog<Row extends { id: number }, Id extends ReviewRoute>(
  kind: ReviewKind<Row, Id>,
) {
  type Decision = DecisionOf<Id>
  const [asked, setAsked] = useState<{ rows: Row[]; decision: Decision; sent?: () => void } | null>(null)
  const review = useReview(kind.route)
  const decide = (rows: Row[], status: Decision) => review.mutate({ ids: rows.map(({ id }) => id), status })
  const ask = (rows: Row[], decision: Decision, sent?: () => void) => setAsked({ rows, decision, sent })
  if (!asked) return { ask, decide, dialog: null }
  const { rows, decision, sent } = asked
  const open = rows.filter(row => kind.isOpen(row, decision))
  const others = rows.length - open.length
  const counted = (count: number) => `${count} ${count === 1 ? kind.noun : `${kind.noun}s`}`
  const { verb, colour } = kind.decisions[decision]
  const close = () => setAsked(null)
  const dialog = (
    <ConfirmDialog
      title={`${verb} ${counted(open.length)}?`}
      confirm={`${verb} ${counted(open.length)}`}
      colour={colour}
      onClose={close}
      onConfirm={() => {
        decide(open, decision)
        sent?.()
        close()
      }}
    >
      {kind.consequences(open, decision)}
      {others > 0 && (
        <Text size="sm" c="dimmed">
          {counted(others)} of the selection {others === 1 ? 'is' : 'are'} {kind.closed} and{' '}
          {others === 1 ? 'stays as it is' : 'stay as they are'}.
        </Text>
      )}
    </ConfirmDialog>
  )
  return { ask, decide, dialog }
}

/** The decisions, for one row or for a selection. */
export function DecisionButtons<Row, Decision extends string>({
  kind,
  rows,
  ask,
  size,
}: {
  kind: DecisionKind<Row, Decision>
  rows: Row[]
  ask: (rows: Row[], decision: Decision) => void
  size?: string
}) {
  if (rows.length > MOST_ROWS) return <Text size="sm">Select at most {MOST_ROWS} at once.</Text>
  const changes = (decision: Decision) => rows.some(row => kind.isOpen(row, decision))
  // For a single one, a decision that cannot follow is no choice.
  const choices = (Object.keys(kind.decisions) as Decision[]).filter(
    decision => rows.length > 1 || changes(decision),
  )
  return choices.map(decision => (
    <Button
      key={decision}
      size={size}
      variant={kind.decisions[decision].colour ? 'light' : 'filled'}
      color={kind.decisions[decision].colour}
      disabled={!changes(decision)}
      onClick={() => ask(rows, decision)}
    >
      {kind.decisions[decision].verb}
    </Button>
  ))
}
