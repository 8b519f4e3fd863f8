import { Button, Text } from '@mantine/core'
import type { CommissionSummary } from '@tributary/contract/dashboard'
import { useState } from 'react'
import { money } from '../../ui/format.ts'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { MOST_ROWS, useReview } from './use-review.ts'

type Decision = 'approved' | 'void'
type Reviewed = Pick<
  CommissionSummary,
  'id' | 'status' | 'payout_amount_minor' | 'payout_currency' | 'hold_until'
> & { referral?: { status: string } | null }

const verbs = { approved: 'Approve', void: 'Void' } as const
const colours = { approved: undefined, void: 'red' } as const

const open = (rows: Reviewed[]) => rows.filter(({ status }) => status === 'pending')
const commissions = (count: number) => (count === 1 ? '1 commission' : `${count} commissions`)

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

/** The decision about pending commissions: asks first, and says what follows. */
export function useCommissionReview() {
  const [asked, setAsked] = useState<{ rows: Reviewed[]; decision: Decision; sent?: () => void } | null>(null)
  const review = useReview('reviewCommissions')
  const ask = (rows: Reviewed[], decision: Decision, sent?: () => void) => setAsked({ rows, decision, sent })
  if (!asked) return { ask, dialog: null }
  const { rows, decision, sent } = asked
  const pending = open(rows)
  const others = rows.length - pending.length
  const close = () => setAsked(null)
  const dialog = (
    <ConfirmDialog
      title={`${verbs[decision]} ${commissions(pending.length)}?`}
      confirm={`${verbs[decision]} ${commissions(pending.length)}`}
      colour={colours[decision]}
      onClose={close}
      onConfirm={() => {
        review.mutate({ ids: pending.map(({ id }) => id), status: decision })
        sent?.()
        close()
      }}
    >
      <Text size="sm">{consequences(pending, decision)}</Text>
      {others > 0 && (
        <Text size="sm" c="dimmed">
          {commissions(others)} of the selection {others === 1 ? 'is' : 'are'} not pending and{' '}
          {others === 1 ? 'stays as it is' : 'stay as they are'}.
        </Text>
      )}
    </ConfirmDialog>
  )
  return { ask, dialog }
}

/** The two decisions, for one commission or for a selection. */
export function CommissionButtons({
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
  return (['approved', 'void'] as const).map(decision => (
    <Button
      key={decision}
      size={size}
      variant={decision === 'approved' ? 'filled' : 'light'}
      color={colours[decision]}
      disabled={open(rows).length === 0}
      onClick={() => ask(rows, decision)}
    >
      {verbs[decision]}
    </Button>
  ))
}
