/** Protects what is kept of a sale: whose it is, which one was first, and whether it waits for a rate. */
import { beforeEach, expect, it } from 'vitest'
import { reportSale } from '../../src/earning/sales/report-sale.ts'
import {
  adoptSale,
  findSalesAwaitingRate,
  isWithinMonthsOfFirst,
  setAwaitsRate,
} from '../../src/earning/sales/sale.store.ts'
import { unique } from '../factories.ts'
import { useScene } from '../harness.ts'
import { earn, type Won, winCustomer } from './scene.ts'

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
    isWithinMonthsOfFirst(
      db,
      scene.account.id,
      { id: await saleId(sales[1]?.external_id ?? ''), referral_id: won.referralId },
      months,
    )
  expect([await within(2), await within(3)]).toEqual([false, true])
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
  const found = (await findSalesAwaitingRate(db, { account_id: scene.account.id, id: waits - 1 })).filter(
    ({ account_id }) => account_id === scene.account.id,
  )
  expect(found.map(({ id }) => id)).toEqual([waits])
  expect(found.map(({ id }) => id)).not.toContain(has)
  await db.transaction(tx => setAwaitsRate(tx, scene.account.id, waits, false))
})
