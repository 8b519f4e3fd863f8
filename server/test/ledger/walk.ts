import { expect } from 'vitest'
import { adjustBalance } from '../../src/commissions/adjust-balance.ts'
import { reviewCommission } from '../../src/commissions/review-commission.ts'
import { reportConversion } from '../../src/conversions/report-conversion.ts'
import { balancesOf } from '../../src/ledger/balances.ts'
import { releaseHolds } from '../../src/ledger/holds.ts'
import { reviewReferral } from '../../src/referrals/review-referral.ts'
import { reportRefund } from '../../src/refunds/report-refund.ts'
import { reportSale } from '../../src/sales/report-sale.ts'
import { unique } from '../factories.ts'
import type { TestDatabase } from '../harness.ts'
import { LedgerModel, type ModelCampaign, type ModelReferral } from './model.ts'
import { brokenInvariants } from './scene.ts'

/** Mulberry32: small, and the same on every machine. */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

/** Random steps through the use cases, on the real database and on the model at once. */
export class Walk {
  readonly model = new LedgerModel()
  readonly #database: TestDatabase
  readonly #random: () => number
  readonly #accountId: number
  readonly #campaigns: (ModelCampaign & { token: string })[]
  readonly #currencies: string[]

  constructor(
    database: TestDatabase,
    seed: number,
    accountId: number,
    campaigns: (ModelCampaign & { token: string })[],
    currencies: string[],
  ) {
    this.#database = database
    this.#random = randomOf(seed)
    this.#accountId = accountId
    this.#campaigns = campaigns
    this.#currencies = currencies
  }

  #below = (limit: number) => Math.floor(this.#random() * limit)
  #pick = <T>(list: T[]): T | undefined => list[this.#below(list.length)]
  #sales = () => this.model.referrals.flatMap(referral => referral.sales)
  #entries = () => this.#sales().flatMap(({ entries }) => entries)

  readonly steps: Record<string, () => Promise<unknown>> = {
    convert: async () => {
      const { token, ...campaign } = this.#pick(this.#campaigns) as ModelCampaign & { token: string }
      const customer = unique('customer')
      const request = { campaign_id: campaign.id, customer_ref: customer, token }
      const { created, result } = await reportConversion(this.#database.db, this.#accountId, request)
      expect(created).toBe(true)
      const own = this.#campaigns.find(({ id }) => id === campaign.id) as ModelCampaign
      const status = campaign.reviews ? 'pending_review' : 'approved'
      expect(result.referral?.status).toBe(status)
      this.model.referrals.push({
        id: result.referral?.id as number,
        customer,
        campaign: own,
        status,
        sales: [],
      })
      expect((await reportConversion(this.#database.db, this.#accountId, request)).created).toBe(false)
    },

    sell: async () => {
      const referral = this.#pick(this.model.referrals)
      if (!referral) return
      const isAged = this.#random() < 0.5
      const [amount, currency] = [
        this.#below(this.#random() < 0.3 ? 20 : 100_000),
        this.#pick(this.#currencies) as string,
      ]
      const externalId = unique('sale')
      const request = {
        customer_ref: referral.customer,
        external_id: externalId,
        amount_minor: amount,
        currency,
        occurred_at: new Date(Date.now() - (isAged ? 100 : 0) * 86_400_000).toISOString(),
      }
      const { result } = await reportSale(this.#database.db, this.#accountId, request)
      const sale = this.model.sell(referral, { externalId, amount: BigInt(amount), currency }, isAged)
      for (const entry of sale.entries)
        entry.id = result.commissions.find(({ beneficiary }) => beneficiary === entry.beneficiary)?.id ?? 0
      expect(result.commissions).toHaveLength(sale.entries.length)
      expect((await reportSale(this.#database.db, this.#accountId, request)).created).toBe(false)
    },

    refund: async () => {
      const sale = this.#pick(this.#sales().filter(({ amount, refunded }) => refunded < amount))
      if (!sale) return
      const left = Number(sale.amount - sale.refunded)
      const isRest = this.#random() < 0.3
      const amount = isRest ? left : 1 + this.#below(left)
      const request = {
        external_id: unique('refund'),
        sale_external_id: sale.externalId,
        ...(!isRest && { amount_minor: amount }),
      }
      await reportRefund(this.#database.db, this.#accountId, request)
      this.model.refund(sale, BigInt(amount))
      expect((await reportRefund(this.#database.db, this.#accountId, request)).created).toBe(false)
    },

    'refund too much': async () => {
      const sale = this.#pick(this.#sales())
      if (!sale) return
      const amount_minor = Number(sale.amount - sale.refunded) + 1
      const request = { external_id: unique('refund'), sale_external_id: sale.externalId, amount_minor }
      await expect(reportRefund(this.#database.db, this.#accountId, request)).rejects.toMatchObject({
        code: 'validation_failed',
      })
    },

    'review a commission': async () => {
      // What becomes of an entry that was partly refunded is for refunds.test.ts.
      const entry = this.#pick(
        this.#entries().filter(({ clawed, clawedPayout }) => clawed + clawedPayout === 0n),
      )
      if (!entry) return
      const decision = this.#random() < 0.5 ? 'approved' : 'void'
      const work = reviewCommission(this.#database.db, this.#accountId, entry.id, decision)
      if (entry.status !== 'pending') await expect(work).rejects.toMatchObject({ code: 'invalid_state' })
      else {
        await work
        this.model.settle(entry, decision)
      }
    },

    'review a referral': async () => {
      const referral = this.#pick(this.model.referrals) as ModelReferral | undefined
      if (!referral) return
      const decision = this.#random() < 0.6 ? 'approved' : 'rejected'
      const isAllowed =
        referral.status === 'pending_review' || (referral.status === 'approved' && decision === 'rejected')
      const work = reviewReferral(this.#database.db, this.#accountId, referral.id, decision)
      if (!isAllowed) await expect(work).rejects.toMatchObject({ code: 'invalid_state' })
      else {
        await work
        this.model.review(referral, decision)
      }
    },

    adjust: async () => {
      const campaign = this.#pick(this.#campaigns) as ModelCampaign
      const amountMinor = (1 + this.#below(5000)) * (this.#random() < 0.5 ? 1 : -1)
      const { id: campaignId, affiliateId } = campaign
      await adjustBalance(this.#database.db, this.#accountId, {
        affiliateId,
        campaignId,
        amountMinor,
        description: 'by hand',
      })
      this.model.adjustments.push({ campaign, amount: BigInt(amountMinor) })
    },

    'release holds': async () => {
      await releaseHolds(this.#database.db)
      this.model.releaseHolds()
    },

    pay: async () => {
      const entry = this.#pick(this.#entries().filter(({ status }) => status === 'approved'))
      if (!entry) return
      await this.#database.owner.query(`UPDATE commissions SET status = 'paid' WHERE id = $1`, [entry.id])
      entry.status = 'paid'
    },
  }

  async step(): Promise<string> {
    // Selling and refunding twice as often as the rest: that is where the arithmetic is.
    const names = [...Object.keys(this.steps), 'sell', 'sell', 'refund', 'refund']
    const name = this.model.referrals.length === 0 ? 'convert' : (this.#pick(names) as string)
    await this.steps[name]?.()
    return name
  }

  async compare(): Promise<void> {
    const { rows } = await this.#database.owner.query(
      `SELECT c.id::integer, c.status, c.amount_minor::text, c.payout_amount_minor::text,
              coalesce(-sum(b.amount_minor), 0)::text AS clawed, coalesce(-sum(b.payout_amount_minor), 0)::text AS clawed_payout
         FROM commissions c LEFT JOIN commissions b ON b.account_id = c.account_id AND b.clawback_of = c.id
        WHERE c.account_id = $1 AND c.entry_type IN ('earned', 'credit') GROUP BY c.account_id, c.id ORDER BY c.id`,
      [this.#accountId],
    )
    expect(rows).toEqual(
      this.#entries()
        .toSorted((a, b) => a.id - b.id)
        .map(({ id, status, amount, payout, clawed, clawedPayout }) => ({
          id,
          status: this.#isGone(id) ? expect.stringMatching(/pending|void/) : status,
          amount_minor: `${amount}`,
          payout_amount_minor: `${payout}`,
          clawed: `${clawed}`,
          clawed_payout: `${clawedPayout}`,
        })),
    )
    await Promise.all(this.#campaigns.map(campaign => this.#compareBalance(campaign)))
    expect(await brokenInvariants(this.#database)).toEqual([])
  }

  async #compareBalance(campaign: ModelCampaign): Promise<void> {
    const [found] = await balancesOf(this.#database.db, this.#accountId, campaign.affiliateId)
    const { pending, approved, total } = this.model.balance(campaign)
    expect(
      [found?.pending_minor ?? 0, found?.approved_minor ?? 0, found?.balance_minor ?? 0].map(BigInt),
    ).toEqual([pending, approved, total])
  }

  /** A pending entry of a rejected referral that was partly refunded before: nothing is left of it, whatever it is called. */
  #isGone(id: number): boolean {
    return this.model.referrals.some(
      ({ status, sales }) =>
        status === 'rejected' &&
        sales.some(({ entries }) => entries.some(entry => entry.id === id && entry.status === 'pending')),
    )
  }
}
