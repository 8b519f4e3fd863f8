/** Protects what happens after a referral was reassigned: reports, refunds and reversals find it, and its money is counted and paid once. */
import { afterEach, describe, expect, it } from 'vitest'
import { sql } from '../../src/db/sql.ts'
import { reverseRefund } from '../../src/earning/refunds/reverse-refund.ts'
import { oneDay } from '../../src/insight/days.store.ts'
import { earningFacts } from '../../src/insight/fact-rows.store.ts'
import { balancesOf } from '../../src/money/ledger/balances.ts'
import { releaseHolds } from '../../src/money/ledger/holds.ts'
import { createTestPayout } from '../../src/money/test-payouts/create-test-payout.ts'
import { findTestPayable } from '../../src/money/test-payouts/test-payout.store.ts'
import { Person } from '../dashboard/person.ts'
import { unique } from '../factories.ts'
import { brokenInvariants, useOwnScene } from '../harness.ts'
import { rawFacts } from '../insight/raw-facts.ts'
import { writeDamage } from './damage.ts'
import { type Ground, ground, reassign } from './reassign-scene.ts'
import {
  convert,
  countRows,
  earnOne,
  openCampaign,
  pay,
  percent,
  refund,
  sell,
  type Terms,
  useRate,
} from './scene.ts'

const scene = useOwnScene()
const db = () => scene.database.db
afterEach(async () => expect(await brokenInvariants(scene.database)).toEqual([]))

/** Another campaign in which the new affiliate can be credited. */
async function campaignOf({ to }: Ground, terms: Terms = {}): Promise<number> {
  const { id } = await openCampaign(scene.database, scene.account.id, terms)
  await scene.api.post('/affiliates', { email: to.email, campaign_id: id })
  return id
}

async function refundAndReverse(saleExternalId: string): Promise<void> {
  const externalId = unique('refund')
  await refund(scene.api, { external_id: externalId, sale_external_id: saleExternalId })
  await reverseRefund(db(), scene.account.id, { externalId, saleExternalId })
}

/** Moves the holds, as if so much time had passed, and releases them. */
async function passHolds({ referralId }: Ground): Promise<void> {
  const text = 'UPDATE commissions SET hold_until = now() WHERE referral_id = $1 AND hold_until IS NOT NULL'
  await writeDamage(scene.database, text, [referralId])
  await releaseHolds(db())
}

describe('what a reversed refund gives back is what the sale earns now', () => {
  const credit: Terms = {
    program_type: 'referral',
    hold_days: 30,
    rewards: [percent(1000, { beneficiary: 'referrer', entryType: 'credit' })],
  }
  const money: Terms = { ...credit, rewards: [percent(2000, { beneficiary: 'referrer' })] }
  const balance = async ({ to }: Ground) => (await balancesOf(db(), scene.account.id, to.id))[0]

  it('money, if it was credit before', async () => {
    const given = await ground(scene, credit)
    const { external_id } = await earnOne(scene, given, 10_000)
    const campaign_id = await campaignOf(given, money)
    await reassign(scene, db(), given, { campaign_id })
    await refundAndReverse(external_id)
    await passHolds(given)
    expect(await balance(given)).toMatchObject({ approved_minor: 2000, credit_minor: 0 })
    expect(await pay(scene, campaign_id)).toEqual({ [given.to.id]: 2000 })
  })

  it('credit, if it was money before', async () => {
    const given = await ground(scene, money)
    const { external_id } = await earnOne(scene, given, 10_000)
    await reassign(scene, db(), given, { campaign_id: await campaignOf(given, credit) })
    await refundAndReverse(external_id)
    await passHolds(given)
    expect(await balance(given)).toMatchObject({ balance_minor: 0, credit_minor: 1000 })
  })
})

it('reports that name any campaign that the referral was in belong to it', async () => {
  const given = await ground(scene)
  const [second, third] = [await campaignOf(given), await campaignOf(given)]
  for (const campaign_id of [second, third]) await reassign(scene, db(), given, { campaign_id })
  const { customer_ref } = given
  const sale = () => ({ external_id: unique('sale'), amount_minor: 10_000, currency: 'USD' })
  for (const campaign_id of [given.campaign.id, second, third]) {
    const sold = await sell(scene.api, { customer_ref, campaign_id, ...sale() })
    expect(sold.body.referral).toMatchObject({ id: given.referralId, campaign_id: third })
    expect(sold.body.commissions).toMatchObject([{ affiliate_id: given.to.id, amount_minor: 2000 }])
    const again = await convert(scene.api, { customer_ref, campaign_id, token: given.to.token, sale: sale() })
    expect(again.body.referral).toMatchObject({ id: given.referralId, campaign_id: third })
  }
  expect(await countRows(scene, 'referrals', 'customer_ref = $1', [customer_ref])).toBe(1)
})

describe('the commission counts once, for the new affiliate', () => {
  it('in the overview', async () => {
    const given = await ground(scene)
    await earnOne(scene, given, 10_000)
    await reassign(scene, db(), given)
    const viewer = await Person.join(scene.app, scene.account.id, 'viewer')
    const query = { campaign_id: given.campaign.id }
    const { commissions, top_affiliates } = (await viewer.call('getOverview', { query })).body
    expect(commissions).toMatchObject([{ currency: 'USD', now: 2000 }])
    expect(top_affiliates).toMatchObject([{ id: given.to.id, sales: 1, commissions_minor: 2000 }])
  })

  it('in the performance by day', async () => {
    const given = await ground(scene)
    await earnOne(scene, given, 10_000)
    await reassign(scene, db(), given)
    const text = "UPDATE commissions SET created_at = '2025-03-04T12:00:00Z' WHERE referral_id = $1"
    await writeDamage(scene.database, text, [given.referralId])
    const facts = await db().many(sql`
      WITH ${oneDay({ day: '2025-03-04', starts: '2025-03-04T00:00:00Z', ends: '2025-03-05T00:00:00Z' })}, ${earningFacts(scene.account.id)}
      SELECT e.affiliate_id, e.commissions, e.commissions_minor FROM earning_facts e`)
    expect(facts).toEqual([{ affiliate_id: given.to.id, commissions: 1, commissions_minor: 2000 }])
    const counted = await rawFacts(scene.database.owner, scene.account.id, 'UTC')
    const ofDay = Object.entries(counted).filter(([key]) => /^2025-03-04 .* commissions_minor$/.test(key))
    expect(ofDay.map(([, minor]) => minor)).toEqual([2000])
  })
})

describe('a test payout', () => {
  const testGround = async (): Promise<Ground> => {
    const given = await ground(scene, {}, { is_test: true })
    await earnOne(scene, given, 10_000)
    return given
  }

  it('keeps the sales that are in it, as a payout does', async () => {
    const given = await testGround()
    const { id } = given.campaign
    expect(await createTestPayout(db(), scene.account.id, id)).toMatchObject({ total_minor: 2000 })
    expect(await reassign(scene, db(), given)).toMatchObject({ sales: 0, entries: [{ change: 'kept' }] })
    await expect(createTestPayout(db(), scene.account.id, id)).rejects.toThrow('no test commissions to pay')
  })

  it('has what was earned in its campaign: what stayed there, not what was earned elsewhere', async () => {
    const given = await testGround()
    await createTestPayout(db(), scene.account.id, given.campaign.id)
    const { external_id } = await earnOne(scene, given, 5000)
    const campaign_id = await campaignOf(given, { payout_currency: 'EUR', rewards: [percent(1000)] })
    await useRate(scene, 'USD', 'EUR', '0.5')
    await reassign(scene, db(), given, { campaign_id })
    await refund(scene.api, {
      external_id: unique('refund'),
      sale_external_id: external_id,
      amount_minor: 1000,
    })
    const owed = { payment_count: 1, total_minor: 200 }
    expect(await findTestPayable(db(), scene.account.id, campaign_id)).toEqual(owed)
    const nothing = { payment_count: 0, total_minor: 0 }
    expect(await findTestPayable(db(), scene.account.id, given.campaign.id)).toEqual(nothing)
  })
})

it('a sale of which a person waived a refund stays: earned anew, it would be less that refund', async () => {
  const given = await ground(scene, { hold_days: 30 })
  const { external_id } = await earnOne(scene, given, 10_000)
  const half = { external_id: unique('refund'), sale_external_id: external_id, amount_minor: 5000 }
  const [clawback] = (await refund(scene.api, half)).body.commissions
  expect((await scene.api.patch(`/commissions/${clawback.id}`, { status: 'void' })).status).toBe(200)
  expect(await reassign(scene, db(), given)).toMatchObject({
    sales: 0,
    entries: [{ change: 'kept', affiliate_id: given.affiliate.id, amount_minor: 2000 }],
  })
})
