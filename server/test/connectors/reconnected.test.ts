/**
 * Protects commissions from what one connector of a billing system doesn't know: connected again, or connected twice, the connectors of a
 * namespace act as one. What each sale earned depends on what happened, and not on which of them received it.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { listConnectors } from '../../src/connectors/connector.store.ts'
import { endConnector, replayBillingEvents } from '../../src/connectors/manage-connectors.ts'
import { reportRefund } from '../../src/earning/refunds/report-refund.ts'
import { reverseRefund } from '../../src/earning/refunds/reverse-refund.ts'
import { unique } from '../factories.ts'
import { brokenInvariants, useOwnScene } from '../harness.ts'
import {
  type Billing,
  connectStripe,
  earnedBySale,
  events,
  newCustomer,
  outcome,
  send,
  work,
} from './scene.ts'
import * as stripe from './stripe-objects.ts'

const { event, START, DAY } = stripe
type Refunded = stripe.StripeEvent & { data: { object: { id: string } } }
const scene = useOwnScene()
const remove = ({ connector }: Billing) => endConnector(scene.database.db, scene.account.id, connector.id)
beforeEach(async () => {
  const { database, account } = scene
  for (const { id } of await listConnectors(database.db, account.id))
    await endConnector(database.db, account.id, id)
})
afterEach(async () => expect(await brokenInvariants(scene.database)).toEqual([]))

const sendAll = async (billing: Billing, ...all: stripe.StripeEvent[]) => {
  for (const each of all) {
    await send(scene, billing, each)
    await work(scene)
  }
}

/** An invoice of 120.00 that earns 20.00, and refunds of it. */
function invoiceWith({ affiliate }: Billing, amounts: number[]) {
  const [customer, payment, id] = [newCustomer(), unique('pi'), unique('in')]
  const invoice = stripe.invoice(id, {
    customer,
    metadata: { via: affiliate.token },
    payments: stripe.paymentsOf(payment),
  })
  const refund = (amount: number) =>
    stripe.refund(unique('re'), { payment_intent: payment, amount, created: START + DAY })
  return {
    payment,
    saleId: `stripe:${id}`,
    paid: event('invoice.paid', invoice, START),
    refunded: amounts.map((amount, day) => event('refund.created', refund(amount), START + (day + 1) * DAY)),
  }
}

describe('takes back what it took before', () => {
  it.each([
    ['equal', [3000, 3000], 1000],
    ['different', [3000, 2000], 1167],
    ['all', [6000, 6000], 0],
  ])('if refunds of %s amounts arrive again after a reconnect', async (_, amounts, left) => {
    const before = await connectStripe(scene)
    const { paid, refunded, saleId } = invoiceWith(before, amounts)
    await sendAll(before, paid, ...refunded)
    expect(await earnedBySale(scene, before)).toMatchObject({ [saleId]: left })
    await remove(before)
    const again = await connectStripe(scene)
    for (const each of [paid, ...refunded]) {
      await sendAll(again, each)
      expect(await earnedBySale(scene, before)).toMatchObject({ [saleId]: left })
    }
    expect((await events(scene, again)).map(({ status }) => status)).not.toContain('failed')
  })

  it('if a second connector of the same system lags behind', async () => {
    const [first, second] = [await connectStripe(scene), await connectStripe(scene)]
    const { paid, refunded, saleId } = invoiceWith(first, [6000, 6000])
    await sendAll(first, paid, ...refunded)
    for (const each of [paid, ...refunded.toReversed()]) {
      await sendAll(second, each)
      expect(await earnedBySale(scene, first)).toMatchObject({ [saleId]: 0 })
    }
  })

  it('if an event is processed again after the merchant reported the same refund', async () => {
    const billing = await connectStripe(scene)
    const { paid, refunded, saleId } = invoiceWith(billing, [6000])
    await sendAll(billing, paid, ...refunded)
    await reportRefund(scene.database.db, scene.account.id, {
      external_id: unique('api'),
      sale_external_id: saleId,
      amount_minor: 3000,
    })
    const { id: providerId } = refunded[0] as Refunded
    for (let again = 0; again < 3; again++) {
      await replayBillingEvents(scene.database.db, scene.account.id, billing.connector.id, { providerId })
      await work(scene)
      expect(await outcome(scene, billing, { id: providerId })).not.toMatchObject({ status: 'failed' })
    }
    expect(await earnedBySale(scene, billing)).toMatchObject({ [saleId]: 1000 })
  })

  it('if the refund was reversed under the ID of the event that reports it', async () => {
    const billing = await connectStripe(scene)
    const { paid, refunded, saleId } = invoiceWith(billing, [3000])
    await sendAll(billing, paid, ...refunded)
    const { database, account } = scene
    const { id: providerId, data } = refunded[0] as Refunded
    // As earlier versions did after a reconnect.
    const externalId = `stripe:${data.object.id}/${providerId}`
    await reverseRefund(database.db, account.id, { externalId, saleExternalId: saleId })
    expect(await earnedBySale(scene, billing)).toMatchObject({ [saleId]: 2000 })
    await replayBillingEvents(database.db, account.id, billing.connector.id, { providerId })
    await work(scene)
    expect(await earnedBySale(scene, billing)).toMatchObject({ [saleId]: 1500 })
  })
})
