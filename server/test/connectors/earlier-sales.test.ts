/** Protects a customer's attribution from one of their earlier sales: a sale that can't be credited fails alone, says why, and is retried. */
import { expect, it } from 'vitest'
import { Person } from '../dashboard/person.ts'
import { unique } from '../factories.ts'
import { brokenInvariants, useOwnScene } from '../harness.ts'
import { percent, useRate } from '../ledger/scene.ts'
import { connectStripe, earnedBySale, events, newCustomer, outcome, send, work } from './scene.ts'
import * as stripe from './stripe-objects.ts'

const { event, START, DAY } = stripe
const scene = useOwnScene()

async function retryFailed() {
  await scene.database.owner.query(
    `UPDATE connector_events SET due_at = now() WHERE account_id = $1 AND status = 'failed'`,
    [scene.account.id],
  )
  await work(scene)
}

it('credits the others, and that one once it can be', async () => {
  const billing = await connectStripe(scene, { terms: { payout_currency: 'JPY' } })
  await useRate(scene, 'BHD', 'JPY', '4000000000')
  await useRate(scene, 'USD', 'JPY', '100')
  const customer = newCustomer()
  const paid = (currency: string, total: number, at: number) => {
    const amounts = { total, total_excluding_tax: total, amount_paid: total }
    const invoice = stripe.invoice(unique('in'), { customer, currency, created: at, ...amounts })
    return event('invoice.paid', invoice, at)
  }
  const [bad, good] = [paid('bhd', 100_000_000, START + 1), paid('usd', 10_000, START + 2)]
  await send(scene, billing, bad, good)
  await work(scene)
  const session = stripe.session(unique('cs'), { customer, client_reference_id: billing.affiliate.token })
  const completed = event('checkout.session.completed', session, START)
  await send(scene, billing, completed)
  await work(scene)
  expect(await outcome(scene, billing, completed)).toEqual({ status: 'applied', reason: null })
  expect(await outcome(scene, billing, good)).toEqual({ status: 'applied', reason: null })
  expect(await outcome(scene, billing, bad)).toMatchObject({
    status: 'failed',
    reason: expect.stringContaining('must be at most'),
  })
  expect(Object.values(await earnedBySale(scene, billing))).toEqual([2000])

  await retryFailed()
  await useRate(scene, 'BHD', 'JPY', '400')
  await retryFailed()
  expect((await events(scene, billing)).map(({ status }) => status)).toEqual([
    'applied',
    'applied',
    'applied',
  ])
  expect(Object.values(await earnedBySale(scene, billing)).sort()).toEqual([2000, 8_000_000])
  expect(await brokenInvariants(scene.database)).toEqual([])
})

it.each([
  [1, 'a body'],
  [3, 'a body'],
  [3, 'an emptied body'],
])(
  'credits a sale whose event failed %i times, with %s, when its customer is named again',
  async (times, has) => {
    const billing = await connectStripe(scene, { terms: { payout_currency: 'JPY' } })
    await useRate(scene, 'BHD', 'JPY', '4000000000')
    const customer = newCustomer()
    const total = 100_000_000
    const amounts = { total, total_excluding_tax: total, amount_paid: total }
    const invoice = stripe.invoice(unique('in'), {
      customer,
      currency: 'bhd',
      created: START + 1,
      ...amounts,
    })
    const paid = event('invoice.paid', invoice, START + 1)
    const session = () =>
      stripe.session(unique('cs'), { customer, client_reference_id: billing.affiliate.token })
    const named = () => event('checkout.session.completed', session(), START)
    await send(scene, billing, paid)
    await work(scene)
    await send(scene, billing, named())
    await work(scene)
    if (has === 'an emptied body')
      await scene.database.owner.query(`UPDATE connector_events SET body = '' WHERE provider_id = $1`, [
        paid.id,
      ])
    for (let failed = 1; failed < times; failed++) await retryFailed()
    const shown = async () =>
      (await events(scene, billing)).find(({ provider_id }) => provider_id === paid.id)
    const saleId = `stripe:${invoice.id}`
    expect(await shown()).toMatchObject({ status: 'failed', sale_external_id: saleId })

    await useRate(scene, 'BHD', 'JPY', '400')
    await send(scene, billing, named())
    await work(scene)
    expect(await shown()).toMatchObject({
      status: 'applied',
      reason: null,
      next_attempt_at: null,
      sale_external_id: saleId,
    })
    expect(await earnedBySale(scene, billing)).toEqual({ [saleId]: 8_000_000 })
    expect(await brokenInvariants(scene.database)).toEqual([])
  },
)

it('credits one sale if only the first counts, whichever arrived first', async () => {
  const terms = { rewards: [percent(2000, { recurringMonths: 0 })] }
  const billing = await connectStripe(scene, { terms })
  const customer = newCustomer()
  const paid = (day: number) =>
    event(
      'invoice.paid',
      stripe.invoice(unique('in'), { customer, created: START + day * DAY }),
      START + day * DAY,
    )
  for (const one of [paid(30), paid(1)]) {
    await send(scene, billing, one)
    await work(scene)
  }
  const session = stripe.session(unique('cs'), { customer, client_reference_id: billing.affiliate.token })
  await send(scene, billing, event('checkout.session.completed', session, START))
  await work(scene)
  expect(Object.values(await earnedBySale(scene, billing))).toEqual([2000])
})

it("shows the state of the customer's subscription on the referral, the newest in whatever order", async () => {
  const viewer = await Person.join(scene.app, scene.account.id, 'viewer')
  const billing = await connectStripe(scene)
  const [customer, id] = [newCustomer(), unique('sub')]
  const metadata = { via: billing.affiliate.token }
  const state = (
    type: 'customer.subscription.updated' | 'customer.subscription.deleted',
    status: 'trialing' | 'active' | 'past_due' | 'canceled',
    day: number,
  ) => event(type, stripe.subscription(id, { customer, status, metadata, created: START }), START + day * DAY)
  const shown = async () => {
    const { rows } = await scene.database.owner.query('SELECT id FROM referrals WHERE customer_ref = $1', [
      customer,
    ])
    return (await viewer.call('getReferral', { id: rows[0].id })).body.subscriptions
  }
  const at = (day: number) => new Date((START + day * DAY) * 1000).toISOString()
  const is = (status: string, day: number) => [{ id, provider: 'stripe', status, updated_at: at(day) }]

  await send(scene, billing, state('customer.subscription.updated', 'trialing', 0))
  await work(scene)
  expect(await shown()).toEqual(is('trialing', 0))
  await send(scene, billing, state('customer.subscription.deleted', 'canceled', 30))
  await work(scene)
  await send(scene, billing, state('customer.subscription.updated', 'past_due', 20))
  await work(scene)
  expect(await shown()).toEqual(is('canceled', 30))
  // Resumed at Stripe: an event of the same subscription that is newer.
  await send(scene, billing, state('customer.subscription.updated', 'active', 31))
  await work(scene)
  expect(await shown()).toEqual(is('active', 31))
})
