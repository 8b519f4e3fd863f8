/** Protects the order of locks in the ledger: an entry before its clawbacks, the older entry before the younger. */
import { describe, expect, it } from 'vitest'
import { sql } from '../../src/db/sql.ts'
import { reviewReferral } from '../../src/earning/referrals/review-referral.ts'
import { earnSalesAwaitingRate } from '../../src/earning/sales/earn-sales-awaiting-rate.ts'
import { reviewCommission } from '../../src/money/commissions/review-commission.ts'
import { reviewCommissions } from '../../src/money/commissions/review-commissions.ts'
import { balancesOf } from '../../src/money/ledger/balances.ts'
import { createPayout } from '../../src/money/payouts/create-payout.ts'
import { markPayments } from '../../src/money/payouts/mark-payments.ts'
import { findDamagedEntries, repairEntry } from '../../src/runtime/installation/repair-ledger.ts'
import { unique } from '../factories.ts'
import { brokenInvariants, useOwnScene } from '../harness.ts'
import { whileHeld } from '../interleave.ts'
import { owe } from '../payouts/ground.ts'
import { writeDamage } from './damage.ts'
import {
  approvedAffiliate,
  commission,
  earn,
  earnOne,
  entriesOf,
  refund,
  useRate,
  type Won,
  winCustomer,
} from './scene.ts'

const scene = useOwnScene()
const held = () => winCustomer(scene, { hold_days: 30 })

/** Half of the sale is refunded; returns the clawback, pending as its entry is. */
async function refundHalf(sale_external_id: string): Promise<number> {
  const half = { external_id: unique('refund'), sale_external_id, amount_minor: 5000 }
  return (await refund(scene.api, half)).body.commissions[0].id
}

/** Runs `work` while the older row is locked by another transaction; whether `work` has locked the younger one while it waits. */
async function isLockedMeanwhile(older: number, younger: number, work: () => Promise<unknown>) {
  let isLocked: boolean | undefined
  await whileHeld(
    scene.database,
    tx => tx.many(sql`SELECT 1 FROM commissions c WHERE c.id = ${older} FOR NO KEY UPDATE`),
    work,
    async () => {
      const text = 'SELECT 1 FROM commissions WHERE id = $1 FOR NO KEY UPDATE SKIP LOCKED'
      isLocked = (await scene.database.owner.query(text, [younger])).rowCount === 0
    },
  )
  return isLocked
}

describe('a clawback that an old race left pending beside its approved entry is voided', () => {
  const reject = ({ referralId }: Won) =>
    reviewReferral(scene.database.db, scene.account.id, referralId, 'rejected')

  async function repairRejection({ referralId }: Won) {
    await scene.database.owner.query(`UPDATE referrals SET status = 'rejected' WHERE id = $1`, [referralId])
    for (const entry of await findDamagedEntries(scene.database.db))
      await scene.database.db.transaction(tx => repairEntry(tx, entry))
  }

  it.each<[string, (won: Won) => Promise<unknown>]>([
    ['its referral is rejected', reject],
    ['the rejection of its referral is repaired', repairRejection],
  ])('while %s: all of the entry is taken back', async (_what, second) => {
    const won = await held()
    const { external_id, entry } = await earnOne(scene, won)
    const clawbackId = await refundHalf(external_id)
    await writeDamage(scene.database, `UPDATE commissions SET status = 'approved' WHERE id = $1`, [entry.id])
    await whileHeld(
      scene.database,
      tx => reviewCommission(tx, scene.account.id, clawbackId, 'void'),
      () => second(won),
    )
    const [balance] = await balancesOf(scene.database.db, scene.account.id, won.affiliate.id)
    expect(balance?.balance_minor).toBe(0)
    expect(await brokenInvariants(scene.database)).toEqual([])
  })
})

it('a list of commissions locks the entry of a clawback before younger entries, as a rejection does', async () => {
  const won = await held()
  const older = await earnOne(scene, won)
  const younger = await earnOne(scene, won)
  const clawbackId = await refundHalf(older.external_id)
  const voidBoth = () =>
    scene.database.db.transaction(tx =>
      reviewCommissions(tx, scene.account.id, [younger.entry.id, clawbackId], 'void'),
    )
  expect(await isLockedMeanwhile(older.entry.id, younger.entry.id, voidBoth)).toBe(false)
  expect((await commission(scene, clawbackId)).status).toBe('void')
})

it('a payout is booked from the oldest entry on, whatever the order of its items', async () => {
  const won = await held()
  const [first, second] = [won.affiliate, await approvedAffiliate(scene, won.campaign.id)]
  const { id: older } = await owe(scene, won.campaign, second, 500)
  const { id: younger } = await owe(scene, won.campaign, first, 500)
  const { db, owner } = scene.database
  const payout = await createPayout(db, scene.account.id, { campaignId: won.campaign.id, rail: 'manual' })
  // Makes the younger entry come first in every table, and the planner read them as they lie, as it may in any ledger.
  await owner.query('UPDATE commissions SET status = status WHERE id = $1', [older])
  await owner.query('UPDATE pinned_commissions SET released = released WHERE commission_id = $1', [older])
  const book = () =>
    db.transaction(async tx => {
      for (const way of ['indexscan', 'indexonlyscan', 'bitmapscan', 'mergejoin', 'sort'])
        await tx.many(sql`SELECT set_config(${`enable_${way}`}, 'off', true)`)
      await markPayments(tx, scene.account.id, payout.id, { outcome: 'paid', reason: null, reference: null })
    })
  expect(await isLockedMeanwhile(older, younger, book)).toBe(false)
  expect((await commission(scene, younger)).status).toBe('paid')
})

it('a sale whose rate arrives while its referral is being rejected earns nothing', async () => {
  const won = await winCustomer(scene)
  await earn(scene, won, 10_000, { currency: 'SEK' })
  await useRate(scene, 'SEK', 'USD', '0.1')
  await whileHeld(
    scene.database,
    tx => reviewReferral(tx, scene.account.id, won.referralId, 'rejected'),
    () => earnSalesAwaitingRate(scene.database.db),
  )
  expect(await entriesOf(scene, won.referralId)).toEqual([])
})
