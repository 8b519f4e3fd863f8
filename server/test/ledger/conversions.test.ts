/** Protects the affiliate's credit: a conversion is credited once, by the written rule, and the answer says why. */
import { describe, expect, it } from 'vitest'
import { unique } from '../factories.ts'
import { brokenInvariants, useSoundScene } from '../harness.ts'
import {
  approvedAffiliate,
  buildClick,
  changeRewards,
  convert,
  countRows,
  entriesOf,
  openCampaign,
  percent,
  refund,
  sell,
  short,
  winCustomer,
} from './scene.ts'

const scene = useSoundScene()

async function setUp(terms = {}) {
  const campaign = await openCampaign(scene.database, scene.account.id, terms)
  const affiliate = await approvedAffiliate(scene, campaign.id)
  return { campaign, affiliate, base: { campaign_id: campaign.id, customer_ref: unique('customer') } }
}

it('201 with the referral, what the sale earned, and the explanation', async () => {
  const { campaign, affiliate, base } = await setUp()
  const { status, body } = await convert(scene.api, {
    ...base,
    token: affiliate.token,
    subscription_ref: 'sub-1',
    occurred_at: '2026-01-31T12:00:00.123+01:00',
    sale: { external_id: unique('sale'), amount_minor: 9999, currency: 'USD' },
  })
  expect(status).toBe(201)
  expect(body.referral).toMatchObject({
    ...base,
    affiliate_id: affiliate.id,
    subscription_ref: 'sub-1',
    status: 'approved',
    is_test: false,
    occurred_at: '2026-01-31T11:00:00.123Z',
  })
  expect(body.commissions).toHaveLength(1)
  expect(body.commissions[0]).toMatchObject({
    campaign_id: campaign.id,
    affiliate_id: affiliate.id,
    referral_id: body.referral.id,
    entry_type: 'earned',
    beneficiary: 'affiliate',
    amount_minor: 2000,
    payout_amount_minor: 2000,
    currency: 'USD',
    status: 'approved',
    hold_until: null,
  })
  expect(body.attribution).toMatchObject({
    affiliate_id: affiliate.id,
    model: 'last_click',
    window_days: 30,
    review: [],
  })
  expect((await scene.api.get(`/referrals/${body.referral.id}`)).body).toEqual(body.referral)
})

describe('reported again', () => {
  it('200 with the first answer’s objects, whatever the second report names', async () => {
    const { campaign, affiliate, base } = await setUp()
    const other = await approvedAffiliate(scene, campaign.id)
    const sale = { external_id: unique('sale'), amount_minor: 5000, currency: 'USD' }
    const first = await convert(scene.api, { ...base, token: affiliate.token, sale })
    const again = await convert(scene.api, { ...base, token: affiliate.token, sale })
    expect([first.status, again.status, again.body]).toEqual([201, 200, first.body])
    const rival = await convert(scene.api, { ...base, coupon_code: other.coupon_code })
    expect([rival.status, rival.body]).toEqual([200, first.body])
    expect(await entriesOf(scene, first.body.referral.id)).toHaveLength(1)
  })

  it('byte for byte under one Idempotency-Key', async () => {
    const { affiliate, base } = await setUp()
    const options = { headers: { 'idempotency-key': unique('key') } }
    const body = { ...base, token: affiliate.token }
    const first = await convert(scene.api, body, options)
    const again = await convert(scene.api, body, options)
    expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([
      201,
      first.text,
      'true',
    ])
    const other = await convert(scene.api, { ...body, is_test: true }, options)
    expect([other.status, other.body.error.code]).toEqual([409, 'conflict'])
  })

  it('the same customer is won again in another campaign, and by another name', async () => {
    const { affiliate, base } = await setUp()
    await convert(scene.api, { ...base, token: affiliate.token })
    const second = await setUp()
    const elsewhere = { ...second.base, customer_ref: base.customer_ref, token: second.affiliate.token }
    expect((await convert(scene.api, elsewhere)).status).toBe(201)
    const upper = { ...base, customer_ref: base.customer_ref.toUpperCase(), token: affiliate.token }
    expect((await convert(scene.api, upper)).status).toBe(201)
  })
})

describe('unattributed', () => {
  it.each([
    ['nothing given', {}, /no click, coupon code or token was sent/],
    ['unknown token', { token: 'unknown-token' }, /no affiliate has token/],
    ['unknown coupon', { coupon_code: 'UNKNOWN' }, /no affiliate has coupon code/],
    ['unknown click', { click_id: 123_456_789 }, /click not found/],
  ])('%s: 200, null and the reason', async (_what, evidence, reason) => {
    const { base } = await setUp()
    const { status, body } = await convert(scene.api, { ...base, ...evidence })
    expect([status, body.referral, body.commissions, body.attribution.affiliate_id]).toEqual([
      200,
      null,
      [],
      null,
    ])
    expect(body.attribution.reason).toMatch(reason)
    expect(
      await countRows(scene, 'conversions', 'customer_ref = $1 AND referral_id IS NULL', [base.customer_ref]),
    ).toBe(1)
  })

  it('and attributed when a later report brings the evidence', async () => {
    const { affiliate, base } = await setUp()
    expect((await convert(scene.api, base)).body.referral).toBeNull()
    const later = await convert(scene.api, { ...base, token: affiliate.token })
    expect([later.status, later.body.referral.affiliate_id]).toEqual([201, affiliate.id])
    expect(await countRows(scene, 'conversions', 'customer_ref = $1', [base.customer_ref])).toBe(1)
    const again = await convert(scene.api, base)
    expect([again.status, again.body]).toEqual([200, later.body])
  })

  it('and the sale that came with it earns once the conversion is attributed', async () => {
    const { affiliate, base } = await setUp()
    const sale = { external_id: unique('sale'), amount_minor: 10_000, currency: 'USD' }
    expect((await convert(scene.api, { ...base, sale })).body).toMatchObject({
      referral: null,
      commissions: [],
    })
    const later = await convert(scene.api, { ...base, token: affiliate.token, sale })
    expect(later.status).toBe(201)
    expect(later.body.commissions.map((entry: { amount_minor: number }) => entry.amount_minor)).toEqual([
      2000,
    ])
  })

  it('and that sale earns, with its refunds, if the later report has only the evidence', async () => {
    const { affiliate, base } = await setUp()
    const sale = { external_id: unique('sale'), amount_minor: 10_000, currency: 'USD' }
    await convert(scene.api, { ...base, sale })
    const back = { external_id: unique('refund'), sale_external_id: sale.external_id, amount_minor: 2500 }
    await refund(scene.api, back)
    const later = await convert(scene.api, { ...base, token: affiliate.token })
    expect([later.status, later.body.commissions.map(short)]).toEqual([201, [['earned', 2000, 'approved']]])
    expect(await convert(scene.api, { ...base, sale })).toMatchObject({ status: 200, body: later.body })
    expect((await entriesOf(scene, later.body.referral.id)).map(short)).toEqual([
      ['earned', 2000, 'approved'],
      ['clawback', -500, 'approved'],
    ])
  })

  describe('and that sale is', () => {
    const once = { rewards: [percent(2000, { recurringMonths: 0 })] }
    const sale = (amount_minor: number) => ({ external_id: unique('sale'), amount_minor, currency: 'USD' })
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
    const clickOf = async (affiliate: { id: number }, campaign: { id: number }, days: number) => ({
      click_id: await buildClick(scene, {
        campaignId: campaign.id,
        affiliateId: affiliate.id,
        ago: `${days} days`,
      }),
    })

    it.each([
      ['the first one, if the click of the later report was before it', 20, 10, [2000]],
      ['not theirs, if the click came after it', 5, 10, [1000]],
    ])('%s', async (_what, clickedDaysAgo, soldDaysAgo, earned) => {
      const { affiliate, campaign, base } = await setUp(once)
      await convert(scene.api, { ...base, occurred_at: daysAgo(soldDaysAgo), sale: sale(10_000) })
      const click = await clickOf(affiliate, campaign, clickedDaysAgo)
      const later = await convert(scene.api, { ...base, ...click, sale: sale(5000) })
      expect(later.status).toBe(201)
      const entries = await entriesOf(scene, later.body.referral.id)
      expect(entries.map(entry => entry.amount_minor)).toEqual(earned)
    })

    it('not theirs, if the campaign was paused when it was made, however long ago', async () => {
      const { affiliate, campaign, base } = await setUp()
      const visits = { campaignId: campaign.id, affiliateId: affiliate.id, visitorId: unique('visitor') }
      const click_id = await buildClick(scene, { ...visits, ago: '50 days' })
      await buildClick(scene, { ...visits, ago: '5 days' })
      await scene.database.owner.query(
        `INSERT INTO campaign_stops (account_id, campaign_id, status, began_at, ended_at)
         VALUES ($1, $2, 'paused', now() - interval '41 days', now() - interval '39 days')`,
        [scene.account.id, campaign.id],
      )
      await convert(scene.api, { ...base, occurred_at: daysAgo(40), sale: sale(10_000) })
      const later = await convert(scene.api, { ...base, click_id })
      expect([later.status, later.body.commissions]).toEqual([201, []])
    })

    it('theirs, if it was made after what the later report reports', async () => {
      const { affiliate, base } = await setUp()
      await convert(scene.api, { ...base, occurred_at: daysAgo(5), sale: sale(10_000) })
      const named = { token: affiliate.token, occurred_at: daysAgo(9), sale: sale(5000) }
      const later = await convert(scene.api, { ...base, ...named })
      const entries = await entriesOf(scene, later.body.referral.id)
      expect(entries.map(entry => entry.amount_minor).sort()).toEqual([1000, 2000])
    })

    it('not theirs, if the code or token comes with another sale', async () => {
      const { affiliate, base } = await setUp(once)
      await convert(scene.api, { ...base, sale: sale(10_000) })
      const later = await convert(scene.api, { ...base, token: affiliate.token, sale: sale(5000) })
      expect([later.status, later.body.commissions.map(short)]).toEqual([201, [['earned', 1000, 'approved']]])
      expect(await entriesOf(scene, later.body.referral.id)).toHaveLength(1)
    })

    it('not theirs, if it is older than the window', async () => {
      const { affiliate, base } = await setUp()
      await convert(scene.api, { ...base, occurred_at: daysAgo(31), sale: sale(10_000) })
      const later = await convert(scene.api, { ...base, token: affiliate.token })
      expect([later.status, later.body.commissions]).toEqual([201, []])
    })

    it('left alone, if it was a test', async () => {
      const { affiliate, base } = await setUp()
      const first = sale(10_000)
      await convert(scene.api, { ...base, is_test: true, sale: first, occurred_at: daysAgo(1) })
      const live = { ...base, token: affiliate.token, occurred_at: daysAgo(2) }
      const later = await convert(scene.api, live)
      expect([later.status, later.body.commissions]).toEqual([201, []])
      expect(
        await countRows(scene, 'sales', 'external_id = $1 AND referral_id IS NULL', [first.external_id]),
      ).toBe(1)
    })

    it('left alone, if it was a test before a report without evidence was not', async () => {
      const { affiliate, base } = await setUp()
      await convert(scene.api, { ...base, is_test: true, sale: sale(10_000) })
      await convert(scene.api, base)
      const later = await convert(scene.api, { ...base, token: affiliate.token })
      expect([later.status, later.body.commissions]).toEqual([201, []])
    })

    it.each(['names it', 'does not name it'])(
      'paid by the rules of when it was reported: a report that %s',
      async how => {
        const { affiliate, campaign, base } = await setUp()
        const first = sale(10_000)
        await convert(scene.api, { ...base, sale: first })
        await changeRewards(scene, campaign, [percent(500)])
        const named = how === 'names it' && { sale: first }
        const later = await convert(scene.api, { ...base, token: affiliate.token, ...named })
        expect(later.body.commissions.map(short)).toEqual([['earned', 2000, 'approved']])
      },
    )
  })

  it('and that sale earns once, if many customers’ sales and evidence are reported together', async () => {
    const { affiliate, base } = await setUp()
    const customers = Array.from({ length: 12 }, () => ({
      report: { ...base, customer_ref: unique('customer') },
      sale: { external_id: unique('sale'), amount_minor: 10_000, currency: 'USD' },
    }))
    // Half of them have reported the sale before, and the others do so at the same time.
    for (const { report, sale } of customers.slice(6)) await convert(scene.api, { ...report, sale })
    await Promise.all(
      customers.flatMap(({ report, sale }) => [
        convert(scene.api, { ...report, sale }),
        convert(scene.api, { ...report, token: affiliate.token }),
      ]),
    )
    for (const { report } of customers) {
      const { body } = await convert(scene.api, report)
      expect(body.commissions.map(short)).toEqual([['earned', 2000, 'approved']])
      expect(await entriesOf(scene, body.referral.id)).toHaveLength(1)
    }
  })
})

describe('evidence', () => {
  it.each([
    ['a number', (id: number) => id],
    ['a text', (id: number) => String(id)],
  ])('a click as %s', async (_what, write) => {
    const { campaign, affiliate, base } = await setUp()
    const id = await buildClick(scene, { campaignId: campaign.id, affiliateId: affiliate.id })
    const { status, body } = await convert(scene.api, { ...base, click_id: write(id) })
    expect([status, body.referral.affiliate_id]).toEqual([201, affiliate.id])
    expect(body.attribution.candidates).toMatchObject([{ source: 'click', click_id: id, outcome: 'won' }])
  })

  it('a coupon code, whatever its case, beats the click', async () => {
    const { campaign, affiliate, base } = await setUp()
    const rival = await approvedAffiliate(scene, campaign.id)
    const click_id = await buildClick(scene, { campaignId: campaign.id, affiliateId: rival.id })
    for (const coupon_code of [affiliate.coupon_code.toUpperCase(), affiliate.coupon_code.toLowerCase()]) {
      const { body } = await convert(scene.api, { ...base, customer_ref: unique('c'), coupon_code, click_id })
      expect(body.referral.affiliate_id).toBe(affiliate.id)
    }
  })

  it.each([
    ['last_click', 1],
    ['first_click', 0],
  ] as const)('%s over all clicks of the visitor', async (attribution_model, expected) => {
    const { campaign, affiliate, base } = await setUp({ attribution_model })
    const rival = await approvedAffiliate(scene, campaign.id)
    const clicks = { campaignId: campaign.id, visitorId: unique('visitor') }
    const old = await buildClick(scene, { ...clicks, affiliateId: affiliate.id, ago: '2 days' })
    await buildClick(scene, { ...clicks, affiliateId: rival.id, ago: '1 day' })
    const { body } = await convert(scene.api, { ...base, click_id: old })
    expect(body.referral.affiliate_id).toBe([affiliate, rival][expected]?.id)
    expect(body.attribution.candidates).toHaveLength(2)
  })

  it('the first click still wins after the visitor has clicked a hundred times more', async () => {
    const { campaign, affiliate, base } = await setUp({ attribution_model: 'first_click' })
    const rival = await approvedAffiliate(scene, campaign.id)
    const clicks = { campaignId: campaign.id, visitorId: unique('visitor') }
    await buildClick(scene, { ...clicks, affiliateId: affiliate.id, ago: '2 days' })
    const click_id = await buildClick(scene, { ...clicks, affiliateId: rival.id, ago: '1 day', count: 100 })
    expect((await convert(scene.api, { ...base, click_id })).body.referral.affiliate_id).toBe(affiliate.id)
  })
})

describe('a sale that was reported before its conversion earns', () => {
  const SIGNED_UP = '2026-06-01T10:00:00.000Z'
  const sale = (amount_minor: number, day: string, more = {}) => ({
    ...{ external_id: unique('sale'), amount_minor, currency: 'USD' },
    ...{ occurred_at: `2026-06-${day}T12:00:00.000Z`, ...more },
  })
  const sold = async (customer_ref: string, ...sales: object[]) => {
    for (const one of sales)
      expect((await sell(scene.api, { customer_ref, ...one })).body.referral).toBeNull()
  }
  const earned = async (referral: { id: number }) =>
    (await entriesOf(scene, referral.id)).map(entry => entry.amount_minor)

  it('as it would have after it, if it happened since', async () => {
    const { affiliate, base } = await setUp({ rewards: [percent(2000, { recurringMonths: 0 })] })
    await sold(base.customer_ref, sale(500, '03'), sale(4000, '02'))
    await sold(base.customer_ref, { ...sale(9000, '01'), occurred_at: '2026-06-01T09:59:59.999Z' })
    const report = { ...base, token: affiliate.token, occurred_at: SIGNED_UP }
    const own = { external_id: unique('sale'), amount_minor: 7000, currency: 'USD' }
    const { status, body } = await convert(scene.api, { ...report, sale: own })
    expect([status, body.commissions]).toEqual([201, []])
    expect(await earned(body.referral)).toEqual([100])
    expect(
      await countRows(scene, 'sales', 'customer_ref = $1 AND referral_id = $2', [
        base.customer_ref,
        body.referral.id,
      ]),
    ).toBe(3)
    expect((await convert(scene.api, report)).status).toBe(200)
    expect(await earned(body.referral)).toEqual([100])
  })

  it.each(['names', 'named before'])('as the first, also the one that the report %s', async how => {
    const { affiliate, base } = await setUp({ rewards: [percent(2000, { recurringMonths: 0 })] })
    const { occurred_at, ...first } = sale(70_000, '02')
    if (how === 'names') await sold(base.customer_ref, { ...first, occurred_at })
    else await convert(scene.api, { ...base, sale: first, occurred_at })
    await sold(base.customer_ref, sale(500, '03'))
    const report = { ...base, token: affiliate.token, occurred_at: SIGNED_UP }
    const { body } = await convert(scene.api, how === 'names' ? { ...report, sale: first } : report)
    expect(body.commissions.map(short)).toEqual([['earned', 14_000, 'approved']])
    expect(await earned(body.referral)).toEqual([14_000])
  })

  it('also if it waits for a rate', async () => {
    const { affiliate, base } = await setUp()
    const waiting = { external_id: unique('sale'), amount_minor: 10_000, currency: 'ISK' }
    await convert(scene.api, { ...base, sale: waiting, occurred_at: '2026-06-02T12:00:00.000Z' })
    const report = { ...base, token: affiliate.token, occurred_at: SIGNED_UP }
    const { body } = await convert(scene.api, report)
    expect([body.commissions, body.waiting_for]).toEqual([[], 'fx_rate'])
  })

  it('but none for a conversion of now, and none that named another campaign', async () => {
    const { affiliate, campaign, base } = await setUp()
    const other = await setUp()
    await sold(base.customer_ref, sale(500, '02'), sale(700, '02', { campaign_id: other.campaign.id }))
    await sold(base.customer_ref, sale(900, '02', { campaign_id: campaign.id }))
    const late = { ...other.base, customer_ref: base.customer_ref, token: other.affiliate.token }
    expect(await earned((await convert(scene.api, late)).body.referral)).toEqual([])
    const { body } = await convert(scene.api, { ...base, token: affiliate.token, occurred_at: SIGNED_UP })
    expect(await earned(body.referral)).toEqual([100, 180])
  })

  it('once, with its refunds, beside a second report of it', async () => {
    const { affiliate, base } = await setUp()
    const early = sale(10_000, '02')
    await sold(base.customer_ref, early)
    await refund(scene.api, { ...{ external_id: unique('refund') }, sale_external_id: early.external_id })
    const later = sale(5000, '03')
    await sold(base.customer_ref, later)
    const report = { ...base, token: affiliate.token, occurred_at: SIGNED_UP }
    const [{ body }] = await Promise.all([
      convert(scene.api, report),
      sell(scene.api, { customer_ref: base.customer_ref, ...later }),
    ])
    expect((await entriesOf(scene, body.referral.id)).map(short)).toEqual([
      ['earned', 2000, 'approved'],
      ['clawback', -2000, 'approved'],
      ['earned', 1000, 'approved'],
    ])
  })
})

describe('a test about a customer with a live conversion', () => {
  const sale = () => ({ external_id: unique('sale'), amount_minor: 10_000, currency: 'USD' })

  it('earns nothing, and is answered with that conversion', async () => {
    const { affiliate, base } = await setUp()
    const live = await convert(scene.api, { ...base, token: affiliate.token, sale: sale() })
    const test = { ...base, token: affiliate.token, is_test: true, sale: sale() }
    expect(await convert(scene.api, test)).toMatchObject({ status: 200, body: live.body })
    expect(await entriesOf(scene, live.body.referral.id)).toHaveLength(1)
    expect(await countRows(scene, 'sales', 'external_id = $1', [test.sale.external_id])).toBe(0)
  })

  it('leaves it without an affiliate for the evidence of a live report', async () => {
    const { affiliate, base } = await setUp()
    const live = await convert(scene.api, { ...base, sale: sale() })
    const test = { ...base, token: affiliate.token, is_test: true, sale: sale() }
    expect(await convert(scene.api, test)).toMatchObject({ status: 200, body: live.body })
    const { status, body } = await convert(scene.api, { ...base, token: affiliate.token })
    expect([status, body.referral.is_test, body.commissions.map(short)]).toEqual([
      201,
      false,
      [['earned', 2000, 'approved']],
    ])
  })
})

it('a live conversion is refused where a test has credited the customer', async () => {
  const { affiliate, base } = await setUp()
  const sale = { external_id: unique('sale'), amount_minor: 10_000, currency: 'USD' }
  await convert(scene.api, { ...base, token: affiliate.token, is_test: true })
  const live = await convert(scene.api, { ...base, token: affiliate.token, sale })
  expect([live.status, live.body.error.code]).toEqual([409, 'conflict'])
  expect(await countRows(scene, 'sales', 'external_id = $1', [sale.external_id])).toBe(0)
  expect((await convert(scene.api, { ...base, is_test: true, sale })).status).toBe(200)
})

it('a test is recorded as one', async () => {
  const { referralId } = await winCustomer(scene, {}, { is_test: true })
  expect((await scene.api.get(`/referrals/${referralId}`)).body.is_test).toBe(true)
})

it('a sale that is refused takes the conversion with it', async () => {
  const { affiliate, base } = await setUp({ rewards: [percent(2000)] })
  const sale = { external_id: unique('sale'), amount_minor: 1, currency: 'QQQ' }
  expect((await convert(scene.api, { ...base, token: affiliate.token, sale })).status).toBe(422)
  expect(await countRows(scene, 'conversions', 'customer_ref = $1', [base.customer_ref])).toBe(0)
  expect(await countRows(scene, 'referrals', 'customer_ref = $1', [base.customer_ref])).toBe(0)
})

it('all of it leaves the ledger whole', async () => {
  expect(await brokenInvariants(scene.database)).toEqual([])
})
