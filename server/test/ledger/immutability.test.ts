/** Protects the ledger from its own program: what an entry says is final, for the service and for the owner of the tables. */
import { beforeAll, describe, expect, it } from 'vitest'
import { useOwnScene } from '../harness.ts'
import { earnOne, refund, useRate, winCustomer } from './scene.ts'

const scene = useOwnScene()
let entryId: number
let clawbackId: number
beforeAll(async () => {
  await useRate(scene, 'EUR', 'USD', '1.1')
  const won = await winCustomer(scene)
  const { entry, external_id } = await earnOne(scene, won, 10_000, { currency: 'EUR' })
  entryId = entry.id
  const { body } = await refund(scene.api, {
    external_id: 'r',
    sale_external_id: external_id,
    amount_minor: 1000,
  })
  clawbackId = body.commissions[0].id
})

const changes = [
  'amount_minor = amount_minor - 1',
  'payout_amount_minor = payout_amount_minor - 1',
  "currency = 'GBP'",
  "payout_currency = 'GBP'",
  "entry_type = 'adjustment'",
  "beneficiary = 'referee'",
  'affiliate_id = 1',
  'campaign_id = 1',
  'referral_id = NULL',
  'hold_until = now()',
  "description = 'another'",
  'sale_id = NULL',
  'rule_version = 99',
  'clawback_of = NULL',
  'refund_id = NULL',
  'fx_rate = 9',
  "fx_source = 'guessed'",
  'created_at = now() - interval $$1 day$$',
  'voided_at = now()',
  'payout_item_id = 1',
]
const rows = () => `WHERE id IN (${entryId}, ${clawbackId})`

describe.each(changes)('%s', change => {
  it('is denied to the service, and stopped for the owner', async () => {
    const statement = `UPDATE commissions SET ${change} ${rows()}`
    await expect(scene.database.db.pool.query(statement)).rejects.toMatchObject({ code: '42501' })
    await expect(scene.database.owner.query(statement)).rejects.toThrow('cannot be changed')
  })
})

it.each([
  ['approved', 'pending'],
  ['approved', 'void'],
  ['paid', 'approved'],
  ['paid', 'pending'],
  ['paid', 'void'],
  ['void', 'pending'],
  ['void', 'approved'],
  ['void', 'paid'],
  ['pending', 'paid'],
])('no status goes from %s to %s, as the service or as the owner', async (from, to) => {
  const { entry } = await earnOne(scene, await winCustomer(scene, { hold_days: 1 }))
  const move = (status: string) => `UPDATE commissions SET status = '${status}' WHERE id = ${entry.id}`
  const way = { pending: [], approved: ['approved'], paid: ['approved', 'paid'], void: ['void'] }[from] ?? []
  for (const status of way) await scene.database.owner.query(move(status))
  for (const database of [scene.database.db.pool, scene.database.owner])
    await expect(database.query(move(to))).rejects.toThrow(`cannot go from ${from} to ${to}`)
})

it.each([
  ['DELETE FROM commissions', 'the ledger only grows'],
  ['DELETE FROM sales', 'violates foreign key'],
])('%s is denied to the service, and stopped for the owner', async (statement, reason) => {
  await expect(scene.database.db.pool.query(statement)).rejects.toMatchObject({ code: '42501' })
  await expect(scene.database.owner.query(statement)).rejects.toThrow(reason)
})

it.each([
  'UPDATE sales SET amount_minor = 1',
  'UPDATE sales SET currency = $$GBP$$',
  'UPDATE sales SET external_id = $$x$$',
  'UPDATE refunds SET amount_minor = 1',
  'DELETE FROM refunds',
  'DELETE FROM refund_voids',
  'UPDATE referrals SET customer_ref = $$x$$',
  'DELETE FROM referrals',
  'DELETE FROM conversions',
  'UPDATE events SET body = $$x$$',
  'DELETE FROM events',
  'UPDATE commission_rules SET rate_basis_points = 10000',
  'DELETE FROM fx_rates',
  'TRUNCATE commissions',
  'UPDATE payouts SET total_minor = 1',
  'UPDATE payouts SET minimum_payout_minor = 0',
  'DELETE FROM payouts',
  'UPDATE payout_items SET amount_minor = 1',
  'UPDATE payout_items SET affiliate_id = 1',
  'UPDATE payout_items SET payout_address = $$x$$',
  'DELETE FROM payout_items',
  'UPDATE pinned_commissions SET payout_item_id = 1',
  'UPDATE pinned_commissions SET commission_id = 1',
  'DELETE FROM pinned_commissions',
])('the service cannot: %s', async statement => {
  await expect(scene.database.db.pool.query(statement)).rejects.toMatchObject({ code: '42501' })
})
