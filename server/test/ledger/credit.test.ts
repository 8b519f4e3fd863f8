/** Protects money from credit: credit on hold is credit already, and never part of what waits to be paid. */
import { expect, it } from 'vitest'
import { balancesOf } from '../../src/money/ledger/balances.ts'
import { useScene } from '../harness.ts'
import { owe } from '../payouts/ground.ts'
import { earnOne, percent, winCustomer } from './scene.ts'

const scene = useScene()

it.each([
  ['on hold', 30],
  ['approved', 0],
])('credit that is %s stands beside the money', async (_what, hold_days) => {
  const rewards = [percent(1000, { beneficiary: 'referrer', entryType: 'credit' })]
  const won = await winCustomer(scene, { program_type: 'referral', hold_days, rewards })
  await earnOne(scene, won, 10_000)
  await owe(scene, won.campaign, won.affiliate, 300)
  const money = { pending_minor: 0, approved_minor: 300, paid_out_minor: 0, balance_minor: 300 }
  expect(await balancesOf(scene.database.db, scene.account.id, won.affiliate.id)).toEqual([
    { currency: 'USD', ...money, credit_minor: 1000 },
  ])
})
