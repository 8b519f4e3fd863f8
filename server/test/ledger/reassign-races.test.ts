/**
 * Protects reassigning beside everything else that moves the same money: whichever comes first, each sale is earned once, by the affiliate
 * that the referral is credited to, and what is in a payout stays there.
 */
import { afterEach, describe, expect, it } from 'vitest'
import type { Db } from '../../src/db/database.ts'
import { reviewReferral } from '../../src/earning/referrals/review-referral.ts'
import { reportRefund } from '../../src/earning/refunds/report-refund.ts'
import { reverseRefund } from '../../src/earning/refunds/reverse-refund.ts'
import { earnSalesAwaitingRate } from '../../src/earning/sales/earn-sales-awaiting-rate.ts'
import { reportSale } from '../../src/earning/sales/report-sale.ts'
import { lockSale } from '../../src/earning/sales/sale.store.ts'
import { reviewCommission } from '../../src/money/commissions/review-commission.ts'
import { reviewCommissions } from '../../src/money/commissions/review-commissions.ts'
import { createPayout } from '../../src/money/payouts/create-payout.ts'
import { unique } from '../factories.ts'
import { brokenInvariants, useOwnScene } from '../harness.ts'
import { whileHeld } from '../interleave.ts'
import { type Ground, ground, ledgerOf, owedTo, reassign } from './reassign-scene.ts'
import { approvedAffiliate, earn, earnOne, openCampaign, useRate } from './scene.ts'

const scene = useOwnScene()
const db = () => scene.database.db
const accountId = () => scene.account.id
afterEach(async () => expect(await brokenInvariants(scene.database)).toEqual([]))

/** Both orders: each is done while the other one, not committed yet, holds its locks. */
const eitherOrder = (name: string, test: (isReassignedFirst: boolean) => Promise<void>) =>
  describe(name, () => {
    it('while the referral is being reassigned', () => test(true))
    it('just before the referral is reassigned', () => test(false))
  })

const beside = (given: Ground, isFirst: boolean, other: (db: Db) => Promise<unknown>) =>
  isFirst
    ? whileHeld(
        scene.database,
        tx => reassign(scene, tx, given),
        () => other(db()),
      )
    : whileHeld(
        scene.database,
        tx => other(tx),
        () => reassign(scene, db(), given),
      )

const owed = async ({ affiliate, to }: Ground) => [await owedTo(scene, affiliate), await owedTo(scene, to)]

eitherOrder('a new sale earns for the new affiliate alone', async isFirst => {
  const given = await ground(scene)
  await earnOne(scene, given, 10_000)
  const sale = { external_id: unique('sale'), amount_minor: 5000, currency: 'USD' }
  await beside(given, isFirst, each =>
    reportSale(each, accountId(), { customer_ref: given.customer_ref, ...sale }),
  )
  expect(await owed(given)).toEqual([0, 3000])
})

eitherOrder('a refund is taken once, from the new affiliate', async isFirst => {
  const given = await ground(scene)
  const { external_id: sale_external_id } = await earnOne(scene, given, 10_000)
  const half = { external_id: unique('refund'), sale_external_id, amount_minor: 5000 }
  await beside(given, isFirst, each => reportRefund(each, accountId(), half))
  expect(await owed(given)).toEqual([0, 1000])
})

describe('a payout', () => {
  const payout = (given: Ground) => (each: Db) =>
    createPayout(each, accountId(), { campaignId: given.campaign.id, rail: 'manual' })

  it('that is created first keeps its commissions', async () => {
    const given = await ground(scene)
    await earnOne(scene, given, 10_000)
    await beside(given, false, payout(given))
    expect(await ledgerOf(scene, given)).toEqual([['from', 'earned', 2000, 'approved']])
  })

  it('that is created after pays the new affiliate', async () => {
    const given = await ground(scene)
    await earnOne(scene, given, 10_000)
    const created = (await beside(given, true, payout(given))) as { id: number }
    const { items } = (await scene.api.get(`/payouts/${created.id}`)).body
    expect(items).toMatchObject([{ affiliate_id: given.to.id, amount_minor: 2000 }])
  })
})

describe('a commission', () => {
  it('that a person voids first stays void: its sale earns nothing for anyone', async () => {
    const given = await ground(scene, { hold_days: 30 })
    const { entry } = await earnOne(scene, given, 10_000)
    await beside(given, false, each => reviewCommission(each, accountId(), entry.id, 'void'))
    expect(await ledgerOf(scene, given)).toEqual([['from', 'earned', 2000, 'void']])
  })

  it('that a person voids after is void already', async () => {
    const given = await ground(scene, { hold_days: 30 })
    const { entry } = await earnOne(scene, given, 10_000)
    await expect(
      beside(given, true, each => reviewCommission(each, accountId(), entry.id, 'void')),
    ).rejects.toThrow('The commission is void')
    expect(await owed(given)).toEqual([0, 2000])
  })

  eitherOrder('that is approved and voided by a person is taken back once', async isFirst => {
    const given = await ground(scene)
    const { entry } = await earnOne(scene, given, 10_000)
    await beside(given, isFirst, each =>
      each.transaction(tx => reviewCommissions(tx, accountId(), [entry.id], 'void')),
    )
    expect(await owed(given)).toEqual([0, isFirst ? 2000 : 0])
  })
})

describe('a rejection of the referral', () => {
  const reject = (given: Ground) => (each: Db) =>
    reviewReferral(each, accountId(), given.referralId, 'rejected')

  it('that comes first is the last word', async () => {
    const given = await ground(scene)
    await earnOne(scene, given, 10_000)
    await expect(beside(given, false, reject(given))).rejects.toThrow('The referral is rejected')
    expect(await owed(given)).toEqual([0, 0])
  })

  it('that comes after takes back what the new affiliate got', async () => {
    const given = await ground(scene)
    await earnOne(scene, given, 10_000)
    await beside(given, true, reject(given))
    expect(await owed(given)).toEqual([0, 0])
  })
})

it('another person who reassigns it at the same time: the second one is refused', async () => {
  const given = await ground(scene)
  await earnOne(scene, given, 10_000)
  const third = await approvedAffiliate(scene, given.campaign.id)
  const shown = await reassign(scene, db(), given, { affiliate_id: third.id, dry_run: true })
  const second = () => reassign(scene, db(), given, { affiliate_id: third.id, digest: shown.digest })
  await expect(whileHeld(scene.database, tx => reassign(scene, tx, given), second)).rejects.toThrow(
    'The effect has changed',
  )
  const again = () => reassign(scene, db(), given)
  await expect(again()).rejects.toThrow('credited to this affiliate in this campaign already')
  expect([...(await owed(given)), await owedTo(scene, third)]).toEqual([0, 2000, 0])
})

it('a refund that is reversed after is given back to the new affiliate alone', async () => {
  for (const amount_minor of [2500, 10_000]) {
    const given = await ground(scene)
    const { external_id: saleExternalId } = await earnOne(scene, given, 10_000)
    const externalId = unique('refund')
    if (amount_minor === 10_000) await reassign(scene, db(), given)
    const taken = { external_id: externalId, sale_external_id: saleExternalId, amount_minor }
    await reportRefund(db(), accountId(), taken)
    if (amount_minor === 2500) await reassign(scene, db(), given)
    expect(await owed(given)).toEqual([0, amount_minor === 2500 ? 1500 : 0])
    await reverseRefund(db(), accountId(), { externalId, saleExternalId })
    expect(await owed(given)).toEqual([0, 2000])
  }
})

it('a sale that waits for its rate earns for the new affiliate, and one that has to wait there earns once', async () => {
  const given = await ground(scene)
  await earn(scene, given, 10_000, { currency: 'SEK' })
  await earnOne(scene, given, 10_000)
  const other = await openCampaign(scene.database, accountId(), { payout_currency: 'NOK' })
  await scene.api.post('/affiliates', { email: given.to.email, campaign_id: other.id })
  const effect = await reassign(scene, db(), given, { campaign_id: other.id })
  expect(effect).toMatchObject({ sales: 2, waiting_sales: 2 })
  await useRate(scene, 'SEK', 'NOK', '1')
  await useRate(scene, 'USD', 'NOK', '10')
  for (let each = 0; each < 2; each++) await earnSalesAwaitingRate(db())
  expect(await owed(given)).toEqual([0, 22_000])
})

it('it locks the sales before the referral, as refunds and late exchange rates do', async () => {
  const given = await ground(scene)
  const { external_id } = await earnOne(scene, given, 10_000)
  let isFree: boolean | undefined
  await whileHeld(
    scene.database,
    tx => lockSale(tx, accountId(), external_id),
    () => reassign(scene, db(), given),
    async () => {
      const text = 'SELECT 1 FROM referrals WHERE id = $1 FOR SHARE SKIP LOCKED'
      isFree = (await scene.database.owner.query(text, [given.referralId])).rowCount === 1
    },
  )
  expect(isFree).toBe(true)
  expect(await owed(given)).toEqual([0, 2000])
})
