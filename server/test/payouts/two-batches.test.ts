/** Protects from paying twice by making two payouts at once (row 5): each commission is in exactly one of them. */
import type { Campaign } from '@tributary/contract'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { reportMeasurement, sized } from '../../../testing/size.ts'
import { Database } from '../../src/db/database.ts'
import { sql } from '../../src/db/sql.ts'
import { createPayout } from '../../src/money/payouts/create-payout.ts'
import { markPayments } from '../../src/money/payouts/mark-payments.ts'
import { unique } from '../factories.ts'
import { brokenInvariants, useSoundScene } from '../harness.ts'
import { approvedAffiliate, convert, openCampaign, refund, sell } from '../ledger/scene.ts'
import { buildEarners } from './rail-scene.ts'

const AT_ONCE = 8
const EARNERS = sized(200, 5000)
const PURCHASES = sized(10, 100)
const scene = useSoundScene()
/** Separate connections, as other processes have, so that none waits for the pool. */
let others: Database
beforeAll(() => {
  others = new Database({ ...scene.database.service, max: 2 * AT_ONCE }, error => {
    throw error
  })
})
afterAll(() => others?.close())

/** Creates payouts concurrently; returns those that were created. The others fail because nothing is left. */
async function createAtOnce({ id: campaignId }: Campaign, digest?: string): Promise<number[]> {
  const made = await Promise.allSettled(
    Array.from({ length: AT_ONCE }, () =>
      createPayout(others, scene.account.id, { campaignId, rail: 'manual', digest }),
    ),
  )
  const refused = made.flatMap(result => (result.status === 'rejected' ? [result.reason] : []))
  expect(refused.map(({ message }) => message)).toEqual(
    refused.map(() => expect.stringMatching(/^There is nothing to pay/)),
  )
  return made.flatMap(result => (result.status === 'fulfilled' ? [result.value.id] : []))
}

/** Which live items hold each entry of a campaign. */
const holders = (campaignId: number) =>
  scene.database.db.many<{ id: number; status: string; minor: number; items: number[] }>(sql`
    SELECT c.id, c.status, c.payout_amount_minor AS minor,
           ARRAY(SELECT p.payout_item_id FROM pinned_commissions p
                  WHERE p.account_id = c.account_id AND p.commission_id = c.id AND NOT p.released) AS items
      FROM commissions c
     WHERE c.account_id = ${scene.account.id} AND c.campaign_id = ${campaignId} AND c.entry_type <> 'payout' ORDER BY c.id`)

const itemSum = async (campaignId: number) => {
  const [row] = await scene.database.db.many<{ minor: number; items: number }>(sql`
    SELECT coalesce(sum(i.amount_minor), 0)::bigint AS minor, count(*)::integer AS items
      FROM payout_items i JOIN payouts p ON p.account_id = i.account_id AND p.id = i.payout_id
     WHERE i.account_id = ${scene.account.id} AND p.campaign_id = ${campaignId} AND i.status <> 'failed'`)
  return row as { minor: number; items: number }
}

it(`${AT_ONCE} at once for one campaign: one is made, with every commission in it once`, async () => {
  const campaign = await openCampaign(scene.database, scene.account.id)
  const earners = await buildEarners(scene.database, scene.account.id, campaign, EARNERS)
  expect(await createAtOnce(campaign)).toHaveLength(1)
  const held = await holders(campaign.id)
  expect(held.map(({ id, items }) => [id, items.length])).toEqual(
    earners.map(({ commissionId }) => [commissionId, 1]),
  )
  expect(await itemSum(campaign.id)).toEqual({
    items: earners.length,
    minor: earners.reduce((sum, { minor }) => sum + minor, 0),
  })
})

it('at once after a failure: what was released is taken up once', async () => {
  const campaign = await openCampaign(scene.database, scene.account.id)
  const earners = await buildEarners(scene.database, scene.account.id, campaign, 50)
  const [first] = (await createAtOnce(campaign)) as [number]
  const reported = { outcome: 'failed', reason: 'Not today', reference: null } as const
  const [, ...made] = await Promise.all([
    markPayments(scene.database.db, scene.account.id, first, reported),
    ...Array.from({ length: 3 }, () => createAtOnce(campaign)),
  ])
  const later = [...made.flat(), ...(await createAtOnce(campaign))]
  expect(later).toHaveLength(1)
  const held = await holders(campaign.id)
  expect(held.map(({ items }) => items.length)).toEqual(earners.map(() => 1))
})

it('two campaigns at once do not wait for or take from each other', async () => {
  const campaigns = await Promise.all([1, 2].map(() => openCampaign(scene.database, scene.account.id)))
  for (const campaign of campaigns) await buildEarners(scene.database, scene.account.id, campaign, 20)
  const made = await Promise.all(campaigns.map(campaign => createAtOnce(campaign)))
  expect(made.map(ids => ids.length)).toEqual([1, 1])
  for (const { id } of campaigns) expect(await itemSum(id)).toMatchObject({ items: 20 })
})

it('beside sales, refunds and payments that go on: in the end every cent is in one payout', async () => {
  const campaign = await openCampaign(scene.database, scene.account.id)
  const affiliates = await Promise.all(Array.from({ length: 4 }, () => approvedAffiliate(scene, campaign.id)))
  const customers = await Promise.all(
    affiliates.map(async ({ token }) => {
      const customer_ref = unique('customer')
      const won = await convert(scene.api, { campaign_id: campaign.id, customer_ref, token })
      expect(won.status).toBe(201)
      return customer_ref
    }),
  )
  const payouts: number[] = []
  /** A customer buys again and again until there were some payouts, and sends part of every other purchase back. */
  const shop = async (customer_ref: string) => {
    for (let purchase = 0; purchase < PURCHASES || payouts.length < 3; purchase++) {
      const external_id = unique('sale')
      const sale = { customer_ref, external_id, amount_minor: 10_000 + purchase, currency: 'USD' }
      expect((await sell(scene.api, sale)).status).toBe(201)
      if (purchase % 2 === 0) continue
      const back = { external_id: unique('refund'), sale_external_id: external_id, amount_minor: 5_000 }
      expect((await refund(scene.api, back)).status).toBe(201)
    }
  }
  let isOpen = true
  /** Payouts are made in bursts, and paid or failed at once, as long as the shop is open. */
  const treasury = async () => {
    for (let round = 0; isOpen; round++) {
      const made = await createAtOnce(campaign)
      payouts.push(...made)
      const outcome = round % 3 === 1 ? 'failed' : 'paid'
      for (const id of made)
        await markPayments(others, scene.account.id, id, { outcome, reason: null, reference: null })
    }
  }
  const close = Promise.all(customers.map(shop)).finally(() => {
    isOpen = false
  })
  await Promise.all([close, treasury()])
  payouts.push(...(await createAtOnce(campaign)))
  expect(payouts.length).toBeGreaterThan(2)
  const held = await holders(campaign.id)
  // What is held is in one live item; what is not is a clawback that came last and waits for the next sale.
  const twice = held.filter(({ items }) => items.length > 1)
  const what = `in two of ${payouts.length} payouts, of ${held.length} commissions`
  reportMeasurement({ row: 5, what, value: twice.length, bar: '0', holds: twice.length === 0 })
  expect(twice).toEqual([])
  const inItems = held.filter(({ items }) => items.length === 1).reduce((sum, { minor }) => sum + minor, 0)
  expect((await itemSum(campaign.id)).minor).toBe(inItems)
  const left = held.filter(({ items }) => items.length === 0)
  expect(left.filter(({ minor }) => minor > 0)).toEqual([])
})

it('all of it leaves the ledger whole', async () => {
  expect(await brokenInvariants(scene.database)).toEqual([])
})
