/** The referrals of the dashboard: who was credited and why, what it brought, and the decisions of people about it. */
import type { ReferralDetail, ReferralSummary } from '@tributary/contract/dashboard'
import { beforeAll, expect, it } from 'vitest'
import { csvReferrals } from '../../src/dashboard/referrals/csv-referrals.ts'
import { presentAttribution } from '../../src/earning/attribution/attribute.ts'
import { buildAccount, buildReferral, unique } from '../factories.ts'
import { useScene } from '../harness.ts'
import {
  approvedAffiliate,
  buildClick,
  convert,
  earnOne,
  entriesOf,
  openCampaign,
  pay,
  refund,
  short,
  type Won,
  winCustomer,
} from '../ledger/scene.ts'
import { Person } from './person.ts'

const scene = useScene()
let admin: Person
let won: Won
let waiting: Won
beforeAll(async () => {
  admin = await Person.join(scene.app, scene.account.id, 'admin')
  won = await winCustomer(scene)
  waiting = await winCustomer(scene, { reviewsReferrals: true })
})

const list = async (query: Record<string, unknown> = {}): Promise<ReferralSummary[]> =>
  (await admin.call('listReferrals', { query })).body.data
const idsOf = (rows: { id: number }[]) => rows.map(({ id }) => id)
const show = async (id: number): Promise<ReferralDetail> => (await admin.call('getReferral', { id })).body
const review = (ids: number[], status: string, person = admin) =>
  person.call('reviewReferrals', { body: { ids, status } })

it('lists referrals with names, flags, revenue less refunds and what the affiliate earned', async () => {
  const { external_id } = await earnOne(scene, won, 10_000)
  await earnOne(scene, won, 5_000)
  await refund(scene.api, {
    external_id: unique('refund'),
    sale_external_id: external_id,
    amount_minor: 4000,
  })
  const [row] = await list({ affiliate_id: won.affiliate.id })
  expect(row).toMatchObject({
    id: won.referralId,
    customer_ref: won.customer_ref,
    affiliate_email: won.affiliate.email,
    campaign_name: 'Programme',
    status: 'approved',
    flags: [],
    revenue: [{ currency: 'USD', amount_minor: 11_000 }],
    commissions: [{ status: 'approved', currency: 'USD', amount_minor: 2200 }],
  })
  expect(await list({ affiliate_id: waiting.affiliate.id })).toMatchObject([
    {
      status: 'pending_review',
      flags: ['the campaign reviews every referral'],
      revenue: [],
      commissions: [],
    },
  ])
})

it('filters by what a person would ask', async () => {
  const test = await winCustomer(scene, {}, { is_test: true })
  expect(idsOf(await list({ status: 'pending_review' }))).toContain(waiting.referralId)
  expect(idsOf(await list({ status: 'pending_review' }))).not.toContain(won.referralId)
  expect(idsOf(await list({ campaign_id: won.campaign.id }))).toEqual([won.referralId])
  expect(idsOf(await list({ affiliate_id: won.affiliate.id }))).toEqual([won.referralId])
  expect(idsOf(await list({ customer_ref: waiting.customer_ref }))).toEqual([waiting.referralId])
  expect(idsOf(await list({ is_test: true }))).toEqual([test.referralId])
  expect(await list({ created_before: '2020-01-01T00:00:00Z' })).toEqual([])
  expect(idsOf(await list({ created_after: '2020-01-01T00:00:00Z' }))).toContain(won.referralId)
})

it('pages in either direction and counts what waits for a decision', async () => {
  const place = { ...scene.place }
  const ids = [await buildReferral(scene.database, place), await buildReferral(scene.database, place)]
  const query = { affiliate_id: place.affiliate_id, limit: 1 }
  const first = (await admin.call('listReferrals', { query })).body
  expect(idsOf(first.data)).toEqual([ids[1]])
  expect(first.next).toBe(ids[1])
  expect(first.needs_review).toBe(1)
  const second = (await admin.call('listReferrals', { query: { ...query, after: first.next } })).body
  expect([idsOf(second.data), second.next]).toEqual([[ids[0]], null])
  const oldest = (await admin.call('listReferrals', { query: { ...query, order: 'oldest' } })).body
  expect(idsOf(oldest.data)).toEqual([ids[0]])
})

it('explains a referral: every candidate by name, its clicks, sales and refunds', async () => {
  const campaign = await openCampaign(scene.database, scene.account.id, { attribution_window_days: 30 })
  const [winner, loser] = [
    await approvedAffiliate(scene, campaign.id, { name: 'Ada' }),
    await approvedAffiliate(scene, campaign.id),
  ]
  const visitorId = unique('visitor')
  const clicks = { campaignId: campaign.id, visitorId }
  const lost = await buildClick(scene, { ...clicks, affiliateId: loser.id, ago: '3 days' })
  const last = await buildClick(scene, { ...clicks, affiliateId: winner.id, ago: '1 day' })
  const customer_ref = unique('customer')
  const answer = await convert(scene.api, { campaign_id: campaign.id, customer_ref, click_id: last })
  const referralId = answer.body.referral.id
  const sale = await earnOne(scene, { campaign, affiliate: winner, customer_ref, referralId })
  await refund(scene.api, { external_id: 'back', sale_external_id: sale.external_id, amount_minor: 1 })

  const detail = await show(referralId)
  const { attribution } = detail.explanation as NonNullable<typeof detail.explanation>
  expect(presentAttribution(attribution)).toEqual(answer.body.attribution)
  expect(attribution.why).toEqual({ code: 'last_click', age_ms: expect.any(Number), window_days: 30 })
  expect(attribution.candidates.map(({ why }) => why)).toMatchObject([
    { code: 'inside_window', window_days: 30 },
    { code: 'inside_window', beaten_by: { source: 'click', click_id: last, order: 'later' } },
  ])
  expect(detail.explanation?.affiliates).toEqual([
    { id: winner.id, name: 'Ada', email: winner.email },
    { id: loser.id, name: null, email: loser.email },
  ])
  expect(idsOf(detail.clicks)).toEqual([lost, last])
  expect(detail.sales).toMatchObject([{ external_id: sale.external_id, amount_minor: 10_000 }])
  expect(detail.refunds).toMatchObject([
    { external_id: 'back', amount_minor: 1, sale_id: detail.sales[0]?.id },
  ])
  expect(detail.more_sales).toBe(false)
})

it('shows a referral whose conversion is not on record', async () => {
  const id = await buildReferral(scene.database, scene.place)
  expect(await show(id)).toMatchObject({ explanation: null, clicks: [], sales: [] })
})

it('approves and rejects in bulk, with what follows for the money, and writes down who did it', async () => {
  const terms = { reviewsReferrals: true }
  const [good, bad] = [await winCustomer(scene, terms), await winCustomer(scene, terms)]
  for (const each of [good, bad]) await earnOne(scene, each)
  const paid = await winCustomer(scene)
  await earnOne(scene, paid)
  await pay(scene, paid.campaign.id)

  const approved = await review([good.referralId, won.referralId, 999_999_999], 'approved')
  expect(approved.status).toBe(200)
  expect(approved.body).toEqual({
    done: 1,
    refused: [
      { id: won.referralId, message: "The referral is approved and can't be approved." },
      { id: 999_999_999, message: 'There is no such referral.' },
    ],
  })
  expect((await review([bad.referralId, paid.referralId], 'rejected')).body).toEqual({ done: 2, refused: [] })
  expect((await entriesOf(scene, good.referralId)).map(short)).toEqual([['earned', 2000, 'approved']])
  expect((await entriesOf(scene, bad.referralId)).map(short)).toEqual([['earned', 2000, 'void']])
  expect((await entriesOf(scene, paid.referralId)).map(short)).toEqual([
    ['earned', 2000, 'paid'],
    ['clawback', -2000, 'approved'],
  ])

  const log = (await admin.call('listAuditLog', { query: { action: 'referral.review', limit: 1 } })).body.data
  expect(log).toMatchObject([
    { actor_name: admin.email, details: { ids: [bad.referralId, paid.referralId], status: 'rejected' } },
  ])
})

it('lists unattributed conversions, with the reason and the candidates by name', async () => {
  const campaign = await openCampaign(scene.database, scene.account.id)
  const affiliate = await approvedAffiliate(scene, campaign.id)
  const late = await buildClick(scene, { campaignId: campaign.id, affiliateId: affiliate.id, ago: '40 days' })
  const refs = [unique('customer'), unique('customer')]
  const report = (customer_ref: string | undefined, extra: object) =>
    convert(scene.api, { campaign_id: campaign.id, customer_ref, ...extra })
  await report(refs[0], { click_id: late })
  const sale = { external_id: unique('sale'), amount_minor: 4900, currency: 'EUR' }
  await report(refs[1], { token: 'unknown-token', sale })

  const query = { campaign_id: campaign.id }
  const { data, next } = (await admin.call('listUnattributed', { query })).body
  expect(next).toBe(null)
  expect(data).toMatchObject([
    { customer_ref: refs[1], sale, affiliates: [], campaign_name: 'Programme' },
    { customer_ref: refs[0], sale: null, affiliates: [{ id: affiliate.id, email: affiliate.email }] },
  ])
  expect(data[0].attribution.reason).toBe('Unattributed: no affiliate has token "unknown-token".')
  expect(data[1].attribution.reason).toMatch(
    /clicked 40 days before the conversion, outside the 30-day window/,
  )

  const page = (await admin.call('listUnattributed', { query: { ...query, limit: 1 } })).body
  const rest = (await admin.call('listUnattributed', { query: { ...query, after: page.next } })).body
  expect([...idsOf(page.data), ...idsOf(rest.data)]).toEqual(idsOf(data))
  const one = (await admin.call('listUnattributed', { query: { customer_ref: refs[0] } })).body
  expect(idsOf(one.data)).toEqual([data[1].id])
  // Once an affiliate is credited for the customer, it is a referral and no longer listed.
  await report(refs[0], { token: affiliate.token })
  expect((await admin.call('listUnattributed', { query })).body.data).toHaveLength(1)
})

it('exports what the filters let through', async () => {
  const { headers, text, status } = await admin.call('exportReferrals', {
    query: { affiliate_id: won.affiliate.id },
  })
  expect([status, headers.get('content-type'), headers.get('content-disposition')]).toEqual([
    200,
    'text/csv; charset=utf-8',
    'attachment; filename="referrals.csv"',
  ])
  const [head, line, end] = text.split('\r\n')
  expect(head?.startsWith('referral,created_at,occurred_at,customer,')).toBe(true)
  expect(line).toContain(`,${won.customer_ref},,approved,false,${won.affiliate.id},${won.affiliate.email},`)
  expect(line?.endsWith('110.00 USD,')).toBe(true)
  expect(end).toBe('')
})

it('exports more rows than one fetch holds, and stops when the reader goes away', async () => {
  const campaign = await openCampaign(scene.database, scene.account.id)
  await scene.database.owner.query(
    `INSERT INTO referrals (account_id, campaign_id, affiliate_id, customer_ref, status, occurred_at)
     SELECT $1, $2, $3, 'many-' || n, 'approved', now() FROM generate_series(1, 2500) n`,
    [scene.account.id, campaign.id, scene.place.affiliate_id],
  )
  const { text } = await admin.call('exportReferrals', { query: { campaign_id: campaign.id } })
  const lines = text.trimEnd().split('\r\n')
  expect([lines.length, new Set(lines).size]).toEqual([2501, 2501])

  const pages = csvReferrals(scene.database.db, scene.account.id, { campaign_id: campaign.id })
  expect((await pages.next()).value).toContain('referral,')
  expect((await pages.next()).value).toContain('many-2500')
  await pages.return(undefined)
  // The transaction of the file above may still be ending.
  const { pool } = scene.database.db
  await expect.poll(() => pool.totalCount - pool.idleCount, { timeout: 25_000 }).toBe(0)
})

it('lets only those decide who run the programme', async () => {
  for (const role of ['viewer', 'finance'] as const) {
    const person = await Person.join(scene.app, scene.account.id, role)
    expect((await person.call('listReferrals')).status).toBe(200)
    expect((await person.call('listUnattributed')).status).toBe(200)
    expect((await person.call('getReferral', { id: won.referralId })).status).toBe(200)
    expect((await review([waiting.referralId], 'approved', person)).status).toBe(403)
  }
  expect((await show(waiting.referralId)).status).toBe('pending_review')
})

it('keeps accounts apart', async () => {
  const account = await buildAccount(scene.database)
  const stranger = await Person.join(scene.app, account.id, 'owner')
  expect((await stranger.call('getReferral', { id: won.referralId })).status).toBe(404)
  expect((await stranger.at(scene.account.id).call('listReferrals')).status).toBe(404)
  expect((await stranger.call('listReferrals')).body).toEqual({ data: [], next: null, needs_review: 0 })
  expect((await stranger.call('listUnattributed')).body.data).toEqual([])
  expect((await stranger.call('exportReferrals')).text.split('\r\n')).toHaveLength(2)
  expect((await review([waiting.referralId], 'approved', stranger)).body).toMatchObject({ done: 0 })
  expect((await show(waiting.referralId)).status).toBe('pending_review')
})

it.each([
  ['listReferrals', { query: { status: 'paid' } }],
  ['listReferrals', { query: { is_test: 'maybe' } }],
  ['listReferrals', { query: { created_after: 'yesterday' } }],
  ['listReferrals', { query: { limit: 201 } }],
  ['listUnattributed', { query: { affiliate_id: 1 } }],
  ['exportReferrals', { query: { after: 1 } }],
  ['reviewReferrals', { body: { ids: [], status: 'approved' } }],
  ['reviewReferrals', { body: { ids: [1], status: 'pending_review' } }],
  ['reviewReferrals', { body: { ids: ['1'], status: 'approved' } }],
  ['reviewReferrals', { body: { status: 'approved' } }],
] as const)('refuses %s with %j', async (route, input) => {
  expect((await admin.call(route, input as never)).status).toBe(422)
})

it('knows no referral of another name', async () => {
  for (const id of ['0', '999999999', 'one'])
    expect((await admin.call('getReferral', { id })).status).toBe(404)
})
