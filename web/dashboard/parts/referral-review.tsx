import { Button, List, Text } from '@mantine/core'
import type { ReferralSummary, Sum } from '@tributary/contract/dashboard'
import { type ReactNode, useState } from 'react'
import { money } from '../../ui/format.ts'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { MOST_ROWS, useReview } from './use-review.ts'

type Decision = 'approved' | 'rejected'
type Reviewed = Pick<ReferralSummary, 'id' | 'status' | 'commissions' | 'customer_ref'>

const decisions = {
  approved: { verb: 'Approve', colour: undefined, from: ['pending_review'] },
  rejected: { verb: 'Reject', colour: 'red', from: ['pending_review', 'approved'] },
} as const

const open = (rows: Reviewed[], decision: Decision) =>
  rows.filter(({ status }) => (decisions[decision].from as readonly string[]).includes(status))

const referrals = (count: number) => (count === 1 ? '1 referral' : `${count} referrals`)

/** What the rows earned in these statuses, a sum for each currency. */
function earned(rows: Reviewed[], statuses: string[]): string | null {
  const sums = new Map<string, number>()
  for (const { status, currency, amount_minor } of rows.flatMap(({ commissions }) => commissions))
    if (statuses.includes(status)) sums.set(currency, (sums.get(currency) ?? 0) + amount_minor)
  const found: Sum[] = [...sums].map(([currency, amount_minor]) => ({ currency, amount_minor }))
  const texts = found
    .filter(({ amount_minor }) => amount_minor > 0)
    .map(({ amount_minor, currency }) => money(amount_minor, currency))
  return texts.length > 0 ? texts.join(' and ') : null
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

/** The decision about referrals: asks first, and says what follows for the money. */
export function useReferralReview() {
  const [asked, setAsked] = useState<{ rows: Reviewed[]; decision: Decision; sent?: () => void } | null>(null)
  const review = useReview('reviewReferrals')
  const ask = (rows: Reviewed[], decision: Decision, sent?: () => void) => setAsked({ rows, decision, sent })
  if (!asked) return { ask, dialog: null }
  const { rows, decision, sent } = asked
  const decidable = open(rows, decision)
  const others = rows.length - decidable.length
  const { verb, colour } = decisions[decision]
  const close = () => setAsked(null)
  const dialog = (
    <ConfirmDialog
      title={`${verb} ${referrals(decidable.length)}?`}
      confirm={`${verb} ${referrals(decidable.length)}`}
      colour={colour}
      onClose={close}
      onConfirm={() => {
        review.mutate({ ids: decidable.map(({ id }) => id), status: decision })
        sent?.()
        close()
      }}
    >
      <Consequences rows={decidable} decision={decision} />
      {others > 0 && (
        <Text size="sm" c="dimmed">
          {referrals(others)} of the selection {others === 1 ? 'is' : 'are'} decided already and{' '}
          {others === 1 ? 'stays' : 'stay'} as {others === 1 ? 'it is' : 'they are'}.
        </Text>
      )}
    </ConfirmDialog>
  )
  return { ask, dialog }
}

/** The two decisions, for one referral or for a selection. */
export function ReviewButtons({
  rows,
  ask,
  size,
}: {
  rows: Reviewed[]
  ask: (rows: Reviewed[], decision: Decision) => void
  size?: string
}) {
  if (rows.length > MOST_ROWS)
    return (
      <Text size="sm" c="orange">
        Select at most {MOST_ROWS} at once.
      </Text>
    )
  // For a single one, a decision that cannot follow is no choice.
  const choices = (['approved', 'rejected'] as const).filter(
    decision => rows.length > 1 || open(rows, decision).length > 0,
  )
  return choices.map(decision => (
    <Button
      key={decision}
      size={size}
      variant={decision === 'approved' ? 'filled' : 'light'}
      color={decisions[decision].colour}
      disabled={open(rows, decision).length === 0}
      onClick={() => ask(rows, decision)}
    >
      {decisions[decision].verb}
    </Button>
  ))
}
