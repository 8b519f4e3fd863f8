/**
 * Protects crediting by a person: an unattributed conversion is credited once, with exactly the commissions that the preview showed and that
 * attribution would have earned, less refunds, whatever is reported at the same time.
 */
import type { Affiliate } from '@tributary/contract'
import { beforeAll, describe, expect, it } from 'vitest'
import { creditManually } from '../../src/earning/conversions/credit-manually.ts'
import { reportConversion } from '../../src/earning/conversions/report-conversion.ts'
import { reportRefund } from '../../src/earning/refunds/report-refund.ts'
import { reportSale } from '../../src/earning/sales/report-sale.ts'
import { rejectAffiliate } from '../../src/programme/affiliates/review-affiliate.ts'
import { setCampaignStatus } from '../../src/programme/campaigns/set-campaign-status.ts'
import { Person } from '../dashboard/person.ts'
import { buildAffiliate, unique } from '../factories.ts'
import { brokenInvariants, useSoundScene } from '../harness.ts'
import { whileHeld } from '../interleave.ts'
import {
  approvedAffiliate,
  convert,
  countRows,
  entriesOf,
  openCampaign,
  percent,
  refund,
  sell,
  short,
  type Terms,
} from './scene.ts'

const scene = useSoundScene()
let admin: Person
beforeAll(async () => {
  admin = await Person.join(scene.app, scene.account.id, 'admin')
})
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
const sound = async () => expect(await brokenInvariants(scene.database)).toEqual([])
const newSale = (amount_minor = 10_000, currency = 'USD') => ({
  external_id: unique('sale'),
  amount_minor,
  currency,
})

/** An unattributed conversion of three days ago, and an affiliate to credit. */
async function ground(terms: Terms = {}, extra: object = {}) {
  const campaign = await openCampaign(scene.database, scene.account.id, terms)
  const affiliate = await approvedAffiliate(scene, campaign.id)
  const customer_ref = unique('customer')
  const report = { campaign_id: campaign.id, customer_ref, occurred_at: daysAgo(3), ...extra }
  expect((await convert(scene.api, report)).body.referral).toBeNull()
  const { data } = (await admin.call('listUnattributed', { query: { customer_ref } })).body
  const conversion_id: number = data[0].id
  const body = { conversion_id, campaign_id: campaign.id, affiliate_id: affiliate.id, reason: 'Phone call' }
  const use = { ...body, dry_run: false }
  const preview = () => admin.call('creditConversion', { body: { ...body, dry_run: true } })
  const credit = (extra: object = {}) => admin.call('creditConversion', { body: { ...use, ...extra } })
  return { campaign, affiliate, customer_ref, report, conversion_id, use, preview, credit }
}

const problemOf = ({ status, body }: { status: number; body: { error?: { message: string } } }) => [
  status,
  body.error?.message,
]

describe('crediting a conversion', () => {
  it('creates what the preview shows: the referral, and the commissions of its sales so far with their holds', async () => {
    const sale = newSale()
    const { affiliate, customer_ref, report, preview, credit } = await ground(
      { hold_days: 30, rewards: [percent(2000, { recurringMonths: 1 })] },
      { sale, subscription_ref: 'sub-7' },
    )
    const before = { ...newSale(), occurred_at: daysAgo(9) }
    const since = { ...newSale(5000), occurred_at: daysAgo(1) }
    for (const each of [before, since]) await sell(scene.api, { customer_ref, ...each })
    const shown = (await preview()).body
    expect(shown).toMatchObject({ id: null, status: 'approved', review: [], sales: 2, waiting_sales: 0 })
    expect(shown.entries).toMatchObject([
      { change: 'created', amount_minor: 2000, status: 'pending', affiliate_id: affiliate.id },
      { change: 'created', amount_minor: 1000, status: 'pending' },
    ])
    expect(await countRows(scene, 'referrals', 'customer_ref = $1', [customer_ref])).toBe(0)
    const done = (await credit({ digest: shown.digest })).body
    expect(done).toEqual({ ...shown, id: expect.any(Number) })
    expect((await entriesOf(scene, done.id)).map(short)).toEqual([
      ['earned', 2000, 'pending'],
      ['earned', 1000, 'pending'],
    ])
    const again = (await convert(scene.api, report)).body
    expect(again).toMatchObject({
      referral: { id: done.id, affiliate_id: affiliate.id, subscription_ref: 'sub-7', status: 'approved' },
      attribution: { affiliate_id: affiliate.id },
    })
    expect(again.attribution.reason).toMatch(/^Credited manually on \d{4}-\d\d-\d\d: Phone call$/)
    const events = ['conversion.created', [done.id]]
    expect(await countRows(scene, 'events', 'kind = $1 AND subject_id = ANY ($2::bigint[])', events)).toBe(1)
    const { data } = (await admin.call('listAuditLog', { query: { action: 'referral.credit' } })).body
    expect(data[0]).toMatchObject({ subject_id: done.id, details: { reason: 'Phone call' } })
    expect(problemOf(await credit())).toEqual([409, 'The conversion is credited to an affiliate already.'])
    await sound()
  })

  it('takes back what was refunded, keeps a test a test, and waits for a rate', async () => {
    const sale = newSale()
    const { customer_ref, credit } = await ground({}, { sale, is_test: true })
    const refundOf = { external_id: unique('refund'), sale_external_id: sale.external_id, amount_minor: 2500 }
    expect((await refund(scene.api, refundOf)).status).toBe(201)
    await sell(scene.api, { customer_ref, ...newSale(700, 'ISK') })
    const { body } = await credit()
    expect(body).toMatchObject({ is_test: true, sales: 2, waiting_sales: 1 })
    expect((await entriesOf(scene, body.id)).map(short)).toEqual([
      ['earned', 2000, 'approved'],
      ['clawback', -500, 'approved'],
    ])
    expect((await scene.api.get(`/referrals/${body.id}`)).body.is_test).toBe(true)
    await sound()
  })

  it('in another campaign moves it there; a flagged referral needs review as any other', async () => {
    const { affiliate, customer_ref, credit } = await ground({}, { sale: newSale() })
    const other = await openCampaign(scene.database, scene.account.id, { reviewsReferrals: true })
    const request = { campaign_id: other.id }
    expect(problemOf(await credit(request))).toEqual([
      409,
      'The affiliate is not enrolled in this campaign. Enrol them first.',
    ])
    await scene.api.post('/affiliates', { email: affiliate.email, campaign_id: other.id })
    const { body } = await credit(request)
    expect(body).toMatchObject({
      status: 'pending_review',
      review: ['the campaign reviews every referral'],
      entries: [{ status: 'pending' }],
    })
    expect((await admin.call('listUnattributed', { query: { customer_ref } })).body.data).toEqual([])
    expect((await admin.call('getReferral', { id: body.id })).body).toMatchObject({ campaign_id: other.id })
    await sound()
  })

  it('is refused for whom or what attribution would not credit', async () => {
    const { campaign, customer_ref, credit } = await ground()
    const pending = await buildAffiliate(scene.database, scene.account.id, campaign.id)
    expect((await credit({ affiliate_id: pending.id })).status).toBe(409)
    expect((await credit({ affiliate_id: 999_999_999 })).status).toBe(422)
    expect((await credit({ campaign_id: 999_999_999 })).status).toBe(422)
    expect((await credit({ conversion_id: 999_999_999 })).status).toBe(404)
    expect((await credit({ reason: undefined })).status).toBe(422)
    const elsewhere = await openCampaign(scene.database, scene.account.id)
    await convert(scene.api, { campaign_id: elsewhere.id, customer_ref })
    expect(problemOf(await credit({ campaign_id: elsewhere.id }))).toEqual([
      409,
      'The customer has another unattributed conversion in this campaign. Credit that one.',
    ])
    await setCampaignStatus(scene.database.db, scene.account.id, campaign.id, 'archived')
    expect(problemOf(await credit())).toEqual([409, 'The campaign is archived. Restore it first.'])
    await setCampaignStatus(scene.database.db, scene.account.id, campaign.id, 'paused')
    expect((await credit()).status).toBe(200)
  })

  it('is refused when the effect is not the one that was shown', async () => {
    const { customer_ref, preview, credit } = await ground({}, { sale: newSale() })
    const { digest } = (await preview()).body
    await sell(scene.api, { customer_ref, ...newSale(1) })
    await sell(scene.api, { customer_ref, ...newSale(900) })
    expect(problemOf(await credit({ digest }))).toEqual([
      409,
      'The effect has changed since the preview. Check the new preview and try again.',
    ])
    expect(await countRows(scene, 'referrals', 'customer_ref = $1', [customer_ref])).toBe(0)
    expect((await credit({ digest: (await preview()).body.digest })).status).toBe(200)
  })
})

describe('beside', () => {
  const db = () => scene.database.db
  const accountId = () => scene.account.id
  const referralsOf = (customer_ref: string) =>
    countRows(scene, 'referrals', 'customer_ref = $1', [customer_ref])

  it('the same conversion reported with evidence, either order: one referral', async () => {
    const first = await ground({}, { sale: newSale() })
    const withToken = (to: Affiliate, report: typeof first.report) => ({ ...report, token: to.token })
    const reported = await whileHeld(
      scene.database,
      tx => creditManually(tx, accountId(), first.use),
      () => reportConversion(db(), accountId(), withToken(first.affiliate, first.report)),
    )
    expect(reported.created).toBe(false)
    expect(await referralsOf(first.customer_ref)).toBe(1)
    const second = await ground({}, { sale: newSale() })
    await expect(
      whileHeld(
        scene.database,
        tx => reportConversion(tx, accountId(), withToken(second.affiliate, second.report)),
        () => creditManually(db(), accountId(), second.use),
      ),
    ).rejects.toThrow('credited to an affiliate already')
    expect(await referralsOf(second.customer_ref)).toBe(1)
    await sound()
  })

  it('a new sale of the customer: it earns once, in either order', async () => {
    const { customer_ref, use, campaign } = await ground()
    const sale = { customer_ref, ...newSale() }
    const sold = await whileHeld(
      scene.database,
      tx => creditManually(tx, accountId(), use),
      () => reportSale(db(), accountId(), sale),
    )
    expect(sold.result.commissions).toHaveLength(1)
    expect(await countRows(scene, 'commissions', 'campaign_id = $1', [campaign.id])).toBe(1)
    const other = await ground()
    const credited = await whileHeld(
      scene.database,
      tx => reportSale(tx, accountId(), { customer_ref: other.customer_ref, ...newSale() }),
      () => creditManually(db(), accountId(), other.use),
    )
    expect(credited).toMatchObject({ sales: 1, entries: [{ amount_minor: 2000 }] })
    await sound()
  })

  it('a refund of the sale: it is taken back once', async () => {
    const sale = newSale()
    const { use, campaign } = await ground({}, { sale })
    await whileHeld(
      scene.database,
      tx => creditManually(tx, accountId(), use),
      () =>
        reportRefund(db(), accountId(), {
          external_id: unique('refund'),
          sale_external_id: sale.external_id,
        }),
    )
    const entries = (await scene.api.get(`/commissions?campaign_id=${campaign.id}`)).body.data
    expect(entries.map(short)).toEqual([
      ['clawback', -2000, 'approved'],
      ['earned', 2000, 'approved'],
    ])
    await sound()
  })

  it('a rejection of the affiliate: it waits, or is seen', async () => {
    const { use, affiliate, customer_ref } = await ground()
    await expect(
      whileHeld(
        scene.database,
        tx => rejectAffiliate(tx, accountId(), affiliate.id),
        () => creditManually(db(), accountId(), use),
      ),
    ).rejects.toThrow('The affiliate is rejected')
    expect(await referralsOf(customer_ref)).toBe(0)
  })
})

it('is for people who manage the programme', async () => {
  const finance = await Person.join(scene.app, scene.account.id, 'finance')
  const { use } = await ground()
  expect((await finance.call('creditConversion', { body: use })).status).toBe(403)
  expect((await finance.call('creditConversion', { body: { ...use, dry_run: true } })).status).toBe(403)
})
