/** The ledger of the dashboard: every entry with its path, and the decisions of people about pending ones. */
import type { CommissionDetail, CommissionSummary } from '@tributary/contract/dashboard'
import { beforeAll, describe, expect, it } from 'vitest'
import { reviewReferral } from '../../src/earning/referrals/review-referral.ts'
import { adjustBalance } from '../../src/money/commissions/adjust-balance.ts'
import { buildAccount, unique } from '../factories.ts'
import { brokenInvariants, useOwnScene } from '../harness.ts'
import { whileHeld } from '../interleave.ts'
import {
  approvedAffiliate,
  earnOne,
  flat,
  openCampaign,
  refund,
  useRate,
  type Won,
  winCustomer,
} from '../ledger/scene.ts'
import { create, markFailed, markPaid } from '../payouts/ground.ts'
import { Person } from './person.ts'

const scene = useOwnScene()
let finance: Person
/** A customer of a campaign with a hold, and two sales of it. */
let held: Won
let first: Awaited<ReturnType<typeof earnOne>>
let second: Awaited<ReturnType<typeof earnOne>>
beforeAll(async () => {
  finance = await Person.join(scene.app, scene.account.id, 'finance')
  held = await winCustomer(scene, { hold_days: 30 })
  first = await earnOne(scene, held, 10_000)
  second = await earnOne(scene, held, 5_000)
})

const list = async (query: Record<string, unknown> = {}): Promise<CommissionSummary[]> =>
  (await finance.call('listCommissions', { query })).body.data
const idsOf = (rows: { id: number }[]) => rows.map(({ id }) => id)
const show = async (id: number): Promise<CommissionDetail> =>
  (await finance.call('getCommission', { id })).body
const review = (ids: number[], status: string, person = finance) =>
  person.call('reviewCommissions', { body: { ids, status } })
const takeBack = (sale_external_id: string, amount_minor?: number) => {
  const external_id = unique('refund')
  return refund(scene.api, { external_id, sale_external_id, amount_minor }).then(answer => ({
    external_id,
    commissions: answer.body.commissions,
  }))
}

it('lists entries with the names that belong to them', async () => {
  expect(await list({ referral_id: held.referralId })).toMatchObject([
    {
      ...second.entry,
      affiliate_email: held.affiliate.email,
      affiliate_name: null,
      campaign_name: 'Programme',
      customer_ref: held.customer_ref,
      is_test: false,
    },
    first.entry,
  ])
})

it('filters by what a person would ask, and pages in either direction', async () => {
  const affiliate_id = held.affiliate.id
  const both = [second.entry.id, first.entry.id]
  expect(idsOf(await list({ affiliate_id }))).toEqual(both)
  expect(idsOf(await list({ campaign_id: held.campaign.id }))).toEqual(both)
  expect(idsOf(await list({ affiliate_id, status: 'pending' }))).toEqual(both)
  expect(await list({ affiliate_id, status: 'paid' })).toEqual([])
  expect(idsOf(await list({ affiliate_id, entry_type: 'earned', beneficiary: 'affiliate' }))).toEqual(both)
  expect(await list({ affiliate_id, entry_type: 'clawback' })).toEqual([])
  expect(await list({ affiliate_id, beneficiary: 'referee' })).toEqual([])
  expect(await list({ affiliate_id, created_before: '2020-01-01T00:00:00Z' })).toEqual([])
  const { data, next } = (await finance.call('listCommissions', { query: { affiliate_id, limit: 1 } })).body
  expect([idsOf(data), next]).toEqual([[second.entry.id], second.entry.id])
  expect(idsOf(await list({ affiliate_id, after: next }))).toEqual([first.entry.id])
  expect(idsOf(await list({ affiliate_id, order: 'oldest', limit: 1 }))).toEqual([first.entry.id])
})

it('shows the path of an entry: sale, rule, hold', async () => {
  expect(await show(first.entry.id)).toMatchObject({
    ...first.entry,
    sale: {
      external_id: first.external_id,
      customer_ref: held.customer_ref,
      amount_minor: 10_000,
      currency: 'USD',
    },
    rule: { version: 1, rate_basis_points: 2000, flat_minor: null, recurring_months: null },
    fx: null,
    referral: { id: held.referralId, status: 'approved', flags: [] },
    clawback_of: null,
    refund: null,
    voided_at: null,
    payouts: [],
    clawbacks: [],
  })
})

it('shows the rule of its time and the rate of exchange', async () => {
  await useRate(scene, 'EUR', 'USD', '1.1')
  const rewards = [flat(500, 'EUR', { recurringMonths: 12 })]
  const won = await winCustomer(scene, { rewards })
  const { entry } = await earnOne(scene, won, 9900, { currency: 'JPY' })
  expect(await show(entry.id)).toMatchObject({
    amount_minor: 500,
    currency: 'EUR',
    payout_amount_minor: 550,
    rule: { rate_basis_points: null, flat_minor: 500, flat_currency: 'EUR', recurring_months: 12 },
    fx: { rate: '1.1' },
    sale: { amount_minor: 9900, currency: 'JPY' },
  })
})

it('shows what was taken back, from either side', async () => {
  const won = await winCustomer(scene)
  const { entry, external_id } = await earnOne(scene, won)
  const { external_id: refundId, commissions } = await takeBack(external_id, 5000)
  const clawback = commissions[0]
  expect((await show(entry.id)).clawbacks).toMatchObject([
    { id: clawback.id, amount_minor: -1000, status: 'approved', refund_external_id: refundId },
  ])
  expect(await show(clawback.id)).toMatchObject({
    entry_type: 'clawback',
    clawback_of: entry.id,
    rule: null,
    sale: { external_id },
    refund: { external_id: refundId, amount_minor: 5000, currency: 'USD' },
  })
})

it('shows an adjustment that returns a clawback settled alone, from either side', async () => {
  const won = await winCustomer(scene, { hold_days: 30 })
  const { entry, external_id } = await earnOne(scene, won)
  const { commissions } = await takeBack(external_id, 5000)
  await scene.api.patch(`/commissions/${commissions[0].id}`, { status: 'approved' })
  await scene.api.patch(`/commissions/${entry.id}`, { status: 'void' })
  const { clawbacks } = await show(entry.id)
  expect(clawbacks).toMatchObject([
    { entry_type: 'clawback', amount_minor: -1000, status: 'approved' },
    { entry_type: 'adjustment', amount_minor: 1000, status: 'approved' },
  ])
  expect(await show(clawbacks[1]?.id as number)).toMatchObject({
    clawback_of: entry.id,
    sale: { external_id },
  })
})

it('names the last refund where a sale was adopted after it was refunded in full', async () => {
  const { campaign, affiliate } = await winCustomer(scene, { hold_days: 30 })
  const customer_ref = unique('customer')
  const sale = { external_id: unique('sale'), amount_minor: 10_000, currency: 'USD' }
  await scene.api.post('/ingest/v1/sales', { customer_ref, ...sale })
  await takeBack(sale.external_id, 4000)
  const { external_id } = await takeBack(sale.external_id)
  const conversion = { campaign_id: campaign.id, customer_ref, token: affiliate.token, sale }
  const { body } = await scene.api.post('/ingest/v1/conversions', conversion)
  expect(await show(body.commissions[0].id)).toMatchObject({ status: 'void', voided_by_refund: external_id })
})

it('says what voided an entry', async () => {
  const won = await winCustomer(scene, { hold_days: 30 })
  const refunded = await earnOne(scene, won)
  const { external_id } = await takeBack(refunded.external_id)
  const detail = await show(refunded.entry.id)
  expect(detail).toMatchObject({ status: 'void', voided_by_refund: external_id, clawbacks: [] })
  expect(detail.voided_at).not.toBe(null)
  const other = await earnOne(scene, won)
  await reviewReferral(scene.database.db, scene.account.id, won.referralId, 'rejected')
  expect(await show(other.entry.id)).toMatchObject({
    status: 'void',
    voided_by_refund: null,
    referral: { status: 'rejected' },
  })
})

it('shows every payout that took an entry up, and the payout from its own entry', async () => {
  const won = await winCustomer(scene)
  const { entry } = await earnOne(scene, won)
  const failed = await create(scene, won.campaign)
  await markFailed(scene, failed.id)
  const paid = await create(scene, won.campaign)
  await markPaid(scene, paid.id, undefined, 'wire 7')
  const detail = await show(entry.id)
  expect(detail.status).toBe('paid')
  expect(detail.payouts).toMatchObject([
    { id: paid.id, status: 'paid', rail: 'manual', amount_minor: 2000, reference: 'wire 7' },
    { id: failed.id, status: 'failed', reason: 'Account closed' },
  ])
  expect(detail.payouts[0]?.settled_at).not.toBe(null)
  const [payout] = await list({ affiliate_id: won.affiliate.id, entry_type: 'payout' })
  expect((await show(payout?.id as number)).payouts).toMatchObject([{ id: paid.id, status: 'paid' }])
})

it('approves and voids in bulk; what takes back from an entry moves along', async () => {
  const won = await winCustomer(scene, { hold_days: 30 })
  const [kept, dropped] = [await earnOne(scene, won), await earnOne(scene, won)]
  const clawback = (await takeBack(kept.external_id, 5000)).commissions[0]
  expect(clawback.status).toBe('pending')
  const approved = await review([clawback.id, kept.entry.id, kept.entry.id, 999_999_999], 'approved')
  expect(approved.body).toEqual({
    done: 2,
    refused: [{ id: 999_999_999, message: 'There is no such commission.' }],
  })
  expect((await review([dropped.entry.id, clawback.id], 'void')).body).toEqual({
    done: 1,
    refused: [
      {
        id: clawback.id,
        message:
          "The entry is approved and not a commission, so it can't be voided. Correct it with an adjustment of the balance.",
      },
    ],
  })
  const entries = await list({ referral_id: won.referralId, order: 'oldest' })
  expect(entries.map(({ id, status }) => [id, status])).toEqual([
    [kept.entry.id, 'approved'],
    [dropped.entry.id, 'void'],
    [clawback.id, 'approved'],
  ])
  expect(await brokenInvariants(scene.database)).toEqual([])
  const query = { action: 'commission.review', limit: 1 }
  expect((await finance.call('listAuditLog', { query })).body.data).toMatchObject([
    { actor_name: finance.email, details: { ids: [dropped.entry.id, clawback.id], status: 'void' } },
  ])
})

it('adjusts a balance with a separate entry', async () => {
  const body = {
    affiliate_id: held.affiliate.id,
    campaign_id: held.campaign.id,
    amount_minor: -250,
    description: 'Paid twice in May',
    request_id: unique('adjustment'),
  }
  const { status, body: entry } = await finance.call('adjustBalance', { body })
  expect(status).toBe(200)
  expect(entry).toMatchObject({ entry_type: 'adjustment', amount_minor: -250, status: 'approved' })
  expect(await show(entry.id)).toMatchObject({ sale: null, rule: null, referral: null, payouts: [] })
  const log = (await finance.call('listAuditLog', { query: { subject_id: entry.id } })).body.data
  expect(log).toMatchObject([{ action: 'commission.adjust', actor_name: finance.email, details: body }])

  const elsewhere = await openCampaign(scene.database, scene.account.id)
  const stranger = await approvedAffiliate(scene, elsewhere.id)
  for (const wrong of [{ affiliate_id: stranger.id }, { campaign_id: 999_999_999 }, { amount_minor: 0 }]) {
    const request_id = unique('adjustment')
    expect((await finance.call('adjustBalance', { body: { ...body, ...wrong, request_id } })).status).toBe(
      422,
    )
  }
})

describe('an adjustment that is sent again', () => {
  const adjustment = () => ({
    affiliate_id: held.affiliate.id,
    campaign_id: held.campaign.id,
    amount_minor: 700,
    description: 'Bonus',
    request_id: unique('adjustment'),
  })
  const send = (body: ReturnType<typeof adjustment>) => finance.call('adjustBalance', { body })
  const entriesNow = async () =>
    (await list({ affiliate_id: held.affiliate.id, entry_type: 'adjustment', limit: 200 })).length

  it('returns the first entry', async () => {
    const body = adjustment()
    const { body: entry } = await send(body)
    const entries = await entriesNow()
    expect(await send(body)).toMatchObject({ status: 200, body: entry })
    expect(await entriesNow()).toBe(entries)
    await send(adjustment())
    expect(await entriesNow()).toBe(entries + 1)
  })

  it('with other values is refused', async () => {
    const body = adjustment()
    await send(body)
    const entries = await entriesNow()
    for (const other of [{ amount_minor: 70 }, { description: 'Correction' }])
      expect(await send({ ...body, ...other })).toMatchObject({
        status: 409,
        body: { error: { message: expect.stringContaining('already created with other values') } },
      })
    expect(await entriesNow()).toBe(entries)
  })

  it('at the same time makes one entry', async () => {
    const body = adjustment()
    const entries = await entriesNow()
    let first: { id: number } | undefined
    const { status, body: second } = await whileHeld(
      scene.database,
      async tx => {
        first = await adjustBalance(tx, scene.account.id, {
          affiliateId: body.affiliate_id,
          campaignId: body.campaign_id,
          amountMinor: body.amount_minor,
          description: body.description,
          requestId: body.request_id,
        })
      },
      () => send(body),
    )
    expect([status, second.id]).toEqual([200, first?.id])
    expect(await entriesNow()).toBe(entries + 1)
  })
})

it('exports what the filters let through', async () => {
  const query = { referral_id: held.referralId, status: 'pending' }
  const { text, headers } = await finance.call('exportCommissions', { query })
  expect(headers.get('content-disposition')).toBe('attachment; filename="commissions.csv"')
  const lines = text.split('\r\n')
  expect(lines).toHaveLength(4)
  expect(lines[0]?.startsWith('entry,created_at,type,status,')).toBe(true)
  expect(lines[1]).toContain(`,earned,pending,affiliate,${held.affiliate.id},${held.affiliate.email},`)
  expect(lines[1]).toContain(',10.00,USD,10.00,USD,')
  expect(lines[2]).toContain(',20.00,USD,20.00,USD,')
})

it('lets only those decide who move money', async () => {
  const viewer = await Person.join(scene.app, scene.account.id, 'viewer')
  expect((await viewer.call('listCommissions')).status).toBe(200)
  expect((await viewer.call('getCommission', { id: first.entry.id })).status).toBe(200)
  expect((await review([first.entry.id], 'approved', viewer)).status).toBe(403)
  const body = { affiliate_id: 1, campaign_id: 1, amount_minor: 1, description: 'x', request_id: 'request' }
  expect((await viewer.call('adjustBalance', { body })).status).toBe(403)
  const admin = await Person.join(scene.app, scene.account.id, 'admin')
  expect((await review([999_999_999], 'void', admin)).status).toBe(200)
  expect((await show(first.entry.id)).status).toBe('pending')
})

it('keeps accounts apart', async () => {
  const account = await buildAccount(scene.database)
  const stranger = await Person.join(scene.app, account.id, 'owner')
  expect((await stranger.call('getCommission', { id: first.entry.id })).status).toBe(404)
  expect((await stranger.at(scene.account.id).call('listCommissions')).status).toBe(404)
  expect((await stranger.call('listCommissions')).body).toEqual({ data: [], next: null, is_partial: false })
  expect((await stranger.call('exportCommissions')).text.split('\r\n')).toHaveLength(2)
  expect((await review([first.entry.id], 'approved', stranger)).body).toMatchObject({ done: 0 })
  const body = {
    affiliate_id: held.affiliate.id,
    campaign_id: held.campaign.id,
    amount_minor: 1,
    description: 'x',
    request_id: 'request',
  }
  expect((await stranger.call('adjustBalance', { body })).status).toBe(422)
  expect((await show(first.entry.id)).status).toBe('pending')
})

it.each([
  ['listCommissions', { query: { status: 'approved,paid' } }],
  ['listCommissions', { query: { entry_type: 'sale' } }],
  ['listCommissions', { query: { beneficiary: 'me' } }],
  ['listCommissions', { query: { customer_ref: 'x' } }],
  ['reviewCommissions', { body: { ids: [1], status: 'paid' } }],
  ['reviewCommissions', { body: { ids: [], status: 'void' } }],
  [
    'adjustBalance',
    { body: { affiliate_id: 1, campaign_id: 1, amount_minor: 1.5, description: 'x', request_id: 'request' } },
  ],
  [
    'adjustBalance',
    { body: { affiliate_id: 1, campaign_id: 1, amount_minor: 1, description: '', request_id: 'request' } },
  ],
  ['adjustBalance', { body: { affiliate_id: 1, campaign_id: 1, amount_minor: 1, request_id: 'request' } }],
] as const)('refuses %s with %j', async (route, input) => {
  expect((await finance.call(route, input as never)).status).toBe(422)
})

it('knows no commission of another name', async () => {
  for (const id of ['0', '999999999', 'one'])
    expect((await finance.call('getCommission', { id })).status).toBe(404)
})
