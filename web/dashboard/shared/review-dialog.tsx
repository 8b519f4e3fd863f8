import { Button, Modal, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { texts } from './en.ts'
import { ReasonFields } from './reason-fields.tsx'
import { refusalTexts } from './refusals.ts'
import { useReturnsFocus } from './returns-focus.ts'
import { type DecisionOf, MOST_ROWS, type ReviewRoute, type ShownStatuses, useReview } from './use-review.ts'

/** Why something is rejected or voided, and whether the affiliate sees it. */
interface Reason {
  reason?: string
  share_reason?: boolean
}

/** What is reviewed: its labels, which rows a decision still applies to, and the consequences. */
interface DecisionKind<Row, Decision extends string> {
  noun: string
  decisions: Record<Decision, { verb: string; colour: string | undefined; asksReason?: boolean }>
  /** Why the decision doesn't apply to a row, as in "2 referrals in your selection are …"; null if it does. */
  refusal: (row: Row, decision: Decision) => string | null
  /** Whether the affiliate can see a reason given for these rows; always by default. */
  sharesReason?: (rows: Row[]) => boolean
  consequences: (rows: Row[], decision: Decision) => ReactNode
}

export interface ReviewKind<Row, Id extends ReviewRoute> extends DecisionKind<Row, DecisionOf<Id>> {
  route: Id
  /** What the page shows of the rows, for a decision that applies only as long as it is true. */
  shown?: (rows: Row[]) => ShownStatuses
}

/** A decision about one or more rows: confirms it with its consequences, and skips rows it doesn't apply to. */
export function useReviewDialog<Row extends { id: number }, Id extends ReviewRoute>(
  kind: ReviewKind<Row, Id>,
) {
  type Decision = DecisionOf<Id>
  const [asked, setAsked] = useState<{ rows: Row[]; decision: Decision; sent?: () => void } | null>(null)
  const review = useReview(kind.route)
  const [reason, setReason] = useState('')
  const [isShared, setShared] = useState(false)
  const decide = (rows: Row[], status: Decision, why: Reason = {}) =>
    review.mutate({ ids: rows.map(({ id }) => id), status, ...kind.shown?.(rows), ...why })
  const ask = (rows: Row[], decision: Decision, sent?: () => void) => setAsked({ rows, decision, sent })
  if (!asked) return { ask, decide, dialog: null }
  const { rows, decision, sent } = asked
  const open = rows.filter(row => kind.refusal(row, decision) === null)
  const refusals = refusalTexts(
    rows.flatMap(row => kind.refusal(row, decision) ?? []),
    kind.noun,
  )
  const { verb, colour, asksReason } = kind.decisions[decision]
  const close = () => {
    setAsked(null)
    setReason('')
    setShared(false)
  }
  if (open.length === 0)
    return { ask, decide, dialog: <RefusedDialog verb={verb} refusals={refusals} onClose={close} /> }
  const dialog = (
    <ConfirmDialog
      title={texts.review.title(verb, open.length, kind.noun)}
      confirm={texts.review.confirm(verb, open.length, kind.noun)}
      colour={colour}
      onClose={close}
      onConfirm={() => {
        const text = reason.trim()
        decide(open, decision, asksReason && text ? { reason: text, share_reason: isShared } : {})
        sent?.()
        close()
      }}
    >
      {kind.consequences(open, decision)}
      {asksReason && (
        <ReasonFields
          reason={reason}
          onReason={setReason}
          canBeShared={kind.sharesReason?.(open) ?? true}
          isShared={isShared}
          onShared={setShared}
        />
      )}
      <Refusals refusals={refusals} />
    </ConfirmDialog>
  )
  return { ask, decide, dialog }
}

function Refusals({ refusals }: { refusals: string[] }) {
  return refusals.map(sentence => (
    <Text key={sentence} size="sm" c="dimmed">
      {sentence}
    </Text>
  ))
}

/** Nothing in the selection can take part: says why. */
function RefusedDialog({
  verb,
  refusals,
  onClose,
}: {
  verb: string
  refusals: string[]
  onClose: () => void
}) {
  useReturnsFocus()
  return (
    <Modal
      opened
      centered
      onClose={onClose}
      title={texts.review.noneOpen(verb)}
      closeButtonProps={{ 'aria-label': texts.actions.close }}
    >
      <Refusals refusals={refusals} />
    </Modal>
  )
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
  const changes = (decision: Decision) => rows.some(row => kind.refusal(row, decision) === null)
  // For a single row, only decisions that apply are offered. In a selection each is, and says why it doesn't apply.
  const choices = (Object.keys(kind.decisions) as Decision[]).filter(
    decision => rows.length > 1 || changes(decision),
  )
  return choices.map(decision => (
    <Button
      key={decision}
      size={size}
      variant={kind.decisions[decision].colour ? 'light' : 'filled'}
      color={kind.decisions[decision].colour}
      onClick={() => ask(rows, decision)}
    >
      {kind.decisions[decision].verb}
    </Button>
  ))
}
