/** Random business through the service, much of it in the past, as late reports are. */
import { createHash } from 'node:crypto'
import { reassignReferral } from '../../src/earning/conversions/reassign-referral.ts'
import { reviewReferral } from '../../src/earning/referrals/review-referral.ts'
import { DAY_MS } from '../../src/kit/timestamp.ts'
import { buildAffiliate, buildCampaign, unique } from '../factories.ts'
import type { Scene } from '../harness.ts'

/** Reproducible numbers from 0 to 1. */
export function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0
    return (state >>> 8) / 2 ** 24
  }
}

/** Clicks of these days win. */
const WINDOW_DAYS = 20

export class Business {
  readonly #scene: Scene
  readonly #random: () => number
  #campaigns: { id: number; tokens: string[]; affiliates: number[] }[] = []
  #referrals: { id: number; customer: string; campaignId: number }[] = []
  #clicks: { id: number; campaignId: number; at: string }[] = []
  #sales: { id: string; left: number }[] = []

  /** How many days ago things happened at most; without it, also so long ago that only Sundays have totals. */
  readonly #days: number | undefined

  constructor(scene: Scene, random: () => number, { days }: { days?: number } = {}) {
    this.#scene = scene
    this.#random = random
    this.#days = days
  }

  #pick = <T>(from: T[]): T => from[Math.floor(this.#random() * from.length)] as T
  #pastDays = (days: number) => new Date(Date.now() - this.#random() * days * DAY_MS).toISOString()
  #recently = () => this.#pastDays(this.#days ?? (this.#random() < 0.1 ? 60 : 20))

  async open(): Promise<void> {
    const { database, account } = this.#scene
    for (const payout_currency of ['USD', 'EUR']) {
      const { id } = await buildCampaign(database, account.id, { payout_currency, hold_days: 0 })
      const both = [
        await buildAffiliate(database, account.id, id),
        await buildAffiliate(database, account.id, id),
      ]
      for (const affiliate of both)
        await this.#scene.api.patch(`/affiliates/${affiliate.id}`, { status: 'approved' })
      this.#campaigns.push({
        id,
        tokens: both.map(({ token }) => token),
        affiliates: both.map(affiliate => affiliate.id),
      })
    }
  }

  /** Clicks of the past, as the tracker recorded them then; it never reports one late. */
  async click(count: number): Promise<void> {
    for (let each = 0; each < count; each++) {
      const campaign = this.#pick(this.#campaigns)
      const address = createHash('sha256')
        .update(`address ${this.#pick([1, 2, 3])}`)
        .digest()
        .subarray(0, 16)
      const isBot = this.#random() < 0.2
      const at = this.#recently()
      const { rows } = await this.#scene.database.owner.query(
        `INSERT INTO clicks (account_id, campaign_id, affiliate_id, address_hash, is_bot, user_agent, landing_url, referrer, country, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING id`,
        [
          this.#scene.account.id,
          campaign.id,
          this.#pick(campaign.affiliates),
          this.#random() < 0.3 ? null : address,
          isBot,
          this.#pick(['Mozilla/5.0 (iPhone) Mobile', 'Mozilla/5.0 (X11; Linux x86_64)']),
          this.#pick([
            'https://shop.example/?utm_source=news&sub_id=7',
            'https://shop.example/plans?utm_campaign=caf%C3%A9%20week&utm_medium=e+mail',
            'https://shop.example/plans',
          ]),
          this.#pick([null, 'https://www.blog.example/post']),
          this.#pick([null, 'DE']),
          at,
        ],
      )
      if (!isBot) this.#clicks.push({ id: Number(rows[0].id), campaignId: campaign.id, at })
    }
  }

  async sell(): Promise<void> {
    const { api } = this.#scene
    const sale = () => ({
      external_id: unique('sale'),
      // Some are trials.
      amount_minor: Math.max(0, Math.floor(this.#random() * 11_000) - 1000),
      currency: this.#campaigns[0]?.id === campaign.id ? 'USD' : 'EUR',
    })
    const occurred: { occurred_at?: string } = this.#random() < 0.3 ? {} : { occurred_at: this.#recently() }
    const campaign = this.#pick(this.#campaigns)
    if (this.#referrals.length === 0 || this.#random() < 0.5) {
      const customer = unique('customer')
      const first = sale()
      const time = occurred.occurred_at ?? new Date().toISOString()
      const since = new Date(Date.parse(time) - WINDOW_DAYS * DAY_MS).toISOString()
      const before = this.#clicks.filter(
        ({ campaignId, at }) => campaignId === campaign.id && at < time && at > since,
      )
      const click = this.#random() < 0.7 ? this.#pick(before) : undefined
      const { body } = await api.post('/ingest/v1/conversions', {
        campaign_id: campaign.id,
        customer_ref: customer,
        ...(click ? { click_id: click.id } : { token: this.#pick(campaign.tokens) }),
        sale: first,
        ...occurred,
      })
      this.#referrals.push({ id: body.referral.id, customer, campaignId: campaign.id })
      this.#sales.push({ id: first.external_id, left: first.amount_minor })
      return
    }
    const { customer } = this.#pick(this.#referrals)
    const next = sale()
    await api.post('/ingest/v1/sales', { customer_ref: customer, ...next, ...occurred })
    this.#sales.push({ id: next.external_id, left: next.amount_minor })
  }

  async refund(): Promise<void> {
    const sale = this.#pick(this.#sales)
    if (!sale || sale.left < 100) return
    sale.left -= 100
    await this.#scene.api.post('/ingest/v1/refunds', {
      external_id: unique('refund'),
      sale_external_id: sale.id,
      amount_minor: 100,
      ...(this.#random() < 0.5 && { occurred_at: this.#pastDays(this.#days ?? 10) }),
    })
  }

  async reject(): Promise<void> {
    const referral = this.#pick(this.#referrals)
    this.#referrals = this.#referrals.filter(each => each !== referral)
    if (referral)
      await reviewReferral(this.#scene.database.db, this.#scene.account.id, referral.id, 'rejected')
  }

  /** Credits another affiliate of the campaign. */
  async reassign(): Promise<void> {
    const { database, account } = this.#scene
    const referral = this.#pick(this.#referrals)
    if (!referral) return
    const { body } = await this.#scene.api.get(`/referrals/${referral.id}`)
    const affiliates = this.#campaigns.find(({ id }) => id === referral.campaignId)?.affiliates
    await reassignReferral(database.db, account.id, {
      referral_id: referral.id,
      campaign_id: referral.campaignId,
      affiliate_id: affiliates?.find(id => id !== body.affiliate_id) as number,
      reason: 'another one brought them',
      dry_run: false,
    })
  }

  async run(steps: number): Promise<void> {
    for (let each = 0; each < steps; each++) {
      const die = this.#random()
      await (die < 0.65
        ? this.sell()
        : die < 0.85
          ? this.refund()
          : die < 0.93
            ? this.reject()
            : this.reassign())
    }
  }
}
