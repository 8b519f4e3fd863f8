/** Protects the merchant: what is refunded during or after a payout is taken off the next one, and a debt is never paid out. */
import { expect, it } from 'vitest'
import { balancesOf } from '../../src/money/ledger/balances.ts'
import { createPayout } from '../../src/money/payouts/create-payout.ts'
import { markPayments } from '../../src/money/payouts/mark-payments.ts'
import { unique } from '../factories.ts'
import { brokenInvariants, useSoundScene } from '../harness.ts'
import { earnOne, pay, refund, short, type Won, winCustomer } from './scene.ts'

const scene = useSoundScene()
const giveBack = (sale_external_id: string, amount_minor?: number) =>
  refund(scene.api, {
    external_id: unique('refund'),
    sale_external_id,
    ...(amount_minor !== undefined && { amount_minor }),
  })
const balance = async (won: Won) =>
  (await balancesOf(scene.database.db, scene.account.id, won.affiliate.id))[0]

it('what is refunded after it was paid is carried forward, and nets against the next payout', async () => {
  const won = await winCustomer(scene)
  const { external_id } = await earnOne(scene, won)
  await pay(scene, won.campaign.id)
  await giveBack(external_id)
  await earnOne(scene, won, 7500)
  await expect(pay(scene, won.campaign.id)).rejects.toMatchObject({
    code: 'invalid_state',
    message: expect.stringContaining('negative_balance'),
  })
  await earnOne(scene, won, 5000)
  expect(await pay(scene, won.campaign.id)).toEqual({ [won.affiliate.id]: 1500 + 1000 - 2000 })
  expect(await balance(won)).toMatchObject({
    approved_minor: 0,
    paid_out_minor: 2000 + 500,
    balance_minor: 0,
  })
})

it('what a refund leaves below the minimum waits until there is enough', async () => {
  const won = await winCustomer(scene, { minimum_payout_minor: 2000 })
  const { external_id } = await earnOne(scene, won)
  await giveBack(external_id, 5)
  await expect(pay(scene, won.campaign.id)).rejects.toThrow('below_minimum')
  await earnOne(scene, won, 5)
  expect(await pay(scene, won.campaign.id)).toEqual({ [won.affiliate.id]: 2000 })
})

it('a refund of what is on its way is left to the next payout', async () => {
  const won = await winCustomer(scene)
  const { db } = scene.database
  const { external_id } = await earnOne(scene, won)
  const request = { campaignId: won.campaign.id, rail: 'manual' } as const
  const { id, total_minor } = await createPayout(db, scene.account.id, request)
  expect((await giveBack(external_id)).body.commissions.map(short)).toEqual([['clawback', -2000, 'approved']])
  const reported = { outcome: 'paid', reason: null, reference: null } as const
  await markPayments(db, scene.account.id, id, reported)
  expect([total_minor, await balance(won)]).toEqual([
    2000,
    expect.objectContaining({ approved_minor: -2000, paid_out_minor: 2000, balance_minor: -2000 }),
  ])
})

it('all of it leaves the ledger whole', async () => {
  expect(await brokenInvariants(scene.database)).toEqual([])
})
