import type { CommissionDetail, CommissionPayout } from '@tributary/contract/dashboard'
import { Money } from '../../ui/values.tsx'
import { PageLink } from '../shared/named-links.tsx'
import { type StepState, step } from './path-step.tsx'
import { waitsFor } from './payout-wait.ts'

const rails: Record<string, string> = { manual: 'by hand', paypal: 'by PayPal' }

const ended: Record<CommissionPayout['status'], { title: string; state: StepState; next: string }> = {
  pending: { title: 'Taken up by', state: 'now', next: 'It has not been sent yet.' },
  processing: { title: 'On its way with', state: 'now', next: 'Whether it arrives is not known yet.' },
  paid: { title: 'Paid with', state: 'done', next: '' },
  failed: { title: 'Not paid with', state: 'ended', next: 'It went back to the next payout.' },
  canceled: {
    title: 'Not paid with',
    state: 'ended',
    next: 'The payment was cancelled; it went back to the next payout.',
  },
}

/** The payouts that took the entry up, oldest first; or what it still waits for. */
export function payoutSteps(entry: CommissionDetail) {
  const steps = entry.payouts.toReversed().map(payout => {
    const { title, state, next } = ended[payout.status]
    return step(
      `payout-${payout.item_id}`,
      state,
      <>
        {title}{' '}
        <PageLink inText to={`payouts/${payout.id}`}>
          payout {payout.id}
        </PageLink>
      </>,
      <>
        Item {payout.item_id} of <Money minor={payout.amount_minor} currency={payout.currency} />,{' '}
        {rails[payout.rail]}
        {payout.reference && `, reference ${payout.reference}`}. {payout.reason && `${payout.reason}. `}
        {next}
      </>,
      payout.settled_at ?? payout.created_at,
    )
  })
  if (entry.status === 'void' || entry.status === 'paid' || entry.entry_type === 'payout') return steps
  if (entry.payouts.some(({ status }) => status === 'pending' || status === 'processing')) return steps
  return [...steps, step('payout', 'ahead', 'Payout', waitsFor(entry))]
}

/** What was taken back of the entry, forgiven, or returned because the entry is void. */
export function clawbackSteps({ clawbacks, status }: CommissionDetail) {
  return clawbacks.map(clawback => {
    const isVoid = clawback.status === 'void'
    const isReturn = clawback.entry_type === 'adjustment'
    const title = isReturn
      ? 'Returned: '
      : !isVoid
        ? 'Taken back: '
        : status === 'void'
          ? 'Was to be taken back: '
          : 'Forgiven: '
    return step(
      `clawback-${clawback.id}`,
      isReturn ? 'done' : isVoid ? 'ahead' : 'ended',
      <>
        {title}
        <Money minor={clawback.payout_amount_minor} currency={clawback.payout_currency} />
      </>,
      <>
        {clawback.description},{' '}
        <PageLink inText to={`commissions/${clawback.id}`}>
          entry {clawback.id}
        </PageLink>
        , {clawback.status}
      </>,
      clawback.created_at,
    )
  })
}
