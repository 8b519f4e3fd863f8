/** Protects what a sale earns: exactly once, under the rule in force, for as long as the rule says, and never in a wrong currency. */
import { describe, expect, it } from 'vitest'
import { reviewReferral } from '../../src/earning/referrals/review-referral.ts'
import { earnSalesAwaitingRate } from '../../src/earning/sales/earn-sales-awaiting-rate.ts'
import { unique } from '../factories.ts'
import { brokenInvariants, useOwnScene } from '../harness.ts'
import {
  approvedAffiliate,
  convert,
  countRows,
  earn,
  earnOne,
  entriesOf,
  flat,
  openCampaign,
  percent,
  refund,
  sell,
  short,
  useRate,
  winCustomer,
} from './scene.ts'

const scene = useOwnScene()
const sale = (customer_ref: string, overrides: object = {}) => ({
  customer_ref,
  external_id: unique('sale'),
  amount_minor: 10_000,
  currency: 'USD',
  ...overrides,
})

describe('exactly once by external_id', () => {
  it('201, then 200 with the same objects', async () => {
    const { customer_ref } = await winCustomer(scene)
    const body = sale(customer_ref)
    const [first, again] = [await sell(scene.api, body), await sell(scene.api, body)]
    expect([first.status, again.status, again.body]).toEqual([201, 200, first.body])
    expect(first.body.commissions).toHaveLength(1)
  })

  it.each([{ amount_minor: 10_001 }, { currency: 'EUR' }, { customer_ref: 'another customer' }])(
    '409 for a contradiction: %o',
    async change => {
      const { customer_ref, referralId } = await winCustomer(scene)
      const body = sale(customer_ref)
      await sell(scene.api, body)
      const answer = await sell(scene.api, { ...body, ...change })
      expect([answer.status, answer.body.error.code]).toEqual([409, 'conflict'])
      expect(await entriesOf(scene, referralId)).toHaveLength(1)
    },
  )
})

describe('whose sale it is', () => {
  it('200 and null for a customer who was not referred; the sale is stored', async () => {
    const body = sale(unique('stranger'))
    const answer = await sell(scene.api, body)
    expect([answer.status, answer.body]).toEqual([
      200,
      { referral: null, commissions: [], waiting_for: null },
    ])
    expect(await countRows(scene, 'sales', 'external_id = $1', [body.external_id])).toBe(1)
    expect((await sell(scene.api, body)).body).toEqual(answer.body)
  })

  it('422 for a customer of several campaigns, unless it names one', async () => {
    const one = await winCustomer(scene)
    const two = await openCampaign(scene.database, scene.account.id, { rewards: [percent(500)] })
    const affiliate = await approvedAffiliate(scene, two.id)
    await convert(scene.api, { campaign_id: two.id, customer_ref: one.customer_ref, token: affiliate.token })
    const body = sale(one.customer_ref)
    const refused = await sell(scene.api, body)
    expect([refused.status, refused.body.error.message]).toEqual([
      422,
      expect.stringContaining('campaign_id'),
    ])
    const answer = await sell(scene.api, { ...body, campaign_id: two.id })
    expect([answer.status, answer.body.commissions.map(short)]).toEqual([201, [['earned', 500, 'approved']]])
  })

  it('a rejected referral earns nothing', async () => {
    const { customer_ref, referralId } = await winCustomer(scene)
    await reviewReferral(scene.database.db, scene.account.id, referralId, 'rejected')
    const { status, body } = await sell(scene.api, sale(customer_ref))
    expect([status, body.commissions, body.referral.status]).toEqual([201, [], 'rejected'])
  })
})

describe('rules', () => {
  const rulesOf = (recurringMonths: number | null) => ({ rewards: [percent(1000, { recurringMonths })] })
  const at = (occurred_at: string) => ({ occurred_at })

  it('the first sale alone', async () => {
    const won = await winCustomer(scene, rulesOf(0))
    expect((await earn(scene, won, 1000)).commissions).toHaveLength(1)
    expect((await earn(scene, won, 1000)).commissions).toEqual([])
  })

  it.each([
    ['the first sale alone', 0, 1],
    ['three months', 3, 2],
  ])('a trial is a sale of 0: no first sale for "%s"', async (_what, months, earning) => {
    const won = await winCustomer(scene, rulesOf(months), {
      sale: { external_id: unique('trial'), amount_minor: 0, currency: 'USD' },
    })
    const earned = async (amount: number, time: string) =>
      (await earn(scene, won, amount, at(time))).commissions.length
    expect(await earned(0, '2025-01-01T00:00:00Z')).toBe(0)
    expect(await earned(1000, '2026-01-01T00:00:00Z')).toBe(1)
    // The window begins with what was paid first, and a flat rule makes nothing of nothing either.
    expect(await earned(0, '2026-01-02T00:00:00Z')).toBe(0)
    expect(await earned(1000, '2026-03-31T23:59:59Z')).toBe(earning - 1)
    expect(await earned(1000, '2026-04-01T00:00:00Z')).toBe(0)
  })

  it('a sale of 0 earns no flat amount, and leaves it to the first paid sale', async () => {
    const won = await winCustomer(scene, { rewards: [flat(500, 'USD', { recurringMonths: 0 })] })
    expect((await earn(scene, won, 0)).commissions).toEqual([])
    expect((await earn(scene, won, 1)).commissions.map(short)).toEqual([['earned', 500, 'approved']])
    expect((await earn(scene, won, 1)).commissions).toEqual([])
  })

  it('a first sale that was refunded in full stays the first', async () => {
    const won = await winCustomer(scene, rulesOf(0))
    const { external_id } = await earnOne(scene, won, 1000)
    await refund(scene.api, { external_id: unique('refund'), sale_external_id: external_id })
    expect((await earn(scene, won, 1000)).commissions).toEqual([])
  })

  it('three months: to the millisecond, over a month’s end', async () => {
    const won = await winCustomer(scene, rulesOf(3))
    const earned = async (time: string) => (await earn(scene, won, 1000, at(time))).commissions.length
    expect(await earned('2025-11-30T12:00:00.000Z')).toBe(1)
    expect(await earned('2026-01-31T00:00:00.000Z')).toBe(1)
    expect(await earned('2026-02-28T11:59:59.999Z')).toBe(1)
    expect(await earned('2026-02-28T12:00:00.000Z')).toBe(0)
  })

  it('as long as the customer pays', async () => {
    const won = await winCustomer(scene, rulesOf(null))
    for (const time of ['2020-01-01T00:00:00Z', '2026-01-01T00:00:00Z'])
      expect((await earn(scene, won, 1000, at(time))).commissions).toHaveLength(1)
  })

  it.each([
    [[flat(750, 'USD')], 10_000, 750],
    [[percent(10_000)], 10_000, 10_000],
    [[percent(1)], 10_000, 1],
    [[percent(5000)], 1, 0],
    [[percent(5000)], 3, 2],
    [[percent(5000)], 5, 2],
    [[percent(2000)], 0, 0],
    [[percent(1)], 4999, 0],
    [[percent(2000)], 1_000_000_000_000, 200_000_000_000],
  ])('%j of %i is %i, and rounding to nothing earns nothing', async (rewards, amount, expected) => {
    const won = await winCustomer(scene, { rewards })
    const { commissions } = await earn(scene, won, amount)
    expect(commissions.map(short)).toEqual(expected === 0 ? [] : [['earned', expected, 'approved']])
  })

  it('both sides of a referral campaign are rewarded, with credit', async () => {
    const won = await winCustomer(scene, {
      program_type: 'referral',
      rewards: [
        percent(1000, { beneficiary: 'referrer', entryType: 'credit' }),
        flat(500, 'USD', { beneficiary: 'referee', entryType: 'credit', recurringMonths: 0 }),
      ],
    })
    const { external_id, commissions } = await earn(scene, won, 10_000)
    const sides = commissions.map(entry => [entry.beneficiary, ...short(entry)]).toSorted()
    expect(sides).toEqual([
      ['referee', 'credit', 500, 'approved'],
      ['referrer', 'credit', 1000, 'approved'],
    ])
    expect((await earn(scene, won, 10_000)).commissions.map(entry => entry.beneficiary)).toEqual(['referrer'])
    const back = await refund(scene.api, {
      external_id: unique('r'),
      sale_external_id: external_id,
      amount_minor: 5000,
    })
    expect(
      back.body.commissions.map((entry: { amount_minor: number }) => entry.amount_minor).toSorted(),
    ).toEqual([-250, -500])
  })
})

describe('another currency', () => {
  it('waits for the rate, is never guessed, and is computed when it arrives', async () => {
    const won = await winCustomer(scene, { hold_days: 5 })
    const day = { currency: 'GBP', occurred_at: '2026-02-03T10:00:00Z' }
    const { external_id, commissions } = await earn(scene, won, 10_000, day)
    expect(commissions).toEqual([])
    await earnSalesAwaitingRate(scene.database.db)
    expect(await entriesOf(scene, won.referralId)).toEqual([])
    await useRate(scene, 'GBP', 'USD', '1.2345', '2026-02-04')
    await earnSalesAwaitingRate(scene.database.db)
    expect(await entriesOf(scene, won.referralId)).toEqual([])
    await refund(scene.api, { external_id: unique('r'), sale_external_id: external_id, amount_minor: 2500 })
    await useRate(scene, 'GBP', 'USD', '1.25', '2026-02-02')
    await earnSalesAwaitingRate(scene.database.db)
    await earnSalesAwaitingRate(scene.database.db)
    const entries = await entriesOf(scene, won.referralId)
    expect(entries.map(short)).toEqual([
      ['earned', 2500, 'pending'],
      ['clawback', -625, 'pending'],
    ])
    expect(entries[0]).toMatchObject({
      amount_minor: 2000,
      currency: 'GBP',
      hold_until: '2026-02-08T10:00:00.000Z',
    })
    const { rows } = await scene.database.owner.query(
      'SELECT fx_rate::text, fx_source FROM commissions WHERE referral_id = $1',
      [won.referralId],
    )
    for (const row of rows)
      expect(row).toEqual({ fx_rate: '1.25', fx_source: 'manual 2026-02-02 GBP/USD 1.25' })
    expect(await countRows(scene, 'sales', 'external_id = $1 AND awaits_rate', [external_id])).toBe(0)
  })

  it('keeps the rate of its day when another is set later', async () => {
    const won = await winCustomer(scene)
    await useRate(scene, 'CHF', 'USD', '1.1')
    const { entry } = await earnOne(scene, won, 10_000, { currency: 'CHF' })
    await useRate(scene, 'CHF', 'USD', '9')
    expect([
      entry.payout_amount_minor,
      (await entriesOf(scene, won.referralId))[0]?.payout_amount_minor,
    ]).toEqual([2200, 2200])
  })

  it.each([
    ['JPY', '0.0066', 10_000, 2000, 1320],
    ['KWD', '3.25', 10_000, 2000, 650],
    ['HUF', '0.0028', 1_000_000, 200_000, 560],
  ])('%s at %s: %i earn %i, which is %i cents', async (currency, rate, amount, earned, payout) => {
    await useRate(scene, currency, 'USD', rate)
    const { entry } = await earnOne(scene, await winCustomer(scene), amount, { currency })
    expect([entry.amount_minor, entry.currency, entry.payout_amount_minor]).toEqual([
      earned,
      currency,
      payout,
    ])
  })
})

it('all of it leaves the ledger whole', async () => {
  expect(await brokenInvariants(scene.database)).toEqual([])
})
