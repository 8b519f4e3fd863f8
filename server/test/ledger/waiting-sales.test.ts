/** Protects sales that wait for a rate: none of them is dropped, and none of them holds up another, of whichever account. */
import { afterEach, expect, it } from 'vitest'
import { reviewReferral } from '../../src/earning/referrals/review-referral.ts'
import { earnSalesAwaitingRate } from '../../src/earning/sales/earn-sales-awaiting-rate.ts'
import { useOwnScene } from '../harness.ts'
import { countRows, earn, entriesOf, percent, short, useRate, winCustomer } from './scene.ts'

const scene = useOwnScene()
/** In yen it is more than an amount may be. */
const LARGEST = 1_000_000_000_000
// What one test left waiting is not for the next one to compute.
afterEach(() => scene.database.owner.query('UPDATE sales SET awaits_rate = false'))
const compute = () => earnSalesAwaitingRate(scene.database.db)
const waits = (external_id: string) =>
  countRows(scene, 'sales', 'external_id = $1 AND awaits_rate', [external_id])

it('one that cannot be computed holds up no other', async () => {
  const all = { rewards: [percent(10_000)], payout_currency: 'JPY' }
  const [huge, small] = [await winCustomer(scene, all), await winCustomer(scene, all)]
  await earn(scene, huge, LARGEST, { currency: 'BHD' })
  await earn(scene, small, 1000, { currency: 'BHD' })
  await useRate(scene, 'BHD', 'JPY', '400000')
  await compute().catch(() => undefined)
  expect((await entriesOf(scene, small.referralId)).map(short)).toEqual([['earned', 400_000, 'approved']])
})

it('more than a page of sales that wait for a rate that never comes hold up no other', async () => {
  const [stuck, ready] = [await winCustomer(scene), await winCustomer(scene)]
  await scene.database.owner.query(
    `INSERT INTO sales (account_id, external_id, customer_ref, referral_id, amount_minor, currency, occurred_at, awaits_rate)
     SELECT $1, 'stuck-' || n, $2, $3, 100, 'XAF', now(), true FROM generate_series(1, 501) n`,
    [scene.account.id, stuck.customer_ref, stuck.referralId],
  )
  await earn(scene, ready, 1000, { currency: 'NOK' })
  await useRate(scene, 'NOK', 'USD', '0.1')
  await compute()
  expect((await entriesOf(scene, ready.referralId)).map(short)).toEqual([['earned', 20, 'approved']])
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

it('of several that compute at once each sale earns once', async () => {
  const won = await winCustomer(scene)
  for (let count = 0; count < 5; count++) await earn(scene, won, 1000, { currency: 'DKK' })
  await useRate(scene, 'DKK', 'USD', '0.1')
  await Promise.all([compute(), compute(), compute(), compute()])
  expect((await entriesOf(scene, won.referralId)).map(short)).toEqual(
    Array(5).fill(['earned', 20, 'approved']),
  )
})
