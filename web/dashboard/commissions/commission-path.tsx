import { Timeline } from '@mantine/core'
import type { CommissionDetail } from '@tributary/contract/dashboard'
import { shortDate } from '../../ui/format.ts'
import { Money } from '../../ui/values.tsx'
import { sentence } from '../attribution/sentence.ts'
import { ruleText } from '../campaigns/rule-text.ts'
import { Copy } from '../shared/facts.tsx'
import { PageLink } from '../shared/named-links.tsx'
import { clawbackSteps, payoutSteps } from './commission-path-ends.tsx'
import { step } from './path-step.tsx'

const DAY_MS = 86_400_000

/** The path of an entry from the sale to the payout, and back where something was taken back. */
export function CommissionPath({ entry }: { entry: CommissionDetail }) {
  const steps = [
    saleStep(entry),
    ...originSteps(entry),
    ruleStep(entry),
    exchangeStep(entry),
    holdStep(entry),
    approvalStep(entry),
    ...payoutSteps(entry),
    ...clawbackSteps(entry),
  ].filter(Boolean)
  return (
    <Timeline bulletSize={18} lineWidth={2} active={-1}>
      {steps}
    </Timeline>
  )
}

function saleStep({ sale, referral }: CommissionDetail) {
  if (!sale) return null
  return step(
    'sale',
    'done',
    <>
      Sale of <Money minor={sale.amount_minor} currency={sale.currency} />
    </>,
    <>
      <Copy value={sale.external_id} label="Copy the sale’s id">
        {sale.external_id}
      </Copy>{' '}
      by customer{' '}
      {referral ? (
        <PageLink inText to={`referrals/${referral.id}`}>
          {sale.customer_ref}
        </PageLink>
      ) : (
        sale.customer_ref
      )}
    </>,
    sale.occurred_at,
  )
}

/** Where an entry comes from that no rule made. */
function originSteps(entry: CommissionDetail) {
  const { entry_type, clawback_of, refund, description } = entry
  if (entry_type === 'adjustment' && clawback_of) {
    const what = (
      <>
        A clawback of{' '}
        <PageLink inText to={`commissions/${clawback_of}`}>
          entry {clawback_of}
        </PageLink>{' '}
        was settled before that commission was voided. This gives it back.
      </>
    )
    return [step('origin', 'done', 'Clawback returned', what, entry.created_at)]
  }
  if (entry_type === 'adjustment') return [step('origin', 'done', 'Adjusted', description, entry.created_at)]
  if (entry_type !== 'clawback') return []
  const why = refund
    ? step(
        'refund',
        'done',
        <>
          Refund of <Money minor={refund.amount_minor} currency={refund.currency} />
        </>,
        <Copy value={refund.external_id} label="Copy the refund’s id">
          {refund.external_id}
        </Copy>,
        refund.occurred_at,
      )
    : step('refund', 'done', description ?? 'Taken back', null, entry.created_at)
  const from = clawback_of && (
    <>
      It takes back from{' '}
      <PageLink inText to={`commissions/${clawback_of}`}>
        entry {clawback_of}
      </PageLink>
      , in the same proportion as the money that went back to the customer.
    </>
  )
  return [why, step('clawback', 'done', 'Clawback', from, entry.created_at)]
}

function ruleStep({
  rule,
  amount_minor,
  currency,
  entry_type,
  beneficiary,
  campaign_id,
  campaign_name,
}: CommissionDetail) {
  if (!rule) return null
  const whom = beneficiary === 'referee' ? 'the new customer' : `the ${beneficiary}`
  return step(
    'rule',
    'done',
    <>
      {entry_type === 'credit' ? 'Credited' : 'Earned'} <Money minor={amount_minor} currency={currency} />
    </>,
    <>
      {ruleText(rule)}, to {whom}. Version {rule.version} of the rules of{' '}
      <PageLink inText to={`campaigns/${campaign_id}`}>
        {campaign_name}
      </PageLink>
      , in force since {shortDate(rule.created_at)}.
    </>,
  )
}

function exchangeStep(entry: CommissionDetail) {
  const { fx, currency, payout_currency } = entry
  if (!fx) return null
  return step(
    'exchange',
    'done',
    <>
      Exchanged into <Money minor={entry.payout_amount_minor} currency={payout_currency} />
    </>,
    <>
      1 {currency} was {fx.rate} {payout_currency} on the day of the sale{fx.source && ` (${fx.source})`}.
      Later rates change nothing.
    </>,
  )
}

function holdStep(entry: CommissionDetail) {
  const { hold_until, status, sale, referral, rule } = entry
  const days =
    hold_until && sale ? Math.round((Date.parse(hold_until) - Date.parse(sale.occurred_at)) / DAY_MS) : 0
  if (hold_until === null || days === 0)
    return rule && step('hold', 'done', 'No hold', 'The campaign holds nothing back.')
  const isOver = Date.parse(hold_until) <= Date.now()
  const isPending = status === 'pending'
  return step(
    'hold',
    isOver ? 'done' : isPending ? 'now' : 'ahead',
    <>
      {isOver ? 'Held until' : isPending ? 'On hold until' : 'Would have been held until'}{' '}
      {shortDate(hold_until)}
    </>,
    <>
      {days} days after the sale, so that a refund can still undo it.
      {isPending && !isOver && ' Then it is approved by itself, unless the referral waits for review.'}
      {isPending &&
        isOver &&
        referral?.status !== 'pending_review' &&
        ' The hold has passed: it is approved within minutes.'}
    </>,
    hold_until,
  )
}

function approvalStep(entry: CommissionDetail) {
  const { status, referral, entry_type, voided_at, voided_by_refund } = entry
  if (entry_type === 'payout') return null
  if (status === 'void') {
    const why = voided_by_refund
      ? `Refund ${voided_by_refund} took back the whole sale before it was approved.`
      : referral?.status === 'rejected'
        ? 'Its referral was rejected.'
        : 'A person voided it; the audit log says who, where it was done here.'
    return step('approval', 'ended', 'Voided', why, voided_at)
  }
  if (status !== 'pending')
    return step(
      'approval',
      'done',
      'Approved',
      entry.payout_amount_minor < 0
        ? 'It is deducted from what the affiliate is owed.'
        : 'It counts towards what the affiliate is owed.',
    )
  if (referral?.status === 'pending_review')
    return step(
      'approval',
      'now',
      'Waits for the review of its referral',
      <>
        {referral.flags.map(sentence).join(' ')}{' '}
        <PageLink inText to={`referrals/${referral.id}`}>
          Review the referral
        </PageLink>
      </>,
    )
  return step('approval', 'ahead', 'Approval', 'When the hold ends, or earlier by hand.')
}
