import { expect } from 'vitest'
import { reportConversion } from '../../src/earning/conversions/report-conversion.ts'
import { reviewReferral } from '../../src/earning/referrals/review-referral.ts'
import { reportRefund } from '../../src/earning/refunds/report-refund.ts'
import { reportSale } from '../../src/earning/sales/report-sale.ts'
import { adjustBalance } from '../../src/money/commissions/adjust-balance.ts'
import { reviewCommission } from '../../src/money/commissions/review-commission.ts'
import { releaseHolds } from '../../src/money/ledger/holds.ts'
import { updateAffiliate } from '../../src/programme/affiliates/update-affiliate.ts'
import { unique } from '../factories.ts'
import type { ModelAffiliate, ModelCampaign, ModelReferral } from './model.ts'
import type { Ground, Steps } from './walk.ts'

const DAY_MS = 86_400_000

/** What customers and merchants do before anything is paid. */
export function saleSteps({
  db,
  accountId,
  campaigns,
  affiliates,
  currencies,
  chance,
  model,
}: Ground): Steps {
  const anyCampaign = () => chance.pick(campaigns) as ModelCampaign
  const anyAffiliate = () => chance.pick(affiliates) as ModelAffiliate
  const allSales = () => [
    ...model.referrals.flatMap(({ sales }) => sales),
    ...model.kept.map(({ sale }) => sale),
  ]

  async function sellTo(referral: ModelReferral): Promise<void> {
    const isAged = chance.is(0.5)
    const amount = chance.below(chance.is(0.3) ? 20 : 100_000)
    const currency = chance.pick(currencies) as string
    const externalId = unique('sale')
    const request = {
      customer_ref: referral.customer,
      external_id: externalId,
      amount_minor: amount,
      currency,
      occurred_at: new Date(Date.now() - (isAged ? 100 : 0) * DAY_MS).toISOString(),
    }
    const { result } = await reportSale(db, accountId, request)
    const sale = model.sell(referral, { externalId, amount: BigInt(amount), currency }, isAged)
    expect(result.commissions).toHaveLength(sale.entries.length)
    expect((await reportSale(db, accountId, request)).created).toBe(false)
  }

  return {
    convert: async () => {
      const [campaign, affiliate, isTest] = [anyCampaign(), anyAffiliate(), chance.is(0.2)]
      const customer = unique('customer')
      const request = {
        campaign_id: campaign.id,
        customer_ref: customer,
        token: affiliate.token,
        is_test: isTest,
      }
      const { created, result } = await reportConversion(db, accountId, request)
      expect(created).toBe(affiliate.status === 'approved')
      expect((await reportConversion(db, accountId, request)).created).toBe(false)
      if (!result.referral) return
      const status = campaign.reviews ? 'pending_review' : 'approved'
      expect(result.referral.status).toBe(status)
      model.referrals.push({
        id: result.referral.id,
        customer,
        campaign,
        affiliate,
        isTest,
        status,
        sales: [],
      })
    },

    sell: async () => {
      // A few at a time: comparing everything after each step is what takes long, and payouts need something to pay.
      for (const referral of chance.some(model.referrals).slice(0, 3)) await sellTo(referral)
    },

    refund: async () => {
      const sale = chance.pick(allSales().filter(({ amount, refunded }) => refunded < amount))
      if (!sale) return
      const left = Number(sale.amount - sale.refunded)
      const isRest = chance.is(0.3)
      const amount = isRest ? left : 1 + chance.below(left)
      const request = {
        external_id: unique('refund'),
        sale_external_id: sale.externalId,
        ...(!isRest && { amount_minor: amount }),
      }
      await reportRefund(db, accountId, request)
      model.refund(sale, BigInt(amount))
      expect((await reportRefund(db, accountId, request)).created).toBe(false)
    },

    'refund too much': async () => {
      const sale = chance.pick(allSales())
      if (!sale) return
      const amount_minor = Number(sale.amount - sale.refunded) + 1
      const request = { external_id: unique('refund'), sale_external_id: sale.externalId, amount_minor }
      await expect(reportRefund(db, accountId, request)).rejects.toMatchObject({ code: 'validation_failed' })
    },

    'review a commission': async () => {
      // Mostly one that can be; often a clawback apart from its entry, or an entry whose clawback was decided before it.
      const pending = model.entries.filter(({ status }) => status === 'pending')
      const apart = pending.filter(
        one => one.of !== null || model.clawbacks(one).some(({ status }) => status !== 'pending'),
      )
      const entry = chance.pick(chance.is(0.6) ? apart : chance.is(0.7) ? pending : model.entries)
      if (!entry) return
      const decision = chance.is(0.5) ? 'approved' : 'void'
      const work = reviewCommission(db, accountId, entry.id, decision)
      if (entry.status !== 'pending') await expect(work).rejects.toMatchObject({ code: 'invalid_state' })
      else {
        await work
        model.settle(entry, decision)
      }
    },

    'review a referral': async () => {
      const referral = chance.pick(model.referrals)
      if (!referral) return
      const decision = chance.is(0.8) ? 'approved' : 'rejected'
      const isAllowed =
        referral.status === 'pending_review' || (referral.status === 'approved' && decision === 'rejected')
      const work = reviewReferral(db, accountId, referral.id, decision)
      if (!isAllowed) await expect(work).rejects.toMatchObject({ code: 'invalid_state' })
      else {
        await work
        model.review(referral, decision)
      }
    },

    'review an affiliate': async () => {
      const affiliate = anyAffiliate()
      // Mostly approved, so that there is an affiliate to pay.
      affiliate.status = chance.is(0.85) ? 'approved' : 'rejected'
      await updateAffiliate(db, accountId, affiliate.id, { status: affiliate.status })
    },

    adjust: async () => {
      const campaign = anyCampaign()
      for (const affiliate of chance.some(affiliates)) {
        const amountMinor = (1 + chance.below(5000)) * (chance.is(0.7) ? 1 : -1)
        await adjustBalance(db, accountId, {
          affiliateId: affiliate.id,
          campaignId: campaign.id,
          amountMinor,
          description: 'manual',
        })
        model.adjust(campaign, affiliate, BigInt(amountMinor))
      }
    },

    'release holds': async () => {
      await releaseHolds(db)
      model.releaseHolds()
    },
  }
}
