import { Button, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { texts } from './en.ts'
import { type DecisionOf, MOST_ROWS, type ReviewRoute, useReview } from './use-review.ts'

/** What is reviewed: its labels, which rows a decision still applies to, and the consequences. */
interface DecisionKind<Row, Decision extends string> {
  noun: string
  decisions: Record<Decision, { verb: string; colour: string | undefined }>
  isOpen: (row: Row, decision: Decision) => boolean
  /** Why a decision doesn't apply to the rest of a selection, as in "2 referrals in your selection are …". */
  closed: string
  consequences: (rows: Row[], decision: Decision) => ReactNode
}

export interface ReviewKind<Row, Id extends ReviewRoute> extends DecisionKind<Row, DecisionOf<Id>> {
  route: Id
}

/** A decision about one or more rows: confirms it with its consequences, and skips rows it doesn't apply to. */
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
  const { verb, colour } = kind.decisions[decision]
  const close = () => setAsked(null)
  const dialog = (
    <ConfirmDialog
      title={texts.review.title(verb, open.length, kind.noun)}
      confirm={texts.review.confirm(verb, open.length, kind.noun)}
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
          {texts.review.skipped(others, kind.noun, kind.closed)}
        </Text>
      )}
    </ConfirmDialog>
  )
  return { ask, decide, dialog }
}

/** The decision buttons of one row or a selection. */
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
  if (rows.length > MOST_ROWS) return <Text size="sm">{texts.review.tooMany(MOST_ROWS)}</Text>
  const changes = (decision: Decision) => rows.some(row => kind.isOpen(row, decision))
  // For a single row, only decisions that apply are offered.
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
