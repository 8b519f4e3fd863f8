/** Protects what is kept of a sale: whose it is, which one was first, and whether it waits for a rate. */
import { beforeEach, expect, it } from 'vitest'
import { findSalesAwaitingRate } from '../../src/earning/sales/awaiting-rate.store.ts'
import { earnAgain, reportSale } from '../../src/earning/sales/report-sale.ts'
import {
  adoptSale,
  isWithinMonthsOfFirst,
  markReplaced,
  setAwaitsRate,
} from '../../src/earning/sales/sale.store.ts'
import { unique } from '../factories.ts'
import { useScene } from '../harness.ts'
import { changeRewards, earn, entriesOf, percent, short, type Won, winCustomer } from './scene.ts'

const scene = useScene()
let won: Won
beforeEach(async () => {
  won = await winCustomer(scene)
})

const saleId = async (externalId: string): Promise<number> =>
  (await scene.database.owner.query('SELECT id::integer FROM sales WHERE external_id = $1', [externalId]))
    .rows[0].id

it('a sale that has a referral is not tied to another one', async () => {
  const { db } = scene.database
  const external_id = unique('sale')
  const customer_ref = unique('customer')
  await reportSale(db, scene.account.id, { external_id, customer_ref, amount_minor: 100, currency: 'USD' })
  const id = await saleId(external_id)
  const other = await winCustomer(scene)
  const adopt = (referralId: number) => db.transaction(tx => adoptSale(tx, scene.account.id, id, referralId))
  expect(await adopt(won.referralId)).toMatchObject({ id, referral_id: won.referralId })
  expect(await adopt(other.referralId)).toBeUndefined()
})

it('one that was known and is credited now is not new', async () => {
  const { db } = scene.database
  const { customer_ref, campaign } = won
  const sale = { external_id: unique('sale'), customer_ref, amount_minor: 100, currency: 'USD' }
  await reportSale(db, scene.account.id, sale)
  await scene.database.owner.query('UPDATE sales SET referral_id = NULL WHERE external_id = $1', [
    sale.external_id,
  ])
  const request = { ...sale, campaign_id: campaign.id }
  expect(await reportSale(db, scene.account.id, request, { adopt: true })).toMatchObject({ created: false })
})

it('the first sale is the one reported first, wherever a change has put it in its table', async () => {
  const { db, owner } = scene.database
  const sales = [
    { external_id: unique('sale'), occurred_at: '2026-01-01T00:00:00Z' },
    { external_id: unique('sale'), occurred_at: '2026-03-01T00:00:00Z' },
  ]
  for (const sale of sales) await earn(scene, won, 1000, sale)
  await owner.query('UPDATE sales SET currency = currency WHERE external_id = $1', [sales[0]?.external_id])
  const within = async (months: number) =>
    isWithinMonthsOfFirst(db, scene.account.id, await saleId(sales[1]?.external_id ?? ''), months)
  expect([await within(2), await within(3)]).toEqual([false, true])
})

it('one that turns out to be the first earns by the rules of when it was reported', async () => {
  const { db } = scene.database
  const other = await winCustomer(scene, { rewards: [percent(2000, { recurringMonths: 0 })] })
  const [replaced, by] = [await earn(scene, other, 1000), await earn(scene, other, 2000)]
  expect(by.commissions).toEqual([])
  await changeRewards(scene, other.campaign, [percent(5000)])
  await db.transaction(async tx => {
    await markReplaced(tx, scene.account.id, replaced.external_id, by.external_id)
    await earnAgain(tx, scene.account.id, by.external_id)
  })
  expect((await entriesOf(scene, other.referralId)).map(short)).toEqual([
    ['earned', 200, 'approved'],
    ['earned', 400, 'approved'],
  ])
})

it('only sales that wait for a rate are looked at when one arrives', async () => {
  const { db } = scene.database
  const ids = []
  for (const external_id of [unique('sale'), unique('sale')]) {
    await earn(scene, won, 1000, { external_id })
    ids.push(await saleId(external_id))
  }
  const [waits, has] = ids as [number, number]
  await db.transaction(tx => setAwaitsRate(tx, scene.account.id, waits, true))
  const found = (
    await findSalesAwaitingRate(db, { account_id: scene.account.id, id: waits - 1 }, 100)
  ).filter(({ account_id }) => account_id === scene.account.id)
  expect(found.map(({ id }) => id)).toEqual([waits])
  expect(found.map(({ id }) => id)).not.toContain(has)
  await db.transaction(tx => setAwaitsRate(tx, scene.account.id, waits, false))
})
