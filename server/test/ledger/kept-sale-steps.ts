import type { CreateConversion } from '@tributary/contract'
import { expect } from 'vitest'
import { findConversion } from '../../src/earning/conversions/conversion.store.ts'
import { creditManually } from '../../src/earning/conversions/credit-manually.ts'
import { reportConversion } from '../../src/earning/conversions/report-conversion.ts'
import { reportSale } from '../../src/earning/sales/report-sale.ts'
import { unique } from '../factories.ts'
import type { ModelAffiliate, ModelCampaign } from './model.ts'
import type { Ground, Steps } from './walk.ts'

const DAY_MS = 86_400_000

/** Unattributed sales that may be refunded, and are credited when their conversion is reported. */
export function keptSaleSteps(ground: Ground): Steps {
  const { db, accountId, campaigns, affiliates, currencies, chance, model } = ground

  /** Reports the conversion as of before its sale and without evidence, and credits it as previewed. */
  async function creditByPerson(reported: CreateConversion, affiliate_id: number) {
    const { token: _, sale: __, ...rest } = reported
    const occurred_at = new Date(Date.now() - 101 * DAY_MS).toISOString()
    const { result } = await reportConversion(db, accountId, { ...rest, occurred_at })
    expect(result.referral).toBeNull()
    const { campaign_id, customer_ref } = rest
    const found = await db.transaction(tx => findConversion(tx, accountId, campaign_id, customer_ref))
    const request = { conversion_id: found?.id as number, campaign_id, affiliate_id, reason: 'A call' }
    const { digest } = await creditManually(db, accountId, { ...request, dry_run: true })
    return creditManually(db, accountId, { ...request, digest, dry_run: false })
  }

  return {
    'keep a sale': async () => {
      const [customer, isAged] = [unique('customer'), chance.is(0.5)]
      const amount = 1 + chance.below(chance.is(0.3) ? 20 : 100_000)
      const sale = { external_id: unique('sale'), currency: chance.pick(currencies) as string }
      const occurred_at = new Date(Date.now() - (isAged ? 100 : 0) * DAY_MS).toISOString()
      const request = { ...sale, customer_ref: customer, amount_minor: amount, occurred_at }
      expect((await reportSale(db, accountId, request)).result.referral).toBeNull()
      const { external_id: externalId, currency } = sale
      const kept = { externalId, amount: BigInt(amount), currency, refunded: 0n, refunds: [], entries: [] }
      model.kept.push({ customer, isAged, sale: kept })
    },

    'adopt a sale': async () => {
      const kept = chance.pick(model.kept)
      const affiliate = chance.pick(affiliates.filter(({ status }) => status === 'approved'))
      if (!kept || !affiliate) return
      if (kept.sale.refunded > 0n) ground.met.add('adopted after a refund')
      const campaign = chance.pick(campaigns) as ModelCampaign
      const { externalId, amount, currency } = kept.sale
      const request = {
        campaign_id: campaign.id,
        customer_ref: kept.customer,
        token: (affiliate as ModelAffiliate).token,
        is_test: chance.is(0.1),
        sale: { external_id: externalId, amount_minor: Number(amount), currency },
      }
      const status = campaign.reviews ? 'pending_review' : 'approved'
      const adopt = (id: number) =>
        model.adopt(
          { id, customer: kept.customer, campaign, affiliate, isTest: request.is_test, status, sales: [] },
          kept,
        )
      // Half of them are credited by a person. Not by chance, so that the walks keep their ways.
      if (model.referrals.length % 2 === 0) {
        const { id, entries } = await creditByPerson(request, affiliate.id)
        const written = model.entries.length
        adopt(id as number)
        expect(entries).toHaveLength(model.entries.length - written)
        return
      }
      const { result } = await reportConversion(db, accountId, request)
      adopt(result.referral?.id as number)
      expect(result.commissions).toHaveLength(kept.sale.entries.length)
      expect((await reportConversion(db, accountId, request)).created).toBe(false)
    },
  }
}
