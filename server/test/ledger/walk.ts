import { expect } from 'vitest'
import type { Database } from '../../src/db/database.ts'
import { balancesOf } from '../../src/money/ledger/balances.ts'
import type { TestDatabase } from '../harness.ts'
import { brokenInvariants } from '../harness.ts'
import { keptSaleSteps } from './kept-sale-steps.ts'
import { LedgerModel, type ModelAffiliate, type ModelCampaign } from './model.ts'
import { PayoutModel } from './payout-model.ts'
import { payoutSteps } from './payout-steps.ts'
import { saleSteps } from './sale-steps.ts'
import { Chance } from './seeded-random.ts'

/** What the steps of a walk share. */
export interface Ground {
  db: Database
  accountId: number
  campaigns: ModelCampaign[]
  affiliates: ModelAffiliate[]
  currencies: string[]
  chance: Chance
  model: LedgerModel
  payouts: PayoutModel
  /** Why affiliates were left out, and how payouts ended: what the walk has come across. */
  met: Set<string>
}

/** What happens more often than the rest: refunding, where the arithmetic is, and everything that leads to a payment. */
const OFTEN = [
  ...['convert', 'sell', 'sell', 'sell', 'refund', 'refund', 'refund', 'adjust', 'review a commission'],
  ...['create payout', 'create payout', 'pay payout', 'fail items', 'cancel payout'],
]

export type Steps = Record<string, () => Promise<unknown>>

/** Random steps through the use cases, on the real database and on the model at once. */
export class Walk {
  readonly steps: Steps
  readonly ground: Ground
  readonly #database: TestDatabase

  constructor(
    database: TestDatabase,
    seed: number,
    start: Pick<Ground, 'accountId' | 'campaigns' | 'affiliates' | 'currencies'>,
  ) {
    const model = new LedgerModel()
    const payouts = new PayoutModel(model)
    this.#database = database
    this.ground = { ...start, db: database.db, chance: new Chance(seed), model, payouts, met: new Set() }
    this.steps = { ...saleSteps(this.ground), ...keptSaleSteps(this.ground), ...payoutSteps(this.ground) }
  }

  async step(): Promise<string> {
    const names = [...Object.keys(this.steps), ...OFTEN]
    const { chance, model } = this.ground
    const name = model.referrals.length === 0 ? 'convert' : (chance.pick(names) as string)
    await this.steps[name]?.()
    return name
  }

  async compare(): Promise<void> {
    await this.compareEntries()
    await Promise.all([
      this.#comparePayouts(),
      this.#compareEvents(),
      ...this.ground.affiliates.map(affiliate => this.#compareBalances(affiliate)),
    ])
  }

  async diagnose(): Promise<void> {
    expect(await brokenInvariants(this.#database)).toEqual([])
  }

  async #compareBalances(affiliate: ModelAffiliate): Promise<void> {
    const { db, accountId, model } = this.ground
    expect(await balancesOf(db, accountId, affiliate.id)).toEqual(model.balances(affiliate))
  }

  async #rows<Row extends object>(text: string): Promise<Row[]> {
    return (await this.#database.owner.query<Row>(text, [this.ground.accountId])).rows
  }

  /** Every entry of the ledger, in the order in which it was written, and the payout item that holds it. Learns new ids. */
  async compareEntries(): Promise<void> {
    const rows = await this.#rows<{ id: number; at: Date; entry: string }>(`
      SELECT c.id::integer, c.created_at AS at, concat_ws(' ', c.id, c.entry_type, c.campaign_id, c.affiliate_id,
             coalesce(c.referral_id, 0), c.beneficiary, c.amount_minor, c.currency, c.payout_amount_minor, c.payout_currency,
             c.status, 'of', coalesce(c.clawback_of, 0), 'in', coalesce(p.payout_item_id, 0)) AS entry
        FROM commissions c
        LEFT JOIN pinned_commissions p ON p.account_id = c.account_id AND p.commission_id = c.id AND NOT p.released
       WHERE c.account_id = $1 ORDER BY c.id`)
    const items = await this.#rows<{ id: number }>(
      'SELECT id::integer FROM payout_items WHERE account_id = $1 ORDER BY id',
    )
    const { entries } = this.ground.model
    for (const [index, { id, at }] of rows.entries())
      if (entries[index]?.id === 0) Object.assign(entries[index], { id, createdAt: at.toISOString() })
    for (const [index, item] of this.ground.payouts.payouts.flatMap(one => one.items).entries())
      item.id ||= items[index]?.id ?? 0
    expect(rows.map(({ entry }) => entry)).toEqual(
      entries.map(one =>
        [
          ...[one.id, one.type, one.campaign.id, one.affiliate.id, one.referral?.id ?? 0, one.beneficiary],
          ...[one.amount, one.currency, one.payout, one.campaign.payoutCurrency, one.status],
          ...['of', one.of?.id ?? 0, 'in', one.item?.id ?? 0],
        ].join(' '),
      ),
    )
  }

  /** Every payout and item, and what each item was made of. */
  async #comparePayouts(): Promise<void> {
    const { payouts } = this.ground.payouts
    const found = await this.#rows<{ line: string }>(`
      SELECT concat_ws(' ', p.id, p.campaign_id, p.status, p.currency, p.total_minor, 'item', i.id, i.affiliate_id, i.status,
             i.amount_minor, 'of', (SELECT string_agg(concat(n.commission_id, CASE WHEN n.released THEN ' released' END), ', '
                                                      ORDER BY n.commission_id)
                FROM pinned_commissions n WHERE n.account_id = i.account_id AND n.payout_item_id = i.id)) AS line
        FROM payouts p JOIN payout_items i ON i.account_id = p.account_id AND i.payout_id = p.id
       WHERE p.account_id = $1 ORDER BY i.id`)
    expect(found.map(({ line }) => line)).toEqual(
      payouts.flatMap(({ id, campaign, status, items }) => {
        const total = items.reduce((sum, { amount }) => sum + amount, 0n)
        return items.map(item => {
          const isReleased = item.status === 'failed' || item.status === 'canceled'
          return [
            ...[id, campaign.id, status, campaign.payoutCurrency, total],
            ...['item', item.id, item.affiliate.id, item.status, item.amount, 'of'],
            item.entries.map(entry => `${entry.id}${isReleased ? ' released' : ''}`).join(', '),
          ].join(' ')
        })
      }),
    )
  }

  /** Each entry, referral and paid payout has exactly one event. */
  async #compareEvents(): Promise<void> {
    const found = await this.#rows<{ kind: string; count: number }>(`
      SELECT kind, count(*)::integer AS count FROM events WHERE account_id = $1 AND kind <> 'promoter.approved'
       GROUP BY kind`)
    const { model, payouts } = this.ground
    const expected = {
      'commission.created': model.entries.length,
      'conversion.created': model.referrals.length,
      'payout.paid': payouts.payouts.filter(({ status }) => ['paid', 'partially_paid'].includes(status))
        .length,
    }
    expect(Object.fromEntries(found.map(({ kind, count }) => [kind, count]))).toEqual(
      Object.fromEntries(Object.entries(expected).filter(([, count]) => count > 0)),
    )
  }
}
