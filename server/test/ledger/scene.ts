import type { Affiliate, Campaign, Commission, CreateAffiliate, PayoutItem } from '@tributary/contract'
import { expect } from 'vitest'
import { setRate } from '../../src/money/fx/set-rate.ts'
import { createPayout } from '../../src/money/payouts/create-payout.ts'
import { markPayments } from '../../src/money/payouts/mark-payments.ts'
import { insertCommissionRules } from '../../src/programme/campaigns/campaign.store.ts'
import type { Reward } from '../../src/programme/campaigns/campaign.ts'
import { createCampaign } from '../../src/programme/campaigns/create-campaign.ts'
import type { Answer, RequestOptions, TestClient } from '../client.ts'
import { buildAffiliate, unique } from '../factories.ts'
import type { Scene, TestDatabase } from '../harness.ts'

export const percent = (rateBasisPoints: number, overrides: Partial<Reward> = {}): Reward => ({
  beneficiary: 'affiliate',
  entryType: 'earned',
  rule: { kind: 'percent', rateBasisPoints },
  recurringMonths: null,
  ...overrides,
})

export const flat = (amountMinor: number, currency: string, overrides: Partial<Reward> = {}): Reward => ({
  ...percent(1, overrides),
  rule: { kind: 'flat', amountMinor, currency },
})

export interface Terms extends Partial<Campaign> {
  rewards?: Reward[]
  reviewsReferrals?: boolean
}

/** A campaign that by default pays 20% without a hold. */
export function openCampaign(
  database: TestDatabase,
  accountId: number,
  terms: Terms = {},
): Promise<Campaign> {
  const { rewards = [percent(2000)], reviewsReferrals = false, ...overrides } = terms
  const campaign = {
    name: 'Programme',
    slug: unique('ledger'),
    program_type: 'affiliate' as const,
    visibility: 'private' as const,
    payout_currency: 'USD',
    attribution_model: 'last_click' as const,
    attribution_window_days: 30,
    hold_days: 0,
    minimum_payout_minor: 0,
    open_enrollment: false,
    destination_url: null,
    ...overrides,
  }
  return createCampaign(database.db, accountId, campaign, { rewards, reviewsReferrals })
}

/** Changes what a campaign pays, at another millisecond than all that happened before and after. */
export async function changeRewards({ database, account }: Scene, { id }: Campaign, rewards: Reward[]) {
  const apart = () => database.owner.query('SELECT pg_sleep(0.005)')
  await apart()
  await database.db.transaction(tx => insertCommissionRules(tx, account.id, id, rewards))
  await apart()
}

/** An affiliate that is approved and enrolled, with a coupon code. */
export async function approvedAffiliate(
  { database, account }: Scene,
  campaignId: number,
  overrides: Partial<Omit<CreateAffiliate, 'coupon_code'>> = {},
): Promise<Affiliate & { coupon_code: string }> {
  const coupon_code = unique('Coupon')
  const names = { coupon_code, token: unique('token') }
  const affiliate = await buildAffiliate(database, account.id, campaignId, { ...names, ...overrides })
  await database.owner.query(`UPDATE affiliates SET status = 'approved' WHERE id = $1`, [affiliate.id])
  return { ...affiliate, coupon_code, status: 'approved' }
}

/** A click as the tracker would have recorded it; `ago` is an interval before now by the database's clock. */
export async function buildClick(
  { database, account }: Scene,
  click: { campaignId: number; affiliateId: number; ago?: string; visitorId?: string | null; count?: number },
): Promise<number> {
  const { campaignId, affiliateId, ago = '1 hour', visitorId = null, count = 1 } = click
  const { rows } = await database.owner.query(
    `INSERT INTO clicks (account_id, campaign_id, affiliate_id, visitor_id, is_bot, created_at)
     SELECT $1, $2, $3, $4, false, now() - $5::interval FROM generate_series(1, $6) RETURNING id`,
    [account.id, campaignId, affiliateId, visitorId, ago, count],
  )
  return Number(rows.at(-1)?.id)
}

const reporter =
  (path: string) =>
  (api: TestClient, body: object, options?: RequestOptions): Promise<Answer> =>
    api.post(`/ingest/v1/${path}`, body, options)
export const convert = reporter('conversions')
export const sell = reporter('sales')
export const refund = reporter('refunds')

/** A campaign with an affiliate and a customer that it won, ready to buy. */
export interface Won {
  campaign: Campaign
  affiliate: Affiliate & { coupon_code: string }
  customer_ref: string
  referralId: number
}

export async function winCustomer(scene: Scene, terms: Terms = {}, extra: object = {}): Promise<Won> {
  const campaign = await openCampaign(scene.database, scene.account.id, terms)
  const affiliate = await approvedAffiliate(scene, campaign.id)
  const customer_ref = unique('customer')
  const body = { campaign_id: campaign.id, customer_ref, token: affiliate.token, ...extra }
  const answer = await convert(scene.api, body)
  expect(answer.status).toBe(201)
  return { campaign, affiliate, customer_ref, referralId: answer.body.referral.id }
}

/** Reports a sale that is new and earns; gives its external id and what it earned. */
export async function earn(
  scene: Scene,
  { customer_ref }: Won,
  amount_minor: number,
  extra: object = {},
): Promise<{ external_id: string; commissions: Commission[] }> {
  const external_id = unique('sale')
  const { status, body } = await sell(scene.api, {
    customer_ref,
    external_id,
    amount_minor,
    currency: 'USD',
    ...extra,
  })
  expect(status).toBe(201)
  return { external_id, commissions: body.commissions }
}

/** The one entry that a sale of this amount earned. */
export async function earnOne(scene: Scene, won: Won, amount_minor = 10_000, extra: object = {}) {
  const { external_id, commissions } = await earn(scene, won, amount_minor, extra)
  expect(commissions).toHaveLength(1)
  return { external_id, entry: commissions[0] as Commission }
}

export const commission = async (scene: Scene, id: number): Promise<Commission> =>
  (await scene.api.get(`/commissions/${id}`)).body

/** All entries of a referral, oldest first. */
export const entriesOf = async (scene: Scene, referralId: number): Promise<Commission[]> =>
  (await scene.api.get(`/commissions?referral_id=${referralId}&limit=100`)).body.data.toReversed()

/** An entry as a row of a table: type, payout amount, status. */
export const short = ({ entry_type, payout_amount_minor, status }: Commission) => [
  entry_type,
  payout_amount_minor,
  status,
]

/** Pays everything that is payable in a campaign manually. Returns the amount of each affiliate. */
export async function pay(scene: Scene, campaignId: number): Promise<Record<number, number>> {
  const { db } = scene.database
  const { id } = await createPayout(db, scene.account.id, { campaignId, rail: 'manual' })
  await markPayments(db, scene.account.id, id, { outcome: 'paid', reason: null, reference: null })
  const { body } = await scene.api.get(`/payouts/${id}`)
  expect(body.status).toBe('paid')
  return Object.fromEntries(body.items.map((item: PayoutItem) => [item.affiliate_id, item.amount_minor]))
}

export const useRate = (scene: Scene, from: string, to: string, rate: string, day = '2020-01-01') =>
  setRate(scene.database.db, { from, to, rate, day })

export async function countRows(
  scene: Scene,
  table: string,
  condition: string,
  values: unknown[],
): Promise<number> {
  const { rows } = await scene.database.owner.query(
    `SELECT count(*)::integer AS count FROM ${table} WHERE ${condition}`,
    values,
  )
  return rows[0].count
}
