import type { CommissionDetail, CommissionPayout, ConnectorCredit } from '@tributary/contract/dashboard'
import { money } from '../../ui/format.ts'
import { Money } from '../../ui/values.tsx'
import { texts as sharedTexts } from '../shared/en.ts'
import { Copy } from '../shared/facts.tsx'
import { PageLink } from '../shared/named-links.tsx'
import { texts } from './en.ts'
import { nextPayoutText } from './next-payout-text.ts'
import { type StepState, step } from './timeline-step.tsx'

const states: Record<CommissionPayout['status'], StepState> = {
  pending: 'now',
  processing: 'now',
  paid: 'done',
  failed: 'ended',
  canceled: 'ended',
}

/** The payouts that included the commission, oldest first, or when it will be paid. */
export function payoutSteps(entry: CommissionDetail) {
  const steps = entry.payouts.toReversed().map(payout => {
    const { title, next } = texts.payouts[payout.status]
    const amount = money(payout.amount_minor, payout.currency)
    const method = sharedTexts.payoutMethods[payout.rail]
    return step(
      `payout-${payout.item_id}`,
      states[payout.status],
      <>
        {title}{' '}
        <PageLink inText to={`payouts/${payout.id}`}>
          {texts.payouts.link(payout.id)}
        </PageLink>
      </>,
      <>
        {texts.payouts.payment(payout.item_id, amount, method, payout.reference)}{' '}
        {payout.reason && `${payout.reason}. `}
        {next}
      </>,
      payout.settled_at ?? payout.created_at,
    )
  })
  if (entry.status === 'void' || entry.status === 'paid' || entry.entry_type === 'payout') return steps
  if (entry.payouts.some(({ status }) => status === 'pending' || status === 'processing')) return steps
  return [...steps, step('payout', 'ahead', texts.timeline.payout, nextPayoutText(entry))]
}

const creditStates: Record<ConnectorCredit['status'], StepState> = {
  pending: 'now',
  granted: 'done',
  taken_back: 'ended',
  failed: 'ended',
}

/** How credit was granted at the billing provider, and taken back. */
export function creditSteps({ credits }: CommissionDetail) {
  return credits.map(credit => {
    const { id, status, customer, problem, external_id } = credit
    return step(
      `credit-${id}`,
      creditStates[status],
      <>
        {texts.credits[status]}{' '}
        <Money
          minor={credit.balance_minor ?? credit.amount_minor}
          currency={credit.balance_currency ?? credit.currency}
        />
      </>,
      <>
        {customer !== null && texts.credits.customer(customer)} {problem}{' '}
        {external_id !== null && (
          <Copy value={external_id} label={texts.credits.copyId}>
            {external_id}
          </Copy>
        )}{' '}
        <PageLink inText to={`billing/${credit.connector_id}`}>
          {texts.credits.connector}
        </PageLink>
      </>,
      credit.created_at,
    )
  })
}

/** Clawbacks of the commission: taken, waived, or reversed because the commission was voided. */
export function clawbackSteps({ clawbacks, status }: CommissionDetail) {
  return clawbacks.map(clawback => {
    const isVoid = clawback.status === 'void'
    const isReversal = clawback.entry_type === 'adjustment'
    const title = isReversal ? 'reversed' : !isVoid ? 'taken' : status === 'void' ? 'voided' : 'waived'
    return step(
      `clawback-${clawback.id}`,
      isReversal ? 'done' : isVoid ? 'ahead' : 'ended',
      <>
        {texts.clawbacks[title]}{' '}
        <Money minor={clawback.payout_amount_minor} currency={clawback.payout_currency} />
      </>,
      <>
        {clawback.description} ({texts.statuses[clawback.status]}){' '}
        <PageLink inText to={`commissions/${clawback.id}`}>
          {texts.timeline.viewCommission(clawback.id)}
        </PageLink>
      </>,
      clawback.created_at,
    )
  })
}
