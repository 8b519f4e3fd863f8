/**
 * Protects what must not be paid: review beats approval, and a rejected affiliate is paid nothing and earns nothing more. What was
 * earned before is never lost: it is payable again as soon as the reason is gone.
 */
import { describe, expect, it } from 'vitest'
import { csvPreview } from '../../src/dashboard/payouts/csv-preview.ts'
import { reviewReferral } from '../../src/earning/referrals/review-referral.ts'
import { earnSalesAwaitingRate } from '../../src/earning/sales/earn-sales-awaiting-rate.ts'
import { balancesOf } from '../../src/money/ledger/balances.ts'
import { findEarnings } from '../../src/portal/earnings.store.ts'
import { unique } from '../factories.ts'
import { brokenInvariants, useOwnScene } from '../harness.ts'
import {
  convert,
  countRows,
  earn,
  earnOne,
  entriesOf,
  refund,
  sell,
  short,
  useRate,
  type Won,
  winCustomer,
} from '../ledger/scene.ts'
import { create, preview, previewResults } from './ground.ts'

const scene = useOwnScene()
const approve = (id: number) => scene.api.patch(`/commissions/${id}`, { status: 'approved' })
const decide = (won: Won, status: 'approved' | 'rejected') =>
  scene.api.patch(`/affiliates/${won.affiliate.id}`, { status })
const reasonOf = (external_id: string) =>
  countRows(scene, 'sales', `external_id = $1 AND unearned_reason = 'affiliate_rejected'`, [external_id])

describe('review beats approval', () => {
  const inReview = async (extra: object = {}) => {
    const won = await winCustomer(scene, { reviewsReferrals: true, ...extra })
    const { entry, external_id } = await earnOne(scene, won)
    const approved = await approve(entry.id)
    expect([approved.status, approved.body.status]).toEqual([200, 'approved'])
    return { won, external_id }
  }

  it('an approved commission is not payable until its referral is, and the preview shows it', async () => {
    const { won } = await inReview()
    const { id } = won.affiliate
    const dryRun = await preview(scene, won.campaign)
    expect(previewResults(dryRun)).toEqual([[id, 0, 'in_review']])
    expect(dryRun).toMatchObject({ items: 0, excluded: { in_review: 1 } })
    expect(dryRun.rows[0]).toMatchObject({ balance_minor: 2000, in_review_minor: 2000, on_hold_minor: 0 })
    await expect(create(scene, won.campaign)).rejects.toThrow(/1 × in_review/)
    await reviewReferral(scene.database.db, scene.account.id, won.referralId, 'approved')
    expect(previewResults(await preview(scene, won.campaign))).toEqual([[id, 2000, null]])
  })

  it('the file, the affiliate’s own page and the balance say the same', async () => {
    const { won } = await inReview()
    const { db } = scene.database
    let file = ''
    for await (const part of csvPreview(
      db,
      scene.account.id,
      { campaignId: won.campaign.id, rail: 'manual' },
      {},
    ))
      file += part
    const [header = '', line = ''] =
      file.trim().split('\r\n').length > 1 ? file.trim().split('\r\n') : file.trim().split('\n')
    const cells = Object.fromEntries(header.split(',').map((name, at) => [name, line.split(',')[at]]))
    expect(cells).toMatchObject({ reason: 'in_review', in_review: '20.00', payable: '0.00', amount: '0.00' })
    const [earnings] = await findEarnings(db, scene.account.id, won.affiliate.id)
    expect(earnings).toMatchObject({
      earned_minor: 2000,
      pending_minor: 2000,
      in_review_minor: 2000,
      approved_minor: 0,
    })
    expect(await balancesOf(db, scene.account.id, won.affiliate.id)).toMatchObject([
      { pending_minor: 2000, approved_minor: 0, balance_minor: 2000 },
    ])
  })

  it('what is payable beside it is paid, and the rest follows the review', async () => {
    const { won } = await inReview()
    const other = unique('customer')
    await scene.database.owner.query('UPDATE campaigns SET review_referrals = false WHERE id = $1', [
      won.campaign.id,
    ])
    await convert(scene.api, {
      campaign_id: won.campaign.id,
      customer_ref: other,
      token: won.affiliate.token,
      sale: { external_id: unique('sale'), amount_minor: 500, currency: 'USD' },
    })
    const [row] = (await preview(scene, won.campaign)).rows
    expect(row).toMatchObject({ reason: null, payable_minor: 100, in_review_minor: 2000, entries: 1 })
    expect(await create(scene, won.campaign)).toMatchObject({ items: 1, total_minor: 100 })
  })

  it('a refund of it goes with it: neither counts without the other', async () => {
    const { won, external_id } = await inReview()
    await refund(scene.api, {
      external_id: unique('refund'),
      sale_external_id: external_id,
      amount_minor: 2500,
    })
    const [row] = (await preview(scene, won.campaign)).rows
    expect(row).toMatchObject({ reason: 'in_review', payable_minor: 0, in_review_minor: 1500 })
    await reviewReferral(scene.database.db, scene.account.id, won.referralId, 'approved')
    expect(previewResults(await preview(scene, won.campaign))).toEqual([[won.affiliate.id, 1500, null]])
  })

  it('a rejected referral leaves nothing to pay', async () => {
    const { won } = await inReview()
    await reviewReferral(scene.database.db, scene.account.id, won.referralId, 'rejected')
    const { items, rows } = await preview(scene, won.campaign)
    expect([items, rows[0]?.balance_minor ?? 0]).toEqual([0, 0])
    expect(await brokenInvariants(scene.database)).toEqual([])
  })
})

describe('a rejected affiliate', () => {
  it('earns nothing on later sales, and each sale says why', async () => {
    const won = await winCustomer(scene)
    await earnOne(scene, won)
    await decide(won, 'rejected')
    const late = {
      customer_ref: won.customer_ref,
      external_id: unique('sale'),
      amount_minor: 10_000,
      currency: 'USD',
    }
    const answer = await sell(scene.api, late)
    expect([answer.status, answer.body]).toMatchObject([
      201,
      { referral: { id: won.referralId }, commissions: [], waiting_for: null },
    ])
    expect(await reasonOf(late.external_id)).toBe(1)
    // Once and for all: reported again after the affiliate is back, it is the same answer.
    await decide(won, 'approved')
    expect((await sell(scene.api, late)).body.commissions).toEqual([])
    expect((await entriesOf(scene, won.referralId)).map(short)).toEqual([['earned', 2000, 'approved']])
    expect((await earnOne(scene, won)).entry.amount_minor).toBe(2000)
  })

  it('nor on one that comes with the customer’s conversion, reported again', async () => {
    const won = await winCustomer(scene)
    await decide(won, 'rejected')
    const sale = { external_id: unique('sale'), amount_minor: 10_000, currency: 'USD' }
    const { body } = await convert(scene.api, {
      campaign_id: won.campaign.id,
      customer_ref: won.customer_ref,
      sale,
    })
    expect([body.referral.id, body.commissions]).toEqual([won.referralId, []])
    expect(await reasonOf(sale.external_id)).toBe(1)
  })

  it('keeps what was earned before: excluded from payouts while rejected, payable again when approved', async () => {
    const won = await winCustomer(scene)
    await earnOne(scene, won)
    await decide(won, 'rejected')
    expect(previewResults(await preview(scene, won.campaign))).toEqual([
      [won.affiliate.id, 2000, 'not_approved'],
    ])
    await expect(create(scene, won.campaign)).rejects.toThrow(/1 × not_approved/)
    await decide(won, 'approved')
    expect(await create(scene, won.campaign)).toMatchObject({ items: 1, total_minor: 2000 })
  })

  it('keeps what waited for a rate of exchange at the rejection; a sale reported after it never waits', async () => {
    const won = await winCustomer(scene)
    await earn(scene, won, 1000, { currency: 'MUR' })
    await decide(won, 'rejected')
    const late = await sell(scene.api, {
      customer_ref: won.customer_ref,
      external_id: unique('sale'),
      amount_minor: 1000,
      currency: 'MUR',
    })
    expect(late.body.waiting_for).toBeNull()
    await useRate(scene, 'MUR', 'USD', '1')
    await earnSalesAwaitingRate(scene.database.db)
    expect((await entriesOf(scene, won.referralId)).map(short)).toEqual([['earned', 200, 'approved']])
  })

  it('a payout created before the rejection is not changed by it', async () => {
    const won = await winCustomer(scene)
    await earnOne(scene, won)
    const { total_minor } = await create(scene, won.campaign)
    await decide(won, 'rejected')
    expect(total_minor).toBe(2000)
    expect(
      await countRows(scene, 'payout_items', `affiliate_id = $1 AND status = 'pending'`, [won.affiliate.id]),
    ).toBe(1)
  })

  it('in twenty races with a sale each sale either earns or says why not', async () => {
    const won = await winCustomer(scene)
    for (let round = 0; round < 20; round++) {
      await decide(won, 'approved')
      const external_id = unique('sale')
      const [sold] = await Promise.all([
        sell(scene.api, { customer_ref: won.customer_ref, external_id, amount_minor: 100, currency: 'USD' }),
        decide(won, 'rejected'),
      ])
      expect([sold.status, sold.body.commissions.length + (await reasonOf(external_id))]).toEqual([201, 1])
    }
  })

  it('in ten races with a payout it holds all of the affiliate or nothing', async () => {
    for (let round = 0; round < 10; round++) {
      const won = await winCustomer(scene)
      await earnOne(scene, won)
      const [made] = await Promise.allSettled([create(scene, won.campaign), decide(won, 'rejected')])
      const items = await countRows(scene, 'payout_items', 'affiliate_id = $1 AND amount_minor = 2000', [
        won.affiliate.id,
      ])
      expect(items).toBe(made.status === 'fulfilled' ? 1 : 0)
    }
    expect(await brokenInvariants(scene.database)).toEqual([])
  })
})
