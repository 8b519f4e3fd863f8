/** Protects against paying for a fraud, and against withholding what is due: a review has exactly its consequences. */
import { describe, expect, it } from 'vitest'
import { sql } from '../../src/db/sql.ts'
import { reviewReferral } from '../../src/earning/referrals/review-referral.ts'
import { reportSale } from '../../src/earning/sales/report-sale.ts'
import { ledgerInvariants } from '../../src/money/ledger/invariants.ts'
import { unique } from '../factories.ts'
import { brokenInvariants, useSoundScene } from '../harness.ts'
import { lockWaiters } from '../interleave.ts'
import {
  approvedAffiliate,
  convert,
  earnOne,
  entriesOf,
  openCampaign,
  pay,
  refund,
  short,
  type Won,
  winCustomer,
} from './scene.ts'

const scene = useSoundScene()
const review = (id: number, decision: 'approved' | 'rejected') =>
  reviewReferral(scene.database.db, scene.account.id, id, decision)
const ledger = async ({ referralId }: Won) => (await entriesOf(scene, referralId)).map(short)

describe('waits for review', () => {
  async function report(extra: (affiliate: { email: string }) => object, terms = {}) {
    const campaign = await openCampaign(scene.database, scene.account.id, terms)
    const affiliate = await approvedAffiliate(scene, campaign.id, {
      paypal_email: `${unique('pay')}@example.com`,
    })
    const body = {
      campaign_id: campaign.id,
      customer_ref: unique('c'),
      token: affiliate.token,
      ...extra(affiliate),
    }
    return (await convert(scene.api, body)).body
  }

  it.each<[string, (a: { email: string; paypal_email?: string | null }) => object, RegExp]>([
    ['the affiliate’s email', a => ({ customer_email: a.email }), /has the affiliate’s email/],
    ['its email in capitals', a => ({ customer_email: a.email.toUpperCase() }), /has the affiliate’s email/],
    ['its PayPal address', a => ({ customer_email: a.paypal_email }), /PayPal/],
    ['its email as customer_ref', a => ({ customer_ref: a.email }), /is named by/],
  ])('a customer with %s', async (_what, extra, reason) => {
    const { referral, attribution } = await report(extra)
    expect(referral.status).toBe('pending_review')
    expect(attribution.review).toEqual([expect.stringMatching(reason)])
  })

  it('every referral of a campaign that reviews all of them', async () => {
    const { referral, attribution } = await report(() => ({}), { reviewsReferrals: true })
    expect([referral.status, attribution.review]).toEqual([
      'pending_review',
      ['the campaign reviews every referral'],
    ])
  })

  it('but no one else', async () => {
    const { referral, attribution } = await report(() => ({ customer_email: 'other@example.com' }))
    expect([referral.status, attribution.review]).toEqual(['approved', []])
  })

  it('and its commission waits too, even without a hold', async () => {
    const won = await winCustomer(scene, { reviewsReferrals: true })
    await earnOne(scene, won)
    expect(await ledger(won)).toEqual([['earned', 2000, 'pending']])
  })
})

describe('approving', () => {
  it('releases what waited for nothing else, at once', async () => {
    const won = await winCustomer(scene, { reviewsReferrals: true })
    const { external_id } = await earnOne(scene, won)
    await refund(scene.api, { external_id: unique('r'), sale_external_id: external_id, amount_minor: 2500 })
    expect((await review(won.referralId, 'approved')).status).toBe('approved')
    expect(await ledger(won)).toEqual([
      ['earned', 2000, 'approved'],
      ['clawback', -500, 'approved'],
    ])
  })

  it('leaves on hold what is on hold', async () => {
    const won = await winCustomer(scene, { reviewsReferrals: true, hold_days: 1 })
    await earnOne(scene, won)
    await review(won.referralId, 'approved')
    expect(await ledger(won)).toEqual([['earned', 2000, 'pending']])
  })
})

describe('rejecting', () => {
  it('voids pending entries, and claws back approved and paid ones', async () => {
    const won = await winCustomer(scene, { hold_days: 30 })
    const [approved, paid] = [await earnOne(scene, won), await earnOne(scene, won)]
    await earnOne(scene, won)
    const approve = ({ entry }: typeof paid) =>
      scene.api.patch(`/commissions/${entry.id}`, { status: 'approved' })
    await approve(paid)
    expect(await pay(scene, won.campaign.id)).toEqual({ [won.affiliate.id]: 2000 })
    await approve(approved)
    expect((await review(won.referralId, 'rejected')).status).toBe('rejected')
    expect(await ledger(won)).toEqual([
      ['earned', 2000, 'approved'],
      ['earned', 2000, 'paid'],
      ['earned', 2000, 'void'],
      ['clawback', -2000, 'approved'],
      ['clawback', -2000, 'approved'],
    ])
  })

  it('takes only what refunds have left, and a refund after it takes nothing', async () => {
    const won = await winCustomer(scene)
    const { external_id } = await earnOne(scene, won)
    const giveBack = (amount_minor: number) =>
      refund(scene.api, { external_id: unique('r'), sale_external_id: external_id, amount_minor })
    await giveBack(2500)
    await review(won.referralId, 'rejected')
    expect((await giveBack(5000)).body.commissions).toEqual([])
    expect(await ledger(won)).toEqual([
      ['earned', 2000, 'approved'],
      ['clawback', -500, 'approved'],
      ['clawback', -1500, 'approved'],
    ])
  })

  it('a sale that is reported while the referral is being rejected earns nothing', async () => {
    const { db, owner } = scene.database
    const won = await winCustomer(scene)
    const body = {
      customer_ref: won.customer_ref,
      external_id: unique('sale'),
      amount_minor: 10_000,
      currency: 'USD',
    }
    let sale: Promise<unknown> = Promise.resolve()
    await db.transaction(async tx => {
      await reviewReferral(tx, scene.account.id, won.referralId, 'rejected')
      let isDone = false
      sale = reportSale(db, scene.account.id, body).finally(() => {
        isDone = true
      })
      // The rejection commits once the sale is either through or waiting for it.
      while (!isDone && (await lockWaiters(owner)).length === 0);
    })
    await sale
    const owed = (await entriesOf(scene, won.referralId)).reduce((sum, entry) => sum + entry.amount_minor, 0)
    expect(owed).toBe(0)
  })
})

it.each([
  ['approved', 'approved'],
  ['rejected', 'approved'],
  ['rejected', 'rejected'],
] as const)('a referral that is %s cannot be %s: invalid_state', async (status, decision) => {
  const won = await winCustomer(scene)
  await earnOne(scene, won)
  if (status === 'rejected') await review(won.referralId, 'rejected')
  const before = await ledger(won)
  await expect(review(won.referralId, decision)).rejects.toMatchObject({ code: 'invalid_state' })
  expect(await ledger(won)).toEqual(before)
})

it('the doctor finds what a rejection has not taken back', async () => {
  const won = await winCustomer(scene)
  await earnOne(scene, won)
  const undo = new Error('undo')
  let found: string[] = []
  const work = scene.database.db.transaction(async tx => {
    await tx.many(sql`
      UPDATE referrals SET status = 'rejected' WHERE account_id = ${scene.account.id} AND id = ${won.referralId}`)
    for (const invariant of Object.values(ledgerInvariants)) found = [...found, ...(await invariant(tx))]
    throw undo
  })
  await expect(work).rejects.toBe(undo)
  expect(found).toHaveLength(1)
})

it('of two rejections at once one wins, and takes back once', async () => {
  const won = await winCustomer(scene)
  await earnOne(scene, won)
  const answers = await Promise.allSettled([1, 2, 3, 4].map(() => review(won.referralId, 'rejected')))
  expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(await ledger(won)).toEqual([
    ['earned', 2000, 'approved'],
    ['clawback', -2000, 'approved'],
  ])
})

it('of another account there is no such referral', async () => {
  const won = await winCustomer(scene)
  await expect(
    reviewReferral(scene.database.db, scene.account.id + 1, won.referralId, 'rejected'),
  ).rejects.toMatchObject({ code: 'not_found' })
})

it('all of it leaves the ledger whole', async () => {
  expect(await brokenInvariants(scene.database)).toEqual([])
})
