import { Timeline } from '@mantine/core'
import type { CommissionDetail } from '@tributary/contract/dashboard'
import { money, shortDate } from '../../ui/format.ts'
import { flagText } from '../attribution/attribution-text.ts'
import { ruleText } from '../campaigns/rule-text.ts'
import { Copy, When } from '../shared/facts.tsx'
import { PageLink } from '../shared/named-links.tsx'
import { clawbackSteps, creditSteps, payoutSteps } from './commission-timeline-ends.tsx'
import { texts as areaTexts } from './en.ts'
import { step } from './timeline-step.tsx'

const texts = areaTexts.timeline

const DAY_MS = 86_400_000

/** The timeline of a commission: from the sale to the payout, and any clawbacks. */
export function CommissionTimeline({ entry }: { entry: CommissionDetail }) {
  const steps = [
    saleStep(entry),
    ...originSteps(entry),
    ruleStep(entry),
    exchangeStep(entry),
    holdStep(entry),
    approvalStep(entry),
    ...creditSteps(entry),
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
    texts.sale(money(sale.amount_minor, sale.currency)),
    <>
      <Copy value={sale.external_id} label={texts.copySale}>
        {sale.external_id}
      </Copy>
      {' · '}
      {texts.customer}{' '}
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

/** The origin of an entry that no rule created. */
function originSteps(entry: CommissionDetail) {
  const { entry_type, clawback_of, refund, description } = entry
  if (entry_type === 'adjustment' && clawback_of) {
    const what = (
      <>
        {texts.clawbackReversedWhy} <CommissionLink id={clawback_of} />
      </>
    )
    return [step('origin', 'done', texts.clawbackReversed, what, entry.created_at)]
  }
  if (entry_type === 'adjustment')
    return [step('origin', 'done', texts.adjusted, description, entry.created_at)]
  if (entry_type !== 'clawback') return []
  const why = refund
    ? step(
        'refund',
        'done',
        texts.refund(money(refund.amount_minor, refund.currency)),
        <Copy value={refund.external_id} label={texts.copyRefund}>
          {refund.external_id}
        </Copy>,
        refund.occurred_at,
      )
    : step('refund', 'done', description ?? texts.clawback, null, entry.created_at)
  const from = clawback_of && (
    <>
      {texts.clawbackShare} <CommissionLink id={clawback_of} />
    </>
  )
  return [why, step('clawback', 'done', texts.clawback, from, entry.created_at)]
}

const CommissionLink = ({ id }: { id: number }) => (
  <PageLink inText to={`commissions/${id}`}>
    {texts.viewCommission(id)}
  </PageLink>
)

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
  const amount = money(amount_minor, currency)
  return step(
    'rule',
    'done',
    entry_type === 'credit' ? texts.credited(amount) : texts.earned(amount),
    <>
      {texts.rule(ruleText(rule), areaTexts.beneficiaries[beneficiary])}{' '}
      {texts.ruleVersion(rule.version, shortDate(rule.created_at))}{' '}
      <PageLink inText to={`campaigns/${campaign_id}`}>
        {campaign_name}
      </PageLink>
    </>,
  )
}

function exchangeStep(entry: CommissionDetail) {
  const { fx, currency, payout_currency } = entry
  if (!fx) return null
  return step(
    'exchange',
    'done',
    texts.converted(money(entry.payout_amount_minor, payout_currency)),
    texts.rate(currency, fx.rate, payout_currency, fx.source),
  )
}

function holdStep(entry: CommissionDetail) {
  const { hold_until, status, sale, referral, rule } = entry
  const days =
    hold_until && sale ? Math.round((Date.parse(hold_until) - Date.parse(sale.occurred_at)) / DAY_MS) : 0
  if (hold_until === null || days === 0) return rule && step('hold', 'done', texts.noHold, texts.noHoldWhy)
  const isOver = Date.parse(hold_until) <= Date.now()
  const isPending = status === 'pending'
  return step(
    'hold',
    isOver ? 'done' : isPending ? 'now' : 'ahead',
    <>
      {texts.hold[isOver ? 'over' : isPending ? 'pending' : 'ahead']} <When time={hold_until} />
    </>,
    <>
      {texts.holdWhy(days)} {isPending && !isOver && texts.holdPending}
      {isPending && isOver && referral?.status !== 'pending_review' && texts.holdOver}
    </>,
  )
}

function approvalStep(entry: CommissionDetail) {
  const { status, referral, entry_type, voided_at, voided_by_refund } = entry
  if (entry_type === 'payout') return null
  if (status === 'void') {
    const why = voided_by_refund
      ? texts.voidedByRefund(voided_by_refund)
      : referral?.status === 'rejected'
        ? texts.voidedByReferral
        : texts.voidedManually
    return step('approval', 'ended', texts.voided, why, voided_at)
  }
  if (status !== 'pending')
    return step(
      'approval',
      'done',
      texts.approved,
      entry_type === 'credit'
        ? texts.grantable
        : entry.payout_amount_minor < 0
          ? texts.deducted
          : texts.payable,
    )
  if (referral?.status === 'pending_review')
    return step(
      'approval',
      'now',
      texts.inReview,
      <>
        {referral.flags.map(flagText).join(' ')}{' '}
        <PageLink inText to={`referrals/${referral.id}`}>
          {texts.reviewReferral}
        </PageLink>
      </>,
    )
  return step('approval', 'ahead', texts.approval, texts.approvalWhen)
}
