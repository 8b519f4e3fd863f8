/** Protects both sides of a reversed refund: what it gives back is what it took, of the same kind and not payable any sooner. */
import { describe, expect, it } from 'vitest'
import { reviewReferral } from '../../src/earning/referrals/review-referral.ts'
import { reportRefund } from '../../src/earning/refunds/report-refund.ts'
import { reverseRefund } from '../../src/earning/refunds/reverse-refund.ts'
import { reviewCommission } from '../../src/money/commissions/review-commission.ts'
import { reviewCommissions } from '../../src/money/commissions/review-commissions.ts'
import { balancesOf } from '../../src/money/ledger/balances.ts'
import { releaseHolds } from '../../src/money/ledger/holds.ts'
import { unique } from '../factories.ts'
import { brokenInvariants, useOwnScene } from '../harness.ts'
import { whileHeld } from '../interleave.ts'
import { owe } from '../payouts/ground.ts'
import { writeDamage } from './damage.ts'
import {
  approvedAffiliate,
  convert,
  earn,
  earnOne,
  entriesOf,
  openCampaign,
  pay,
  percent,
  refund,
  sell,
  short,
  type Won,
  winCustomer,
} from './scene.ts'

const scene = useOwnScene()
const held = { hold_days: 30 }
const ledger = async (won: Pick<Won, 'referralId'>) => (await entriesOf(scene, won.referralId)).map(short)
const balance = async (won: Won) =>
  (await balancesOf(scene.database.db, scene.account.id, won.affiliate.id))[0]

async function takeBack(sale_external_id: string, amount_minor?: number): Promise<string> {
  const external_id = unique('refund')
  const { status } = await refund(scene.api, {
    external_id,
    sale_external_id,
    ...(amount_minor !== undefined && { amount_minor }),
  })
  expect(status).toBe(201)
  return external_id
}

const reverse = (externalId: string, saleExternalId: string) =>
  reverseRefund(scene.database.db, scene.account.id, { externalId, saleExternalId })

/** Moves the holds, as if so much time had passed, and releases them. */
const passHolds = async ({ referralId }: Won) => {
  await writeDamage(
    scene.database,
    'UPDATE commissions SET hold_until = now() WHERE referral_id = $1 AND hold_until IS NOT NULL',
    [referralId],
  )
  await releaseHolds(scene.database.db)
}

describe('credit that is given back', () => {
  it('stays credit, is not paid out, and can be taken again', async () => {
    const rewards = [percent(1000, { beneficiary: 'referrer', entryType: 'credit' })]
    const won = await winCustomer(scene, { program_type: 'referral', ...held, rewards })
    const { external_id } = await earnOne(scene, won)
    await reverse(await takeBack(external_id), external_id)
    await passHolds(won)
    await owe(scene, won.campaign, won.affiliate, 300)
    expect(await ledger(won)).toEqual([
      ['credit', 1000, 'void'],
      ['adjustment', 1000, 'approved'],
    ])
    expect(await balance(won)).toMatchObject({ balance_minor: 300, credit_minor: 1000 })
    expect(await pay(scene, won.campaign.id)).toEqual({ [won.affiliate.id]: 300 })
    await takeBack(external_id)
    expect(await balance(won)).toMatchObject({ balance_minor: 0, credit_minor: 0 })
    expect(await brokenInvariants(scene.database)).toEqual([])
  })
})

describe('a commission that is given back during its hold', () => {
  it('waits until the hold of the sale has passed', async () => {
    const won = await winCustomer(scene, held)
    const { external_id, entry } = await earnOne(scene, won)
    const { commissions } = await reverse(await takeBack(external_id), external_id)
    expect(commissions.map(short)).toEqual([['adjustment', 2000, 'pending']])
    expect(commissions[0]?.hold_until).toBe(entry.hold_until)
    await releaseHolds(scene.database.db)
    expect(await balance(won)).toMatchObject({ pending_minor: 2000, approved_minor: 0 })
    await passHolds(won)
    expect(await pay(scene, won.campaign.id)).toEqual({ [won.affiliate.id]: 2000 })
  })

  it('is taken again and given back again, on hold all the time', async () => {
    const won = await winCustomer(scene, held)
    const { external_id } = await earnOne(scene, won)
    await reverse(await takeBack(external_id), external_id)
    const part = await takeBack(external_id, 2500)
    expect(await balance(won)).toMatchObject({ pending_minor: 1500, approved_minor: 0 })
    const rest = await takeBack(external_id)
    expect((await balance(won))?.balance_minor ?? 0).toBe(0)
    await reverse(part, external_id)
    await reverse(rest, external_id)
    expect(await balance(won)).toMatchObject({ pending_minor: 2000, approved_minor: 0 })
    await passHolds(won)
    expect(await balance(won)).toMatchObject({ pending_minor: 0, approved_minor: 2000 })
    await takeBack(external_id)
    expect((await balance(won))?.balance_minor ?? 0).toBe(0)
    expect(await brokenInvariants(scene.database)).toEqual([])
  })

  it('is taken again in whole while a person approves it', async () => {
    const { db } = scene.database
    const won = await winCustomer(scene, held)
    const { external_id } = await earnOne(scene, won)
    const [given] = (await reverse(await takeBack(external_id), external_id)).commissions
    const again = { external_id: unique('refund'), sale_external_id: external_id }
    await whileHeld(
      scene.database,
      tx => reviewCommission(tx, scene.account.id, given?.id as number, 'approved'),
      () => reportRefund(db, scene.account.id, again),
    )
    expect(await ledger(won)).toEqual([
      ['earned', 2000, 'void'],
      ['adjustment', 2000, 'approved'],
      ['adjustment', -2000, 'approved'],
    ])
  })

  it('stays taken if the referral is rejected at the same time', async () => {
    const won = await winCustomer(scene)
    const { external_id } = await earnOne(scene, won)
    const refunded = await takeBack(external_id, 5000)
    await whileHeld(
      scene.database,
      tx => reviewReferral(tx, scene.account.id, won.referralId, 'rejected'),
      () => reverse(refunded, external_id),
    )
    expect((await balance(won))?.balance_minor ?? 0).toBe(0)
    expect(await brokenInvariants(scene.database)).toEqual([])
  })

  it('is taken by a later refund although a person waived the one that was reversed', async () => {
    const won = await winCustomer(scene, held)
    const { external_id } = await earnOne(scene, won)
    const failed = await takeBack(external_id, 3000)
    const waived = (await entriesOf(scene, won.referralId)).find(
      ({ entry_type }) => entry_type === 'clawback',
    )
    expect((await scene.api.patch(`/commissions/${waived?.id}`, { status: 'void' })).status).toBe(200)
    await reverse(failed, external_id)
    expect(await balance(won)).toMatchObject({ pending_minor: 2000 })
    await takeBack(external_id, 3000)
    expect(await balance(won)).toMatchObject({ pending_minor: 1400 })
    expect(await brokenInvariants(scene.database)).toEqual([])
  })

  it('is all that the reversed refund took, although a person waived another one', async () => {
    const won = await winCustomer(scene, held)
    const { external_id } = await earnOne(scene, won)
    const failed = await takeBack(external_id, 3000)
    await takeBack(external_id, 3000)
    const waived = (await entriesOf(scene, won.referralId)).at(-1)
    expect((await scene.api.patch(`/commissions/${waived?.id}`, { status: 'void' })).status).toBe(200)
    await reverse(failed, external_id)
    expect(await balance(won)).toMatchObject({ pending_minor: 2000 })
    await takeBack(external_id)
    expect(await balance(won)).toMatchObject({ pending_minor: 600 })
    expect(await brokenInvariants(scene.database)).toEqual([])
  })

  it('is never more than refunds took: a waiver leaves nothing to give back', async () => {
    const campaign = await openCampaign(scene.database, scene.account.id, held)
    const affiliate = await approvedAffiliate(scene, campaign.id)
    const [customer_ref, external_id] = [unique('customer'), unique('sale')]
    const sale = { external_id, amount_minor: 10_000, currency: 'USD' }
    await sell(scene.api, { customer_ref, ...sale })
    const failed = await takeBack(external_id, 3000)
    const { body } = await convert(scene.api, {
      campaign_id: campaign.id,
      customer_ref,
      token: affiliate.token,
      sale,
    })
    const won = { campaign, affiliate, customer_ref, referralId: body.referral.id }
    const waived = (await entriesOf(scene, won.referralId)).at(-1)
    expect((await scene.api.patch(`/commissions/${waived?.id}`, { status: 'void' })).status).toBe(200)
    expect((await reverse(failed, external_id)).commissions).toEqual([])
    expect(await balance(won)).toMatchObject({ pending_minor: 2000 })
  })

  it.each([
    ['during its hold', false],
    ['after its hold', true],
  ])('is taken again by a refund whose repetition has the same answer, %s', async (_when, isReleased) => {
    const won = await winCustomer(scene, held)
    const { external_id } = await earnOne(scene, won)
    await reverse(await takeBack(external_id), external_id)
    if (isReleased) await passHolds(won)
    const again = { external_id: unique('refund'), sale_external_id: external_id, amount_minor: 2500 }
    const [first, repeated] = [await refund(scene.api, again), await refund(scene.api, again)]
    const written = isReleased
      ? [['adjustment', -500, 'approved']]
      : [
          ['adjustment', 2000, 'void'],
          ['adjustment', 1500, 'pending'],
        ]
    expect(first.body.commissions.map(short)).toEqual(written)
    expect([first.status, repeated.status, repeated.body]).toEqual([201, 200, first.body])
  })

  it('has the same answer again where several were given back', async () => {
    const rewards = [percent(1000, { beneficiary: 'referrer' }), percent(500, { beneficiary: 'referee' })]
    const won = await winCustomer(scene, { program_type: 'referral', ...held, rewards })
    const { external_id } = await earn(scene, won, 10_000)
    await reverse(await takeBack(external_id), external_id)
    const again = { external_id: unique('refund'), sale_external_id: external_id, amount_minor: 2500 }
    const [first, repeated] = [await refund(scene.api, again), await refund(scene.api, again)]
    expect(first.body.commissions).toHaveLength(4)
    expect([first.status, repeated.status, repeated.body]).toEqual([201, 200, first.body])
  })

  it('has the same answer again where a clawback of the void commission is balanced', async () => {
    const won = await winCustomer(scene, held)
    const { external_id } = await earnOne(scene, won)
    const failed = await takeBack(external_id, 2500)
    const [clawback] = (await entriesOf(scene, won.referralId)).filter(e => e.entry_type === 'clawback')
    if (!clawback) throw new Error('there is no clawback')
    await reviewCommission(scene.database.db, scene.account.id, clawback.id, 'approved')
    await reverse(failed, external_id)
    const again = { external_id: unique('refund'), sale_external_id: external_id }
    const [first, repeated] = [await refund(scene.api, again), await refund(scene.api, again)]
    expect(first.body.commissions.map(short)).toEqual([
      ['earned', 2000, 'void'],
      ['adjustment', 500, 'approved'],
    ])
    expect([first.status, repeated.status, repeated.body]).toEqual([201, 200, first.body])
    expect((await balance(won))?.balance_minor ?? 0).toBe(0)
    expect(await brokenInvariants(scene.database)).toEqual([])
  })

  it('is nothing after a person voided the approved commission', async () => {
    const won = await winCustomer(scene)
    const { external_id, entry } = await earnOne(scene, won)
    const failed = await takeBack(external_id, 5000)
    await scene.database.db.transaction(tx => reviewCommissions(tx, scene.account.id, [entry.id], 'void'))
    const { commissions } = await reverse(failed, external_id)
    expect(commissions).toEqual([])
    expect((await balance(won))?.balance_minor ?? 0).toBe(0)
    expect(await brokenInvariants(scene.database)).toEqual([])
  })

  it('is not given back again after a person voided it', async () => {
    const won = await winCustomer(scene, held)
    const { external_id } = await earnOne(scene, won)
    const [given] = (await reverse(await takeBack(external_id), external_id)).commissions
    expect((await scene.api.patch(`/commissions/${given?.id}`, { status: 'void' })).status).toBe(200)
    const { commissions } = await reverse(await takeBack(external_id), external_id)
    expect(commissions).toEqual([])
  })
})

it('a sale that was credited after its refunds gets back what they took', async () => {
  const campaign = await openCampaign(scene.database, scene.account.id, held)
  const affiliate = await approvedAffiliate(scene, campaign.id)
  const [customer_ref, external_id] = [unique('customer'), unique('sale')]
  const sale = { external_id, amount_minor: 10_000, currency: 'USD' }
  await sell(scene.api, { customer_ref, ...sale })
  const [first, second] = [await takeBack(external_id, 4000), await takeBack(external_id)]
  const { body } = await convert(scene.api, {
    campaign_id: campaign.id,
    customer_ref,
    token: affiliate.token,
    sale,
  })
  const won = { campaign, affiliate, customer_ref, referralId: body.referral.id }
  expect(await ledger(won)).toEqual([['earned', 2000, 'void']])
  await reverse(first, external_id)
  expect(await balance(won)).toMatchObject({ pending_minor: 800 })
  await reverse(second, external_id)
  expect(await balance(won)).toMatchObject({ pending_minor: 2000, approved_minor: 0 })
  expect(await brokenInvariants(scene.database)).toEqual([])
})
