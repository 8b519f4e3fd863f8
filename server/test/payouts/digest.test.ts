/** Protects the person who approved a preview: its digest differs exactly when who is paid what, or where, does. */
import type { Affiliate, Campaign } from '@tributary/contract'
import { beforeEach, describe, expect, it } from 'vitest'
import { sql } from '../../src/db/sql.ts'
import { streamPayable } from '../../src/money/ledger/payable.ts'
import { PayableSum } from '../../src/money/payouts/payable-sum.ts'
import { payoutScope } from '../../src/money/payouts/payout-scope.ts'
import { buildAffiliate } from '../factories.ts'
import { useOwnScene } from '../harness.ts'
import { openCampaign } from '../ledger/scene.ts'
import { create, earnFor, markFailed, owe, owed, preview, undone } from './ground.ts'

const scene = useOwnScene()
let campaign: Campaign
let first: Affiliate
let second: Affiliate
let newcomer: Affiliate
let poor: Affiliate

beforeEach(async () => {
  const terms = { minimum_payout_minor: 1000, hold_days: 30 }
  campaign = await openCampaign(scene.database, scene.account.id, terms)
  first = await owed(scene, campaign, [1000, 2000])
  second = await owed(scene, campaign, [4000])
  newcomer = await buildAffiliate(scene.database, scene.account.id, campaign.id)
  await owe(scene, campaign, newcomer, 7000)
  poor = await owed(scene, campaign, [900])
})

const digest = async () => (await preview(scene, campaign)).digest
const change = (affiliate: Affiliate, details: object) =>
  scene.api.patch(`/affiliates/${affiliate.id}`, details)

it('is 64 hexadecimal digits, and the same each time', async () => {
  const before = await digest()
  expect(before).toMatch(/^[0-9a-f]{64}$/)
  expect(await digest()).toBe(before)
  expect((await preview(scene, campaign, { cutOff: '2999-01-01T00:00:00Z' })).digest).toBe(before)
  expect((await preview(scene, campaign)).rows).toHaveLength(4)
})

describe('is another one after', () => {
  it.each<[string, () => Promise<unknown>]>([
    ['one more entry', () => owe(scene, campaign, first, 1)],
    [
      'entries that sum to nothing',
      async () => {
        await owe(scene, campaign, first, 500)
        await owe(scene, campaign, first, -500)
      },
    ],
    [
      'the same sum for another affiliate',
      async () => {
        await owe(scene, campaign, first, -1000)
        await owe(scene, campaign, second, 1000)
      },
    ],
    ['a changed PayPal address', () => change(first, { paypal_email: 'elsewhere@example.com' })],
    [
      'a PayPal address in capitals',
      () => change(first, { paypal_email: first.paypal_email?.toUpperCase() }),
    ],
    ['a PayPal address less', () => change(first, { paypal_email: null })],
    ['an approval', () => change(newcomer, { status: 'approved' })],
    ['a rejection', () => change(second, { status: 'rejected' })],
    ['an affiliate who reaches the minimum', () => owe(scene, campaign, poor, 100)],
    ['an affiliate who falls below it', () => owe(scene, campaign, first, -2001)],
  ])('%s', async (_what, happen) => {
    const before = await digest()
    await happen()
    expect(await digest()).not.toBe(before)
  })

  it('another amount of the very same entry', async () => {
    const { db } = scene.database
    const scope = await payoutScope(db, scene.account.id, { campaignId: campaign.id, rail: 'manual' })
    const before = await digest()
    const after = await undone(scene.database, async tx => {
      await tx.many(sql`ALTER TABLE commissions DISABLE TRIGGER USER`)
      await tx.many(sql`
        UPDATE commissions SET amount_minor = amount_minor + 1, payout_amount_minor = payout_amount_minor + 1
         WHERE account_id = ${scene.account.id} AND affiliate_id = ${second.id}`)
      const sum = new PayableSum(scope)
      for await (const rows of streamPayable(tx, scene.account.id, scope))
        for (const row of rows) sum.add(row)
      return sum.summary().digest
    })
    expect(after).not.toBe(before)
    expect(await digest()).toBe(before)
  })

  it('a hold that has passed', async () => {
    const { commissions } = await earnFor(scene, campaign, first, 5000)
    const before = await digest()
    await scene.api.patch(`/commissions/${commissions[0]?.id}`, { status: 'approved' })
    expect(await digest()).not.toBe(before)
  })
})

describe('stays the same after', () => {
  it.each<[string, () => Promise<unknown>]>([
    ['a new name', () => change(first, { name: 'Jane Doe', tags: ['vip'] })],
    ['a new email address', () => change(first, { email: `new-${first.email}` })],
    ['a sale that is on hold', () => earnFor(scene, campaign, first, 5000)],
    ['a test', () => earnFor(scene, campaign, first, 5000, { is_test: true })],
    ['an entry of an affiliate who is not approved', () => owe(scene, campaign, newcomer, 5)],
    ['an entry of an affiliate who stays below the minimum', () => owe(scene, campaign, poor, 99)],
    ['an address of an affiliate who gets nothing', () => change(poor, { paypal_email: 'p@example.com' })],
    [
      'an entry in another campaign',
      async () => {
        const other = await openCampaign(scene.database, scene.account.id)
        await scene.api.post('/affiliates', { email: first.email, campaign_id: other.id })
        await owe(scene, other, first, 5000)
      },
    ],
  ])('%s', async (_what, happen) => {
    const before = await digest()
    await happen()
    expect(await digest()).toBe(before)
  })

  it('a payout of it all that failed', async () => {
    const before = await digest()
    const { id } = await create(scene, campaign, { digest: before })
    expect(await digest()).not.toBe(before)
    await markFailed(scene, id)
    expect(await digest()).toBe(before)
  })
})
