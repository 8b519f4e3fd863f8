/** Protects against paying too much and against silence: a dry run names everybody, with the amount or the reason. */
import { describe, expect, it } from 'vitest'
import { buildAffiliate, unique } from '../factories.ts'
import { brokenInvariants, useOwnScene } from '../harness.ts'
import { approvedAffiliate, flat, openCampaign, percent, refund, useRate } from '../ledger/scene.ts'
import { create, earnFor, owe, owed, preview, previewResults, untilAfter } from './ground.ts'

const scene = useOwnScene()
const open = (terms: Parameters<typeof openCampaign>[2] = {}) =>
  openCampaign(scene.database, scene.account.id, terms)
const emailOf = (id: number) => `${id}-${unique('x')}@example.com`

/** Enrolled and not approved yet, with a PayPal address. */
const newcomer = (campaign: { id: number }) =>
  buildAffiliate(scene.database, scene.account.id, campaign.id, { paypal_email: emailOf(campaign.id) })

describe('everybody with something open is listed', () => {
  it('with the amount, or with the one reason why not', async () => {
    const campaign = await open({ minimum_payout_minor: 5000, hold_days: 30 })
    const paid = await owed(scene, campaign, [3000, 2500])
    const below = await owed(scene, campaign, [4999])
    const exact = await owed(scene, campaign, [5000])
    const held = await owed(scene, campaign, [])
    await earnFor(scene, campaign, held, 50_000)
    const negative = await owed(scene, campaign, [1000, -1500])
    const pending = await newcomer(campaign)
    await owe(scene, campaign, pending, 9000)
    const rejected = await owed(scene, campaign, [8000])
    await scene.api.patch(`/affiliates/${rejected.id}`, { status: 'rejected' })
    const unreachable = await owed(scene, campaign, [6000], { paypal_email: null })
    const testing = await owed(scene, campaign, [])
    await earnFor(scene, campaign, testing, 100_000, { is_test: true })
    const even = await owed(scene, campaign, [700, -700])
    await owed(scene, campaign, [])

    const dryRun = await preview(scene, campaign, { rail: 'paypal' })
    expect(previewResults(dryRun)).toEqual([
      [paid.id, 5500, null],
      [below.id, 4999, 'below_minimum'],
      [exact.id, 5000, null],
      [held.id, 0, 'on_hold'],
      [negative.id, -500, 'negative_balance'],
      [pending.id, 9000, 'not_approved'],
      [rejected.id, 8000, 'not_approved'],
      [unreachable.id, 6000, 'no_payout_address'],
      [testing.id, 0, 'test_only'],
      [even.id, 0, 'below_minimum'],
    ])
    expect(dryRun).toMatchObject({
      campaignId: campaign.id,
      rail: 'paypal',
      currency: 'USD',
      minimumMinor: 5000,
      items: 2,
      total_minor: 10_500,
      excluded: {
        below_minimum: 2,
        negative_balance: 1,
        no_payout_address: 1,
        not_approved: 2,
        on_hold: 1,
        test_only: 1,
      },
    })
    expect(dryRun.rows[0]).toEqual({
      affiliate_id: paid.id,
      email: paid.email,
      name: null,
      paypal_email: paid.paypal_email,
      balance_minor: 5500,
      payable_minor: 5500,
      on_hold_minor: 0,
      in_review_minor: 0,
      in_payout_minor: 0,
      entries: 2,
      reason: null,
    })
    expect(dryRun.rows[3]).toMatchObject({ balance_minor: 10_000, on_hold_minor: 10_000, entries: 0 })

    const byHand = await preview(scene, campaign)
    expect(byHand).toMatchObject({ items: 3, total_minor: 16_500 })
    expect(byHand.excluded).not.toHaveProperty('no_payout_address')
  })

  it('with what is payable, on hold and in another payout kept apart, and tests in none of them', async () => {
    const campaign = await open({ hold_days: 30 })
    const affiliate = await owed(scene, campaign, [6000])
    await create(scene, campaign)
    await owe(scene, campaign, affiliate, 250)
    await earnFor(scene, campaign, affiliate, 10_000)
    await earnFor(scene, campaign, affiliate, 77_000, { is_test: true })
    expect((await preview(scene, campaign)).rows).toMatchObject([
      {
        balance_minor: 8250,
        payable_minor: 250,
        on_hold_minor: 2000,
        in_payout_minor: 6000,
        entries: 1,
        reason: null,
      },
    ])
  })

  it('but not who has everything in another payout already', async () => {
    const campaign = await open()
    await owed(scene, campaign, [6000])
    await create(scene, campaign)
    const next = await owed(scene, campaign, [100])
    expect(previewResults(await preview(scene, campaign))).toEqual([[next.id, 100, null]])
  })

  it('and a test beside what is in another payout is not called a hold', async () => {
    const campaign = await open()
    const affiliate = await owed(scene, campaign, [6000])
    await create(scene, campaign)
    await earnFor(scene, campaign, affiliate, 10_000, { is_test: true })
    const { excluded, rows } = await preview(scene, campaign)
    expect(rows.filter(({ on_hold_minor }) => on_hold_minor > 0)).toEqual([])
    expect(excluded).not.toHaveProperty('on_hold')
  })

  it('an empty campaign pays nothing', async () => {
    expect(await preview(scene, await open())).toMatchObject({
      items: 0,
      total_minor: 0,
      excluded: {},
      rows: [],
    })
  })
})

describe('of several reasons, the one to resolve first is shown', () => {
  it.each<[string, string, { hold_days?: number; test?: boolean; approved?: boolean; amounts: number[] }]>([
    ['a test before anything else', 'test_only', { test: true, approved: false, amounts: [] }],
    ['the approval before the hold', 'not_approved', { hold_days: 30, approved: false, amounts: [] }],
    ['the approval before a negative balance', 'not_approved', { approved: false, amounts: [-5] }],
    ['the hold before the minimum', 'on_hold', { hold_days: 30, amounts: [] }],
    ['a negative balance before the address', 'negative_balance', { amounts: [-5] }],
    ['the minimum before the address', 'below_minimum', { amounts: [4999] }],
    ['the address at last', 'no_payout_address', { amounts: [5000] }],
  ])('%s', async (_what, reason, { hold_days = 0, test = false, approved = true, amounts }) => {
    const campaign = await open({ minimum_payout_minor: 5000, hold_days })
    const affiliate = await owed(scene, campaign, amounts, { paypal_email: null })
    if (hold_days > 0 || test) await earnFor(scene, campaign, affiliate, 1000, { is_test: test })
    if (!approved) await scene.api.patch(`/affiliates/${affiliate.id}`, { status: 'rejected' })
    const { excluded } = await preview(scene, campaign, { rail: 'paypal' })
    expect(excluded).toEqual({ [reason]: 1 })
  })
})

describe('several campaigns', () => {
  it('of one affiliate are paid apart, each in its currency and with its own minimum', async () => {
    const dollars = await open({ minimum_payout_minor: 1000 })
    const yen = await open({ payout_currency: 'JPY', minimum_payout_minor: 2000 })
    const dinars = await open({ payout_currency: 'KWD', minimum_payout_minor: 1235 })
    const affiliate = await owed(scene, dollars, [1000])
    for (const campaign of [yen, dinars])
      await scene.api.post('/affiliates', { email: affiliate.email, campaign_id: campaign.id })
    await earnFor(scene, yen, affiliate, 10_000)
    await earnFor(scene, dinars, affiliate, 6170)
    expect(await preview(scene, dollars)).toMatchObject({ currency: 'USD', items: 1, total_minor: 1000 })
    expect(await preview(scene, yen)).toMatchObject({ currency: 'JPY', items: 1, total_minor: 2000 })
    expect(await preview(scene, dinars)).toMatchObject({ currency: 'KWD', excluded: { below_minimum: 1 } })
    await owe(scene, dinars, affiliate, 1)
    expect(await preview(scene, dinars)).toMatchObject({ items: 1, total_minor: 1235 })
  })
})

describe('the cut-off', () => {
  it('leaves out what came later, but never what was taken away later', async () => {
    const campaign = await open()
    const affiliate = await owed(scene, campaign, [])
    const last = await owe(scene, campaign, affiliate, 1000)
    await untilAfter(scene, last.created_at)
    const late = await owed(scene, campaign, [500])
    await owe(scene, campaign, affiliate, 300)
    await owe(scene, campaign, affiliate, -50)
    expect(previewResults(await preview(scene, campaign, { cutOff: last.created_at }))).toEqual([
      [affiliate.id, 950, null],
    ])
    const inIndia = new Date(Date.parse(last.created_at) + 5.5 * 3_600_000)
      .toISOString()
      .replace('Z', '+05:30')
    expect(previewResults(await preview(scene, campaign, { cutOff: inIndia }))).toEqual([
      [affiliate.id, 950, null],
    ])
    const before = new Date(Date.parse(last.created_at) - 1).toISOString()
    expect(previewResults(await preview(scene, campaign, { cutOff: before }))).toEqual([
      [affiliate.id, -50, 'negative_balance'],
    ])
    expect(previewResults(await preview(scene, campaign))).toEqual([
      [affiliate.id, 1250, null],
      [late.id, 500, null],
    ])
  })

  it('a refund after it is taken off what was earned before it', async () => {
    const campaign = await open()
    const affiliate = await owed(scene, campaign, [])
    const { external_id, commissions } = await earnFor(scene, campaign, affiliate, 10_000)
    const cutOff = String(commissions[0]?.created_at)
    await untilAfter(scene, cutOff)
    await refund(scene.api, { external_id: unique('r'), sale_external_id: external_id, amount_minor: 2500 })
    expect(previewResults(await preview(scene, campaign, { cutOff }))).toEqual([[affiliate.id, 1500, null]])
  })

  it.each(['yesterday', '2026-02-30T00:00:00Z', '2026-02-30', '31.1.2026', ''])(
    '%j is no time',
    async cutOff => {
      await expect(preview(scene, await open(), { cutOff })).rejects.toMatchObject({
        code: 'validation_failed',
        message: expect.stringMatching(/^cut_off must be an RFC 3339 timestamp/),
      })
    },
  )
})

describe('what is not the affiliate’s money is never paid', () => {
  it('credits, what was taken back of them, and rewards of the new customer', async () => {
    const campaign = await open({
      program_type: 'referral',
      rewards: [
        percent(2000, { beneficiary: 'referrer', entryType: 'credit' }),
        flat(500, 'USD', { beneficiary: 'referee' }),
      ],
    })
    const referrer = await approvedAffiliate(scene, campaign.id)
    const { external_id, commissions } = await earnFor(scene, campaign, referrer, 10_000)
    expect(commissions.map(({ entry_type, beneficiary }) => [entry_type, beneficiary])).toEqual([
      ['earned', 'referee'],
      ['credit', 'referrer'],
    ])
    expect((await preview(scene, campaign)).rows).toEqual([])
    await refund(scene.api, { external_id: unique('r'), sale_external_id: external_id, amount_minor: 2500 })
    expect((await preview(scene, campaign)).rows).toEqual([])
    await owe(scene, campaign, referrer, 900)
    expect((await preview(scene, campaign)).rows).toMatchObject([
      { affiliate_id: referrer.id, balance_minor: 900, payable_minor: 900, entries: 1, reason: null },
    ])
  })

  it('an entry that came to nothing in the payout currency', async () => {
    await useRate(scene, 'VND', 'USD', '0.00004')
    const campaign = await open()
    const affiliate = await owed(scene, campaign, [])
    const { commissions } = await earnFor(scene, campaign, affiliate, 3, { currency: 'VND' })
    expect(commissions).toMatchObject([{ amount_minor: 1, payout_amount_minor: 0 }])
    expect(await preview(scene, campaign)).toMatchObject({ items: 0, excluded: { below_minimum: 1 } })
  })
})

it('a dry run writes nothing, and the ledger is whole', async () => {
  expect(await brokenInvariants(scene.database)).toEqual([])
})
