/**
 * Protects the order of locks when the sale of a charge is replaced by that of its invoice: the customers, the sales by ID, the referral, the
 * entries by ID, as everything else that locks them. So nothing waits in a circle, and each sees what the other has done.
 */
import { afterEach, describe, expect, it } from 'vitest'
import type { Tx } from '../../src/db/database.ts'
import { type Sql, sql } from '../../src/db/sql.ts'
import { reassignReferral } from '../../src/earning/conversions/reassign-referral.ts'
import { lockCustomer } from '../../src/earning/referrals/referral.store.ts'
import { reviewReferral } from '../../src/earning/referrals/review-referral.ts'
import { unique } from '../factories.ts'
import { brokenInvariants, useOwnScene } from '../harness.ts'
import { lockWaiters, whileHeld } from '../interleave.ts'
import { approvedAffiliate } from '../ledger/scene.ts'
import { type Billing, connectStripe, earnedBySale, newCustomer, passWait, send, work } from './scene.ts'
import * as stripe from './stripe-objects.ts'

const { event, START } = stripe
const scene = useOwnScene()
afterEach(async () => expect(await brokenInvariants(scene.database)).toEqual([]))

interface Doubled {
  billing: Billing
  customer: string
  referralId: number
  /** In the order of their IDs. */
  sales: { id: number; external_id: string }[]
  entries: number[]
}

/** A charge and its invoice, each a sale, and the event that says they are one, which is not processed yet. */
async function doubled(first: 'invoice' | 'charge'): Promise<Doubled> {
  const billing = await connectStripe(scene)
  const [customer, payment, invoiceId] = [newCustomer(), unique('pi'), unique('in')]
  const amount = { amount: 12_000, amount_captured: 12_000 }
  const charge = stripe.charge(unique('ch'), { customer, payment_intent: payment, ...amount })
  const session = stripe.session(unique('cs'), { customer, client_reference_id: billing.affiliate.token })
  const invoice = stripe.invoice(invoiceId, { customer, created: START + 1 })
  const reports = [event('invoice.paid', invoice, START + 1), event('charge.succeeded', charge, START + 1)]
  await send(scene, billing, event('checkout.session.completed', session, START))
  for (const report of first === 'invoice' ? reports : reports.toReversed()) {
    await send(scene, billing, report)
    await work(scene)
    await passWait(scene)
    await work(scene)
  }
  const { rows: sales } = await scene.database.owner.query(
    `SELECT id::integer, external_id, referral_id::integer FROM sales WHERE customer_ref = $1 ORDER BY id`,
    [customer],
  )
  expect(sales).toHaveLength(2)
  const { rows: entries } = await scene.database.owner.query(
    `SELECT id::integer FROM commissions WHERE referral_id = $1 ORDER BY id`,
    [sales[0].referral_id],
  )
  // A refund: what the sale that stays has earned is locked too.
  const refund = stripe.refund(unique('re'), { payment_intent: payment, amount: 3000 })
  await send(scene, billing, event('refund.created', refund, START + 2))
  await work(scene)
  await send(
    scene,
    billing,
    event('invoice_payment.paid', stripe.invoicePayment(invoiceId, payment), START + 3),
  )
  return {
    billing,
    customer,
    referralId: sales[0].referral_id,
    sales,
    entries: entries.map(({ id }) => id),
  }
}

/** Replaces the sale while another transaction holds a lock; which of these rows are locked while it waits. */
async function lockedMeanwhile(
  hold: (tx: Tx) => Promise<unknown>,
  rows: { sales?: number[]; commissions?: number[] },
) {
  const locked: number[] = []
  await whileHeld(
    scene.database,
    hold,
    () => work(scene),
    async () => {
      expect(await lockWaiters(scene.database.owner)).not.toEqual([])
      for (const [table, ids] of Object.entries(rows))
        for (const id of ids) {
          const text = `SELECT 1 FROM ${table} WHERE id = $1 FOR NO KEY UPDATE SKIP LOCKED`
          if ((await scene.database.owner.query(text, [id])).rowCount === 0) locked.push(id)
        }
    },
  )
  return locked
}

const lockRow = (table: Sql, id: number | undefined) => (tx: Tx) =>
  tx.many(sql`SELECT 1 FROM ${table} x WHERE x.id = ${id} FOR NO KEY UPDATE`)

describe.each(['invoice', 'charge'] as const)('if the sale of the %s is the older one', first => {
  it('locks no sale while it waits for the customer', async () => {
    const { customer, sales } = await doubled(first)
    const hold = (tx: Tx) => lockCustomer(tx, scene.account.id, customer)
    expect(await lockedMeanwhile(hold, { sales: sales.map(({ id }) => id) })).toEqual([])
  })

  it('locks the younger sale after the older one', async () => {
    const { sales } = await doubled(first)
    const [older, younger] = sales.map(({ id }) => id)
    const locked = await lockedMeanwhile(lockRow(sql`sales`, older), { sales: [younger as number] })
    expect(locked).toEqual([])
  })

  it('locks no entry while it waits for the referral', async () => {
    const { referralId, entries } = await doubled(first)
    expect(await lockedMeanwhile(lockRow(sql`referrals`, referralId), { commissions: entries })).toEqual([])
  })

  it('locks the younger entry after the older one', async () => {
    const { entries } = await doubled(first)
    const [older, ...younger] = entries
    expect(await lockedMeanwhile(lockRow(sql`commissions`, older), { commissions: younger })).toEqual([])
  })

  it('earns for the affiliate whom the referral is being reassigned to', async () => {
    const { billing, referralId } = await doubled(first)
    const to = await approvedAffiliate(scene, billing.campaign.id)
    const request = {
      affiliate_id: to.id,
      campaign_id: billing.campaign.id,
      reason: 'A call',
      dry_run: false,
    }
    await whileHeld(
      scene.database,
      tx => reassignReferral(tx, scene.account.id, { ...request, referral_id: referralId }),
      () => work(scene),
    )
    const sum = async (of: Billing) =>
      Object.values(await earnedBySale(scene, of)).reduce((total, each) => total + each, 0)
    expect([await sum(billing), await sum({ ...billing, affiliate: to })]).toEqual([0, 1500])
  })

  it('earns nothing if the referral is being rejected', async () => {
    const { billing, referralId } = await doubled(first)
    await whileHeld(
      scene.database,
      tx => reviewReferral(tx, scene.account.id, referralId, 'rejected'),
      () => work(scene),
    )
    const earned = Object.values(await earnedBySale(scene, billing))
    expect(earned.reduce((total, each) => total + each, 0)).toBe(0)
  })
})
