/** Protects sales that wait for a rate: none of them is dropped, and none of them holds up another, of whichever account. */
import { afterEach, describe, expect, it } from 'vitest'
import { creditManually } from '../../src/earning/conversions/credit-manually.ts'
import { reviewReferral } from '../../src/earning/referrals/review-referral.ts'
import { earnSalesAwaitingRate } from '../../src/earning/sales/earn-sales-awaiting-rate.ts'
import { enrolAffiliate } from '../../src/programme/affiliates/enrol-affiliate.ts'
import { unique } from '../factories.ts'
import { useOwnScene } from '../harness.ts'
import { whileLocked } from '../interleave.ts'
import { ground, reassign } from './reassign-scene.ts'
import {
  approvedAffiliate,
  changeRewards,
  convert,
  countRows,
  earn,
  entriesOf,
  flat,
  openCampaign,
  percent,
  short,
  useRate,
  type Won,
  winCustomer,
} from './scene.ts'

const scene = useOwnScene()
/** In yen it is more than an amount may be. */
const LARGEST = 1_000_000_000_000
// What one test left waiting is not for the next one to compute.
afterEach(() => scene.database.owner.query('UPDATE sales SET awaits_rate = false'))
const compute = (runMs?: number) => earnSalesAwaitingRate(scene.database.db, runMs)
const waits = (external_id: string) =>
  countRows(scene, 'sales', 'external_id = $1 AND awaits_rate', [external_id])

/** Stores sales as if they had been reported one by one. */
const wait = (won: Won, currency: string, count: number) =>
  scene.database.owner.query(
    `INSERT INTO sales (account_id, external_id, customer_ref, referral_id, amount_minor, currency, occurred_at, awaits_rate)
     SELECT $1, concat_ws('-', $4::text, $3::bigint, n), $2, $3, 100, $4, now(), true FROM generate_series(1, $5::integer) n`,
    [scene.account.id, won.customer_ref, won.referralId, currency, count],
  )

it('one that cannot be computed holds up no other, and is explained instead of failing the routine', async () => {
  const all = { rewards: [percent(10_000)], payout_currency: 'JPY' }
  const [huge, small] = [await winCustomer(scene, all), await winCustomer(scene, all)]
  const { external_id } = await earn(scene, huge, LARGEST, { currency: 'BHD' })
  await earn(scene, small, 1000, { currency: 'BHD' })
  await useRate(scene, 'BHD', 'JPY', '400000')
  await compute()
  expect((await entriesOf(scene, small.referralId)).map(short)).toEqual([['earned', 400_000, 'approved']])
  const explained = `external_id = $1 AND awaits_rate AND unearned_reason = 'amount_too_large'`
  expect(await countRows(scene, 'sales', explained, [external_id])).toBe(1)
})

for (const recurringMonths of [null, 12])
  it(`more than a page that wait for a rate that never comes (${recurringMonths ?? 'all'} months) are not touched, and hold up no other`, async () => {
    const stuck = await winCustomer(scene, { rewards: [percent(2000, { recurringMonths })] })
    const ready = await winCustomer(scene)
    await wait(stuck, 'XAF', 501)
    const { external_id } = await earn(scene, ready, 1000, { currency: 'NOK' })
    await useRate(scene, 'NOK', 'USD', '0.1')
    const held = `SELECT 1 FROM sales WHERE currency = 'XAF' FOR UPDATE`
    await whileLocked(scene.database.owner, held, compute)
    expect((await entriesOf(scene, ready.referralId)).map(short)).toEqual([['earned', 20, 'approved']])
    expect(await waits(external_id)).toBe(0)
  })

it('a rule that does not apply to a sale needs no rate', async () => {
  const rewards = [
    percent(2000, { beneficiary: 'referrer' }),
    flat(500, 'XOF', { beneficiary: 'referee', recurringMonths: 0 }),
  ]
  const won = await winCustomer(scene, { rewards, program_type: 'referral' })
  await earn(scene, won, 1000, { currency: 'ISK' })
  const second = await earn(scene, won, 1000, { currency: 'ISK' })
  await useRate(scene, 'ISK', 'USD', '0.01')
  await compute()
  expect(await waits(second.external_id)).toBe(0)
  expect((await entriesOf(scene, won.referralId)).map(short)).toEqual([['earned', 200, 'approved']])
})

it('a run whose time is over is followed by one that goes on', async () => {
  const won = await winCustomer(scene)
  for (let count = 0; count < 3; count++) await earn(scene, won, 1000, { currency: 'SGD' })
  await useRate(scene, 'SGD', 'USD', '0.1')
  for (let done = 1; done <= 3; done++) {
    await compute(0)
    expect(await entriesOf(scene, won.referralId)).toHaveLength(done)
  }
})

it('one of a referral that was rejected meanwhile earns nothing, and waits no more', async () => {
  const won = await winCustomer(scene)
  const { external_id } = await earn(scene, won, 1000, { currency: 'SEK' })
  await reviewReferral(scene.database.db, scene.account.id, won.referralId, 'rejected')
  await useRate(scene, 'SEK', 'USD', '0.1')
  await compute()
  expect(await entriesOf(scene, won.referralId)).toEqual([])
  expect(await waits(external_id)).toBe(0)
})

describe('a campaign whose rules change meanwhile', () => {
  const owed = async (referralId: number) =>
    (await entriesOf(scene, referralId)).map(({ payout_amount_minor }) => payout_amount_minor)

  it('pays what it paid when the sale was reported', async () => {
    const won = await winCustomer(scene)
    await earn(scene, won, 1000, { currency: 'CZK' })
    await changeRewards(scene, won.campaign, [percent(5000)])
    await earn(scene, won, 1000, { currency: 'CZK' })
    await changeRewards(scene, won.campaign, [percent(9000)])
    await useRate(scene, 'CZK', 'USD', '0.1')
    await compute()
    expect(await owed(won.referralId)).toEqual([20, 50])
  })

  it('pays for the first sale, which it paid for alone, though a later one has earned by other rules', async () => {
    const won = await winCustomer(scene, { rewards: [percent(2000, { recurringMonths: 0 })] })
    await earn(scene, won, 1000, { currency: 'ZMW' })
    await changeRewards(scene, won.campaign, [percent(5000)])
    await earn(scene, won, 1000)
    await useRate(scene, 'ZMW', 'USD', '0.1')
    await compute()
    expect((await owed(won.referralId)).toSorted()).toEqual([20, 500])
  })

  it('pays what it paid when a person credited the conversion of the sale', async () => {
    const campaign = await openCampaign(scene.database, scene.account.id)
    const affiliate = await approvedAffiliate(scene, campaign.id)
    const customer_ref = unique('customer')
    const sale = { external_id: unique('sale'), amount_minor: 1000, currency: 'HUF' }
    await convert(scene.api, { campaign_id: campaign.id, customer_ref, sale })
    const { rows } = await scene.database.owner.query('SELECT id FROM conversions WHERE customer_ref = $1', [
      customer_ref,
    ])
    await changeRewards(scene, campaign, [percent(5000)])
    const request = {
      conversion_id: Number(rows[0].id),
      campaign_id: campaign.id,
      affiliate_id: affiliate.id,
    }
    const credited = await creditManually(scene.database.db, scene.account.id, {
      ...request,
      reason: 'A call',
      dry_run: false,
    })
    expect(credited).toMatchObject({ sales: 1, waiting_sales: 1 })
    await changeRewards(scene, campaign, [percent(9000)])
    await useRate(scene, 'HUF', 'USD', '1')
    await compute()
    expect(await owed(credited.id as number)).toEqual([500])
  })

  it('pays what it paid when the referral was reassigned to it', async () => {
    const given = await ground(scene)
    await earn(scene, given, 1000, { currency: 'PLN' })
    // Opened after the sale, but before the referral is reassigned.
    const other = await openCampaign(scene.database, scene.account.id)
    await changeRewards(scene, other, [percent(5000)])
    const { email } = given.to
    await enrolAffiliate(scene.database.db, scene.account.id, { email, campaign_id: other.id })
    const request = { ...given.request, campaign_id: other.id }
    await reassign(scene, scene.database.db, { ...given, request })
    await changeRewards(scene, other, [percent(9000)])
    await useRate(scene, 'PLN', 'USD', '0.1')
    await compute()
    expect(await owed(given.referralId)).toEqual([50])
  })
})

it('of several that compute at once each sale earns once', async () => {
  const won = await winCustomer(scene)
  for (let count = 0; count < 5; count++) await earn(scene, won, 1000, { currency: 'DKK' })
  await useRate(scene, 'DKK', 'USD', '0.1')
  await Promise.all([compute(), compute(), compute(), compute()])
  expect((await entriesOf(scene, won.referralId)).map(short)).toEqual(
    Array(5).fill(['earned', 20, 'approved']),
  )
})
