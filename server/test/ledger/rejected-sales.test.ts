/** A sale with an unknown campaign is rejected, and one that is too large at its rate goes on waiting. */
import { expect, it } from 'vitest'
import { earnSalesAwaitingRate } from '../../src/earning/sales/earn-sales-awaiting-rate.ts'
import { unique } from '../factories.ts'
import { useOwnScene } from '../harness.ts'
import { countRows, earn, percent, sell, useRate, winCustomer } from './scene.ts'

const scene = useOwnScene()

it('a sale with an unknown campaign is rejected, and not stored unattributed', async () => {
  const { customer_ref } = await winCustomer(scene)
  const external_id = unique('sale')
  const sale = { customer_ref, external_id, amount_minor: 100, currency: 'USD', campaign_id: 2_000_000_000 }
  const { status, body } = await sell(scene.api, sale)
  expect([status, body.error.message]).toEqual([
    422,
    'campaign_id does not match a campaign in this account.',
  ])
  expect(await countRows(scene, 'sales', 'external_id = $1', [external_id])).toBe(0)
})

it('a sale whose commission would be too large goes on waiting, which is no failure of the routine', async () => {
  const won = await winCustomer(scene, { rewards: [percent(10_000)], payout_currency: 'JPY' })
  const { external_id } = await earn(scene, won, 1_000_000_000_000, { currency: 'BHD' })
  await useRate(scene, 'BHD', 'JPY', '400000')
  await earnSalesAwaitingRate(scene.database.db)
  expect(await countRows(scene, 'sales', 'external_id = $1 AND awaits_rate', [external_id])).toBe(1)
})
