/**
 * Protects commissions from what one connector of a billing system doesn't know: connected again, or connected twice, the connectors of a
 * namespace act as one. What each sale earned depends on what happened, and not on which of them received it.
 */
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { seed, sized } from '../../../testing/size.ts'
import { listConnectors } from '../../src/connectors/connector.store.ts'
import { endConnector, replayBillingEvents } from '../../src/connectors/manage-connectors.ts'
import { syncConnector } from '../../src/connectors/sync-connector.ts'
import { reportRefund } from '../../src/earning/refunds/report-refund.ts'
import { reverseRefund } from '../../src/earning/refunds/reverse-refund.ts'
import { unique } from '../factories.ts'
import { brokenInvariants, useOwnScene } from '../harness.ts'
import { FakeStripe } from './fake-stripe.ts'
import { type Delivered, providers } from './provider-deliveries.ts'
import {
  type Billing,
  connectBilling,
  connectStripe,
  deliver,
  earnedBySale,
  events,
  log,
  newCustomer,
  outcome,
  passWait,
  send,
  work,
  workOnce,
} from './scene.ts'
import * as stripe from './stripe-objects.ts'
import { eventsOf, plain, year } from './year.ts'

const { event, START, DAY } = stripe
type Refunded = stripe.StripeEvent & { data: { object: { id: string; created: number } } }
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

  it('if a refund that failed is known to one connector alone', async () => {
    const [first, second] = [await connectStripe(scene), await connectStripe(scene)]
    const { paid, refunded, saleId } = invoiceWith(first, [3000, 6000])
    const whole = refunded[1] as Refunded
    await sendAll(first, paid, ...refunded)
    const failed = event('refund.failed', { ...whole.data.object, status: 'failed' }, START + 9 * DAY)
    await sendAll(second, failed)
    expect(await earnedBySale(scene, first)).toMatchObject({ [saleId]: 1500 })
    await sendAll(second, paid, ...refunded)
    expect(await earnedBySale(scene, first)).toMatchObject({ [saleId]: 1500 })
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

describe('takes back what a connector before it booked', () => {
  it.each([
    ['named by its payment', (of: ReturnType<typeof invoiceWith>) => of.refunded],
    [
      'as a total',
      ({ payment }: ReturnType<typeof invoiceWith>) => {
        const charge = { payment_intent: payment, amount: 12_000, amount_refunded: 6000 }
        return [event('charge.refunded', stripe.charge(unique('ch'), charge), START + DAY)]
      },
    ],
    [
      'by a dispute',
      ({ payment }: ReturnType<typeof invoiceWith>) => {
        const disputed = stripe.dispute(unique('dp'), { payment_intent: payment, amount: 6000 })
        return [event('charge.dispute.funds_withdrawn', disputed, START + DAY)]
      },
    ],
    [
      'by a credit note',
      ({ saleId }: ReturnType<typeof invoiceWith>) => {
        const invoice = saleId.slice('stripe:'.length)
        const note = stripe.creditNote(unique('cn'), { invoice, out_of_band_amount: 6000 })
        return [event('credit_note.created', note, START + DAY)]
      },
    ],
  ])('%s', async (_, refundsOf) => {
    const before = await connectStripe(scene)
    const invoice = invoiceWith(before, [6000])
    await sendAll(before, invoice.paid)
    await remove(before)
    const again = await connectStripe(scene)
    const refunds = refundsOf(invoice)
    await sendAll(again, ...refunds)
    expect(await earnedBySale(scene, before)).toEqual({ [invoice.saleId]: 1000 })
    for (const { id } of refunds)
      expect(await outcome(scene, again, { id })).toMatchObject({ status: 'applied' })
  })

  it('and gives it back when the dispute is won, whichever connector receives it', async () => {
    const billings = [await connectStripe(scene), await connectStripe(scene), await connectStripe(scene)]
    const [first, second, third] = billings as [Billing, Billing, Billing]
    const { paid, payment, saleId } = invoiceWith(first, [])
    const disputed = stripe.dispute(unique('dp'), { payment_intent: payment, amount: 12_000 })
    await sendAll(first, paid)
    await sendAll(second, event('charge.dispute.funds_withdrawn', disputed, START + DAY))
    expect(await earnedBySale(scene, first)).toMatchObject({ [saleId]: 0 })
    await sendAll(third, event('charge.dispute.funds_reinstated', disputed, START + 2 * DAY))
    expect(await earnedBySale(scene, first)).toEqual({ [saleId]: 2000 })
  })

  it('if the credit note is voided at another connector', async () => {
    const [first, second] = [await connectStripe(scene), await connectStripe(scene)]
    const { paid, saleId } = invoiceWith(first, [])
    const invoice = saleId.slice('stripe:'.length)
    const note = stripe.creditNote(unique('cn'), { invoice, out_of_band_amount: 6000 })
    await sendAll(second, event('credit_note.voided', note, START + 2 * DAY))
    await sendAll(first, paid, event('credit_note.created', note, START + DAY))
    expect(await earnedBySale(scene, first)).toEqual({ [saleId]: 2000 })
    expect((await events(scene, second)).map(({ status }) => status)).not.toContain('waiting')
  })

  it('if the refund waited for a sale that another connector reports', async () => {
    const [first, second] = [await connectStripe(scene), await connectStripe(scene)]
    const { paid, refunded, saleId } = invoiceWith(first, [3000, 3000])
    await sendAll(second, ...refunded)
    expect((await events(scene, second)).map(({ status }) => status)).toEqual(['waiting', 'waiting'])
    await sendAll(first, paid)
    expect(await earnedBySale(scene, first)).toEqual({ [saleId]: 1000 })
    expect((await events(scene, second)).map(({ status }) => status)).toEqual(['applied', 'applied'])
  })

  it('if the sale is processed at the same time by another process', async () => {
    const [first, second] = [await connectStripe(scene), await connectStripe(scene)]
    const { paid, refunded, saleId } = invoiceWith(first, [6000])
    await send(scene, first, paid)
    // The sale is made but not committed while the refund looks for it.
    await scene.database.db.transaction(async tx => {
      await workOnce(scene, tx)
      await send(scene, second, ...refunded)
      await work(scene)
    })
    await work(scene)
    expect(await earnedBySale(scene, first)).toEqual({ [saleId]: 1000 })
  })

  it('if a charge was booked by one connector and its invoice arrives at another', async () => {
    const [first, second] = [await connectStripe(scene), await connectStripe(scene)]
    const { paid, payment, refunded, saleId } = invoiceWith(first, [6000])
    const charge = {
      customer: (paid.data.object as { customer: string }).customer,
      payment_intent: payment,
      amount: 12_000,
      amount_captured: 12_000,
      metadata: { via: first.affiliate.token },
    }
    await sendAll(first, event('charge.succeeded', stripe.charge(unique('ch'), charge), START))
    await passWait(scene)
    await work(scene)
    await sendAll(first, ...refunded)
    expect(await earnedBySale(scene, first)).toEqual({ [`stripe:${payment}`]: 1200 })
    await sendAll(second, paid)
    const replaced = { [`stripe:${payment}`]: 0, [saleId]: 1000 }
    expect(await earnedBySale(scene, first)).toEqual(replaced)
    await sendAll(first, paid)
    await sendAll(second, ...refunded)
    expect(await earnedBySale(scene, first)).toEqual(replaced)
  })
})

it('changes nothing by a sync of what an earlier connector received', async () => {
  const before = await connectStripe(scene)
  const { paid, refunded, saleId } = invoiceWith(before, [3000, 3000])
  await sendAll(before, paid, ...refunded)
  await remove(before)
  const fake = new FakeStripe('rk_live')
  const again = await connectStripe(scene, { apiKey: 'rk_live', apiUrl: await fake.start() })
  try {
    fake.lists['/v1/invoices'] = [(paid as Refunded).data.object]
    fake.lists['/v1/refunds'] = refunded.map(each => (each as Refunded).data.object)
    fake.lists['/v1/events'] = [paid, ...refunded]
    const services = { db: scene.database.db, secrets: scene.app.services.secrets, log }
    const since = new Date(START * 1000).toISOString()
    expect(await syncConnector(services, again.connector, since)).toMatchObject({ differences: [] })
    expect(await earnedBySale(scene, before)).toEqual({ [saleId]: 1000 })
    expect(await syncConnector(services, again.connector, since)).toMatchObject({
      missed: 0,
      differences: [],
    })
  } finally {
    await fake.stop()
  }
})

describe.each(providers)('$name', ({ name: provider, mapping, deliveries, sign }) => {
  const connect = () => connectBilling(scene, { provider, signingSecret: 'secret', mapping })
  const post = async ({ connector }: Billing, { body, headers = {} }: Delivered) => {
    const text = JSON.stringify(body)
    const all = { ...headers, ...sign(text, 'secret') }
    expect((await deliver(scene, connector, text, all, `/connect/${provider}/${connector.id}`)).status).toBe(
      200,
    )
    await work(scene)
  }

  it('takes back a refund of a sale from before the reconnect, once', async () => {
    const before = await connect()
    const { sale, refund, saleId } = deliveries(7001, before.affiliate.token)
    await post(before, sale)
    await remove(before)
    const again = await connect()
    await post(again, refund)
    expect(await earnedBySale(scene, before)).toEqual({ [saleId]: 1500 })
    await post(again, sale)
    expect(await earnedBySale(scene, before)).toEqual({ [saleId]: 1500 })
    await remove(again)
    await post(await connect(), refund)
    expect(await earnedBySale(scene, before)).toEqual({ [saleId]: 1500 })
  })
})

let years = 0

it('leads to the ledger of one connector, whichever of several receives what, how often and in what order', async () => {
  const billing = await connectStripe(scene)
  let connected = [billing]
  await fc.assert(
    fc.asyncProperty(year, fc.infiniteStream(fc.nat()), async (each, random) => {
      const [first, second] = [`a${++years}`, `b${years}`]
      await send(scene, connected[0] as Billing, ...eventsOf(each, first, billing))
      await work(scene)
      await passWait(scene)
      await work(scene)

      const draws = random[Symbol.iterator]()
      const draw = () => draws.next().value as number
      const all = eventsOf(each, second, billing)
      const shuffled = [...all, ...all.filter(() => draw() % 2 === 0)]
        .map(one => ({ one, at: draw() }))
        .sort((a, b) => a.at - b.at)
      for (const { one } of shuffled) {
        if (draw() % 4 === 0)
          connected.push({ ...billing, connector: (await connectStripe(scene)).connector })
        if (draw() % 4 === 0 && connected.length > 1) {
          await remove(connected[0] as Billing)
          connected = connected.slice(1)
        }
        await send(scene, connected[draw() % connected.length] as Billing, one)
        if (draw() % 2 === 0) await Promise.all([workOnce(scene), workOnce(scene)])
        if (draw() % 3 === 0) await passWait(scene)
      }
      await work(scene)
      await passWait(scene)
      await work(scene)
      const earned = await earnedBySale(scene, billing)
      expect(plain(earned, second)).toEqual(plain(earned, first))
    }),
    { seed, numRuns: sized(5, 200) },
  )
})
