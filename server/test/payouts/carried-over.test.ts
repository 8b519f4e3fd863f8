/** Protects what a payout leaves behind: late refunds and failed items are settled by the next one, to the cent. */
import type { Affiliate, Campaign } from '@tributary/contract'
import { beforeEach, describe, expect, it } from 'vitest'
import { sql } from '../../src/db/sql.ts'
import { reviewReferral } from '../../src/earning/referrals/review-referral.ts'
import { balancesOf } from '../../src/money/ledger/balances.ts'
import { unique } from '../factories.ts'
import { brokenInvariants, useSoundScene } from '../harness.ts'
import { countRows, openCampaign, refund, sell } from '../ledger/scene.ts'
import {
  create,
  earnFor,
  markFailed,
  markPaid,
  owe,
  owed,
  preview,
  previewResults,
  show,
  statuses,
} from './ground.ts'

const scene = useSoundScene()
let campaign: Campaign
let affiliate: Affiliate

beforeEach(async () => {
  campaign = await openCampaign(scene.database, scene.account.id, { minimum_payout_minor: 1000 })
  affiliate = await owed(scene, campaign, [])
})

const giveBack = (sale_external_id: string, amount_minor?: number) =>
  refund(scene.api, {
    external_id: unique('refund'),
    sale_external_id,
    ...(amount_minor && { amount_minor }),
  })

async function payEverything(): Promise<number> {
  const { id, total_minor } = await create(scene, campaign)
  await markPaid(scene, id)
  return total_minor
}

const balance = async () =>
  (await balancesOf(scene.database.db, scene.account.id, affiliate.id))[0]?.balance_minor

/** The affiliate's entries in this campaign: type, amount and status, oldest first. */
async function entries(): Promise<[string, number, string][]> {
  const { body } = await scene.api.get(`/commissions?campaign_id=${campaign.id}&limit=100`)
  return body.data
    .toReversed()
    .map((entry: { entry_type: string; amount_minor: number; status: string }) => [
      entry.entry_type,
      entry.amount_minor,
      entry.status,
    ])
}

describe('a refund after the payout', () => {
  it('is taken off the next one', async () => {
    const { external_id, customer_ref } = await earnFor(scene, campaign, affiliate, 10_000)
    expect(await payEverything()).toBe(2000)
    await giveBack(external_id, 2500)
    expect(previewResults(await preview(scene, campaign))).toEqual([[affiliate.id, -500, 'negative_balance']])
    await sell(scene.api, { customer_ref, external_id: unique('sale'), amount_minor: 8000, currency: 'USD' })
    expect(await payEverything()).toBe(1100)
    expect(await balance()).toBe(0)
    expect(await entries()).toEqual([
      ['earned', 2000, 'paid'],
      ['payout', -2000, 'paid'],
      ['clawback', -500, 'paid'],
      ['earned', 1600, 'paid'],
      ['payout', -1100, 'paid'],
    ])
  })

  it('while it is under way changes nothing of it', async () => {
    const { external_id } = await earnFor(scene, campaign, affiliate, 10_000)
    const { id } = await create(scene, campaign)
    await giveBack(external_id)
    await markPaid(scene, id)
    expect((await show(scene, id)).items).toMatchObject([{ amount_minor: 2000, status: 'paid' }])
    expect(await balance()).toBe(-2000)
  })

  it('while a payout is under way that then fails leaves nothing to pay', async () => {
    const { external_id } = await earnFor(scene, campaign, affiliate, 10_000)
    const { id } = await create(scene, campaign)
    await giveBack(external_id)
    await markFailed(scene, id)
    expect(previewResults(await preview(scene, campaign))).toEqual([[affiliate.id, 0, 'below_minimum']])
    expect(await balance()).toBe(0)
  })

  it('of a referral that turns out to be a fraud takes everything', async () => {
    const { commissions } = await earnFor(scene, campaign, affiliate, 10_000)
    await payEverything()
    const referralId = Number(commissions[0]?.referral_id)
    await reviewReferral(scene.database.db, scene.account.id, referralId, 'rejected')
    expect(await balance()).toBe(-2000)
  })
})

describe('a negative balance', () => {
  it('is carried forward while others are paid, and never paid', async () => {
    await owe(scene, campaign, affiliate, -3000)
    for (const amount of [1000, 1200]) {
      await owed(scene, campaign, [amount])
      expect(await payEverything()).toBe(amount)
      expect(await balance()).toBe(-3000)
    }
    await owe(scene, campaign, affiliate, 3999)
    expect(previewResults(await preview(scene, campaign))).toEqual([[affiliate.id, 999, 'below_minimum']])
    await owe(scene, campaign, affiliate, 1)
    expect(await payEverything()).toBe(1000)
    expect(await balance()).toBe(0)
  })
})

describe('an item that failed', () => {
  it('is in the next payout with everything that came meanwhile', async () => {
    const other = await owed(scene, campaign, [5000])
    await owe(scene, campaign, affiliate, 2000)
    const first = await create(scene, campaign)
    const item = (await show(scene, first.id)).items.find(({ affiliate_id }) => affiliate_id === affiliate.id)
    await markFailed(scene, first.id, [Number(item?.id)])
    await markPaid(scene, first.id)
    await owe(scene, campaign, affiliate, 300)
    await owe(scene, campaign, other, 1000)
    const second = await create(scene, campaign)
    expect((await show(scene, second.id)).items).toMatchObject([
      { affiliate_id: affiliate.id, amount_minor: 2300 },
      { affiliate_id: other.id, amount_minor: 1000 },
    ])
    await markPaid(scene, second.id)
    expect(await statuses(scene, first.id)).toEqual(['partially_paid', 'failed', 'paid'])
    expect(await balance()).toBe(0)
  })

  it('may fail again and again', async () => {
    await owe(scene, campaign, affiliate, 2000)
    for (let round = 0; round < 3; round++) {
      const { id, total_minor } = await create(scene, campaign)
      expect(total_minor).toBe(2000)
      await markFailed(scene, id)
    }
    expect(await payEverything()).toBe(2000)
  })
})

/** Affiliates with an approved entry each, made in one statement: one by one they would take a minute. */
async function crowd(count: number): Promise<void> {
  const { account, database } = scene
  await database.owner.query(
    `WITH people AS (
       INSERT INTO affiliates (account_id, email, email_key, status, kind, token)
       SELECT $1, format('crowd-%s@example.com', n), format('crowd-%s@example.com', n), 'approved', 'affiliate', format('crowd-%s', n)
         FROM generate_series(1, $3) n RETURNING id
     ), entries AS (
       INSERT INTO commissions (account_id, campaign_id, affiliate_id, entry_type, beneficiary, amount_minor, currency,
         payout_amount_minor, payout_currency, status)
       SELECT $1, $2, people.id, 'adjustment', 'affiliate', 1500, 'USD', 1500, 'USD', 'approved' FROM people RETURNING id
     )
     INSERT INTO events (account_id, kind, subject_id, body, created_at)
     SELECT $1, 'commission.created', entries.id, '{}', now() FROM entries`,
    [account.id, campaign.id, count],
  )
}

it('more items than are booked at once are all booked, and the payout ends with the last', async () => {
  await crowd(1201)
  const dryRun = await preview(scene, campaign)
  expect([dryRun.items, dryRun.rows.length, dryRun.total_minor]).toEqual([1201, 1201, 1201 * 1500])
  const { id } = await create(scene, campaign, { digest: dryRun.digest })
  const ids = (await show(scene, id)).items.map(item => item.id)
  await markFailed(scene, id, ids.slice(0, 600))
  await markPaid(scene, id)
  const [status, ...items] = await statuses(scene, id)
  expect([status, items.filter(one => one === 'failed').length]).toEqual(['partially_paid', 600])
  const ofCampaign = [scene.account.id, campaign.id]
  const entriesOf = (type: string) =>
    countRows(scene, 'commissions', `account_id = $1 AND campaign_id = $2 AND ${type}`, ofCampaign)
  expect(await entriesOf(`entry_type = 'payout' AND amount_minor = -1500`)).toBe(601)
  expect(await entriesOf(`entry_type <> 'payout' AND status = 'paid'`)).toBe(601)
  const event = `kind = 'payout.paid' AND account_id = $1 AND subject_id = $2`
  expect(await countRows(scene, 'events', event, [scene.account.id, id])).toBe(1)
  expect(await create(scene, campaign)).toMatchObject({ items: 600 })
})

it('all of it leaves the ledger whole', async () => {
  expect(await brokenInvariants(scene.database)).toEqual([])
  const broken = await scene.database.db.many(sql`
    SELECT c.affiliate_id FROM commissions c WHERE c.account_id = ${scene.account.id} AND c.status = 'paid'
     GROUP BY c.affiliate_id HAVING sum(c.payout_amount_minor) <> 0`)
  expect(broken, 'what was paid and its payout entries sum to zero').toEqual([])
})
