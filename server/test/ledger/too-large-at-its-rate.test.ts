/** A sale that is too large at its exchange rate stores the reason why it is waiting. */
import { expect, it } from 'vitest'
import type { Db } from '../../src/db/database.ts'
import { earnSalesAwaitingRate } from '../../src/earning/sales/earn-sales-awaiting-rate.ts'
import { Person } from '../dashboard/person.ts'
import { useOwnScene } from '../harness.ts'
import { earn, entriesOf, percent, short, useRate, winCustomer } from './scene.ts'

const scene = useOwnScene()

it('a sale that exceeds the largest amount at its rate is explained, and earns once a better rate is set', async () => {
  const owner = await Person.join(scene.app, scene.account.id, 'owner')
  const won = await winCustomer(scene, { rewards: [percent(10_000)], payout_currency: 'JPY' })
  const shown = async () => (await owner.call('getReferral', { id: won.referralId })).body.sales
  await earn(scene, won, 1_000_000, { currency: 'BHD' })
  expect(await shown()).toMatchObject([{ awaits_rate: true, unearned_reason: null }])
  await useRate(scene, 'BHD', 'JPY', '4000000000')
  await earnSalesAwaitingRate(scene.database.db)
  expect(await shown()).toMatchObject([{ awaits_rate: true, unearned_reason: 'amount_too_large' }])
  await useRate(scene, 'BHD', 'JPY', '400')
  await earnSalesAwaitingRate(scene.database.db)
  expect(await shown()).toMatchObject([{ awaits_rate: false, unearned_reason: null }])
  expect((await entriesOf(scene, won.referralId)).map(short)).toEqual([['earned', 400_000, 'approved']])
})

it('does not keep the reason if another process sets a better rate and creates its commission at that moment', async () => {
  const { db } = scene.database
  const owner = await Person.join(scene.app, scene.account.id, 'owner')
  const won = await winCustomer(scene, { rewards: [percent(10_000)], payout_currency: 'JPY' })
  await earn(scene, won, 1_000_000, { currency: 'KWD' })
  await useRate(scene, 'KWD', 'JPY', '4000000000')
  let hasHappened = false
  const racing: Db = {
    many: statement => db.many(statement),
    first: statement => db.first(statement),
    async transaction(work, options) {
      try {
        return await db.transaction(work, options)
      } finally {
        if (!hasHappened) {
          hasHappened = true
          await useRate(scene, 'KWD', 'JPY', '400')
          await earnSalesAwaitingRate(db)
        }
      }
    },
  }
  await earnSalesAwaitingRate(racing)
  const { sales } = (await owner.call('getReferral', { id: won.referralId })).body
  expect(sales).toMatchObject([{ awaits_rate: false, unearned_reason: null }])
  expect((await entriesOf(scene, won.referralId)).map(short)).toEqual([['earned', 400_000, 'approved']])
})
