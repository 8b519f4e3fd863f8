/**
 * Protects refunds of sales that are replaced: an invoice that was paid in several parts, each booked as a separate sale before, is refunded
 * by what was refunded of all of them, once.
 */
import { afterEach, describe, expect, it } from 'vitest'
import { replayBillingEvents } from '../../src/connectors/manage-connectors.ts'
import { unique } from '../factories.ts'
import { brokenInvariants, useOwnScene } from '../harness.ts'
import {
  type Billing,
  connectStripe,
  earnedBySale,
  newCustomer,
  outcome,
  passWait,
  send,
  work,
} from './scene.ts'
import * as stripe from './stripe-objects.ts'

const { event, START, DAY } = stripe
const scene = useOwnScene()
afterEach(async () => expect(await brokenInvariants(scene.database)).toEqual([]))

/** An invoice of 120.00, 100.00 of which count, in parts that were each charged, booked as sales and refunded. */
async function bookedInParts(refunds: number[]) {
  const billing = await connectStripe(scene)
  const [customer, id] = [newCustomer(), unique('in')]
  const parts = refunds.map(amount => ({ payment: unique('pi'), refund: unique('re'), amount }))
  const paid = Math.floor(12_000 / parts.length)
  for (const { payment } of parts) {
    const metadata = { via: billing.affiliate.token }
    const charge = { customer, payment_intent: payment, amount: paid, amount_captured: paid, metadata }
    await send(scene, billing, event('charge.succeeded', stripe.charge(unique('ch'), charge), START))
  }
  await work(scene)
  await passWait(scene)
  await work(scene)
  for (const { payment, refund, amount } of parts)
    if (amount > 0) {
      const made = stripe.refund(refund, { payment_intent: payment, amount, created: START + DAY })
      await send(scene, billing, event('refund.created', made, START + DAY))
    }
  await work(scene)
  const payments = {
    object: 'list' as const,
    data: parts.flatMap(part => stripe.paymentsOf(part.payment).data),
  }
  const invoice = event('invoice.paid', stripe.invoice(id, { customer, payments }), START + 2 * DAY)
  return { billing, parts, invoice, saleId: `stripe:${id}` }
}

/** What all sales earned, the replaced ones included, and what is refunded of the one that stays. */
async function stateOf({ billing, saleId }: { billing: Billing; saleId: string }) {
  const earned = await earnedBySale(scene, billing)
  const { rows } = await scene.database.owner.query(
    `SELECT coalesce(sum(f.amount_minor), 0)::integer AS refunded FROM sales s
       JOIN refunds f ON f.account_id = s.account_id AND f.sale_id = s.id AND f.reversed_at IS NULL WHERE s.external_id = $1`,
    [saleId],
  )
  const total = Object.values(earned).reduce((sum, each) => sum + each, 0)
  return { earned: earned[saleId], total, refunded: rows[0]?.refunded }
}

describe('an invoice that lists all its payments', () => {
  it.each([
    ['equal', [3000, 3000], 5000],
    ['different', [3000, 2000], 4167],
    ['no', [0, 0], 0],
    ['the second of two', [0, 3000], 2500],
    ['full', [6000, 6000], 10_000],
    ['three', [1000, 1000, 2000], 3333],
  ])('is refunded by %s refunds', async (_, refunds, refunded) => {
    const booked = await bookedInParts(refunds)
    const expected = {
      refunded,
      earned: Math.round((10_000 - refunded) / 5),
      total: Math.round((10_000 - refunded) / 5),
    }
    await send(scene, booked.billing, booked.invoice)
    await work(scene)
    expect(await outcome(scene, booked.billing, booked.invoice)).toMatchObject({ status: 'applied' })
    expect(await stateOf(booked)).toEqual(expected)
    const which = { providerId: booked.invoice.id }
    await replayBillingEvents(scene.database.db, scene.account.id, booked.billing.connector.id, which)
    await work(scene)
    expect(await stateOf(booked)).toEqual(expected)
  })

  it('gets back what a moved refund took that failed, and no more', async () => {
    const booked = await bookedInParts([3000, 2000])
    const [first, second] = booked.parts
    await send(scene, booked.billing, booked.invoice)
    const failed = (part: typeof first) =>
      event(
        'refund.failed',
        stripe.refund(part?.refund as string, {
          payment_intent: part?.payment,
          amount: part?.amount,
          status: 'failed',
        }),
        START + 3 * DAY,
      )
    await work(scene)
    await send(scene, booked.billing, failed(first))
    await work(scene)
    expect(await stateOf(booked)).toMatchObject({ refunded: 1667, total: 1667 })
    await send(scene, booked.billing, failed(second), failed(first))
    await work(scene)
    expect(await stateOf(booked)).toMatchObject({ refunded: 0, total: 2000 })
  })
})
