/** Protects the ledger from lost billing events: whatever is lost, in whatever order the rest arrives, a sync makes it the ledger of all of them. */
import fc from 'fast-check'
import type Stripe from 'stripe'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { seed, sized } from '../../../testing/size.ts'
import { syncConnector } from '../../src/connectors/sync-connector.ts'
import { brokenInvariants, useOwnScene } from '../harness.ts'
import { FakeStripe } from './fake-stripe.ts'
import { type Billing, connectStripe, earnedBySale, events, log, passWait, send, work } from './scene.ts'
import { paymentsOf, START, type StripeEvent } from './stripe-objects.ts'
import { eventsOf, plain, year } from './year.ts'

const scene = useOwnScene()
const fake = new FakeStripe('rk_live')
let billing: Billing
beforeAll(async () => {
  billing = await connectStripe(scene, { apiKey: 'rk_live', apiUrl: await fake.start() })
})
afterAll(() => fake.stop())

interface Listed {
  id: string
  object: string
  created: number
}

/** What Stripe lists after these events: the last state of each object, and the events that it still has. */
function list(all: StripeEvent[], kept: StripeEvent[]): void {
  const objects = new Map(
    all.map(({ data }) => [(data.object as Listed).id, structuredClone(data.object as Listed)]),
  )
  for (const { type, data } of all) {
    const object = objects.get((data.object as Listed).id) as Listed
    if (type === 'invoice_payment.paid') {
      const paid = object as unknown as Stripe.InvoicePayment
      const payments = paymentsOf(paid.payment.payment_intent as string)
      Object.assign(objects.get(paid.invoice as string) as Listed, { payments })
    }
    const moves = type === 'charge.dispute.funds_reinstated' ? 2 : 1
    if (object.object === 'dispute')
      Object.assign(object, {
        status: moves === 2 ? 'won' : 'lost',
        balance_transactions: Array.from({ length: moves }, (_, index) => ({ id: `txn_${index}` })),
      })
  }
  const of = (kind: string) => [...objects.values()].filter(({ object }) => object === kind)
  fake.lists['/v1/checkout/sessions'] = of('checkout.session')
  fake.lists['/v1/invoices'] = of('invoice')
  fake.lists['/v1/refunds'] = of('refund')
  fake.lists['/v1/disputes'] = of('dispute')
  fake.lists['/v1/events'] = kept
}

let years = 0

it('any loss, followed by a sync, leads to the ledger of all events', async () => {
  const services = { db: scene.database.db, secrets: scene.app.services.secrets, log }
  const since = new Date(START * 1000).toISOString()
  await fc.assert(
    fc.asyncProperty(year, fc.infiniteStream(fc.nat()), async (each, random) => {
      const [first, second] = [`a${++years}`, `b${years}`]
      await send(scene, billing, ...eventsOf(each, first, billing))
      await work(scene)
      await passWait(scene)
      await work(scene)

      const all = eventsOf(each, second, billing)
      const draws = random[Symbol.iterator]()
      const draw = () => draws.next().value as number
      const arrived = all
        .filter(() => draw() % 2 === 0)
        .map(one => ({ one, at: draw() }))
        .sort((a, b) => a.at - b.at)
      for (const { one } of arrived) {
        await send(scene, billing, one)
        if (draw() % 2 === 0) await work(scene)
        if (draw() % 3 === 0) await passWait(scene)
      }
      list(all, all.slice(draw() % (all.length + 1)))
      await syncConnector(services, billing.connector, since)
      await passWait(scene)
      await work(scene)
      const earned = await earnedBySale(scene, billing)
      expect(plain(earned, second)).toEqual(plain(earned, first))
      // The sync repeated changes nothing.
      expect((await syncConnector(services, billing.connector, since)).missed).toBe(0)
      expect(await earnedBySale(scene, billing)).toEqual(earned)
    }),
    { seed, numRuns: sized(5, 200) },
  )
  expect(await brokenInvariants(scene.database)).toEqual([])
  const open = (await events(scene, billing)).filter(({ status }) => ['received', 'failed'].includes(status))
  expect(open).toEqual([])
})
