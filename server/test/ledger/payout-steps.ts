import { expect } from 'vitest'
import type { PayableRow } from '../../src/money/ledger/payable.ts'
import { createPayout } from '../../src/money/payouts/create-payout.ts'
import { markPayments } from '../../src/money/payouts/mark-payments.ts'
import { previewPayout } from '../../src/money/payouts/preview-payout.ts'
import { cancelPayout } from '../payouts/ground.ts'
import { type ModelCampaign, sum } from './model.ts'
import type { Judgement } from './payout-model.ts'
import type { Ground, Steps } from './walk.ts'

const included = (judgements: Judgement[]) => judgements.filter(({ reason }) => reason === null)

function summaryOf(judgements: Judgement[]) {
  const excluded: Record<string, number> = {}
  for (const { reason } of judgements) if (reason) excluded[reason] = (excluded[reason] ?? 0) + 1
  const items = included(judgements)
  return { items: items.length, total_minor: Number(sum(items.map(({ amount }) => amount))), excluded }
}

const rowOf = ({ affiliate, amount, onHold, inReview, inPayout, entries, reason }: Judgement) => ({
  affiliate_id: affiliate.id,
  payable_minor: Number(amount),
  on_hold_minor: Number(onHold),
  in_review_minor: Number(inReview),
  in_payout_minor: Number(inPayout),
  balance_minor: Number(amount + onHold + inReview + inPayout),
  entries: entries.length,
  reason,
})

/** How money leaves, with everything that may go wrong on the way. */
export function payoutSteps({ db, accountId, campaigns, chance, model, payouts, met }: Ground): Steps {
  /** The dry run lists every affiliate, with the reason if excluded. */
  async function preview(campaign: ModelCampaign, rail: 'manual' | 'paypal', cutOff: string | undefined) {
    const foreseen = payouts.judge(campaign, cutOff, rail === 'paypal')
    for (const { reason } of foreseen) met.add(reason ?? 'included')
    const request = { campaignId: campaign.id, rail, cutOff }
    const rows: PayableRow[] = []
    const shown = await previewPayout(db, accountId, request, page => void rows.push(...page))
    expect(rows).toMatchObject(foreseen.map(rowOf))
    expect(shown).toMatchObject(summaryOf(foreseen))
    return shown.digest
  }

  const decide = (outcome: 'paid' | 'failed') => async () => {
    const payout = chance.pick(payouts.payouts.filter(one => payouts.openItems(one).length > 0))
    if (!payout) return
    const open = payouts.openItems(payout)
    const items = chance.is(0.2) ? open : chance.some(open)
    // Leaving the items out means all that are left, which is what a person does most.
    const ids = items.length === open.length && chance.is(0.5) ? undefined : items.map(({ id }) => id)
    const reported = { outcome, reason: null, reference: null }
    await markPayments(db, accountId, payout.id, reported, ids)
    payouts.decide(payout, items, outcome)
    met.add(payout.status)
    // What is decided stays decided, whatever is said later.
    for (const late of ['paid', 'failed'] as const)
      await expect(
        markPayments(
          db,
          accountId,
          payout.id,
          { ...reported, outcome: late },
          items.map(({ id }) => id),
        ),
      ).rejects.toMatchObject({ code: 'invalid_state' })
  }

  return {
    'create payout': async () => {
      const campaign = chance.pick(campaigns) as ModelCampaign
      const cutOff = chance.is(0.3) ? chance.pick(model.entries)?.createdAt : undefined
      if (campaign.payoutCurrency !== 'KWD') await preview(campaign, 'paypal', cutOff)
      const digest = await preview(campaign, 'manual', cutOff)
      const foreseen = payouts.judge(campaign, cutOff, false)
      const request = { campaignId: campaign.id, rail: 'manual', cutOff } as const
      const work = createPayout(db, accountId, chance.is(0.5) ? { ...request, digest } : request)
      if (included(foreseen).length === 0) {
        await expect(work).rejects.toMatchObject({ code: 'invalid_state' })
        return
      }
      const { id, ...made } = await work
      expect(made).toEqual({ ...summaryOf(foreseen), digest, cutOff: cutOff ?? expect.any(String) })
      payouts.open(id, campaign, foreseen)
    },

    'pay payout': decide('paid'),
    'fail items': decide('failed'),

    'cancel payout': async () => {
      const payout = chance.pick(payouts.payouts)
      if (!payout) return
      const work = cancelPayout(db, accountId, payout.id)
      if (payout.status !== 'pending') await expect(work).rejects.toMatchObject({ code: 'invalid_state' })
      else {
        await work
        payouts.decide(payout, payout.items, 'canceled')
        met.add(payout.status)
      }
    },
  }
}
