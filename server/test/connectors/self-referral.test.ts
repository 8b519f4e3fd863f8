/**
 * Protects merchants from affiliates who buy through their own link: whichever event has the customer's email, before or after the one that
 * names the affiliate, what they earned is not paid before a person has reviewed the referral. What is paid stays paid.
 */
import { afterEach, describe, expect, it } from 'vitest'
import { lookBack } from '../../src/earning/conversions/look-back.ts'
import { reportConversion } from '../../src/earning/conversions/report-conversion.ts'
import { noEmails } from '../../src/earning/conversions/suspicions-of.ts'
import { reviewReferral } from '../../src/earning/referrals/review-referral.ts'
import { buildAffiliate, unique } from '../factories.ts'
import { brokenInvariants, useOwnScene } from '../harness.ts'
import { whileHeld } from '../interleave.ts'
import { pay } from '../ledger/scene.ts'
import { preview } from '../payouts/ground.ts'
import {
  type Billing,
  connectBilling,
  newCustomer,
  reviewOf as reviewOfCustomer,
  send,
  sendPaddle,
  work,
} from './scene.ts'
import * as stripe from './stripe-objects.ts'

const { event, START, DAY } = stripe
const scene = useOwnScene()
afterEach(async () => expect(await brokenInvariants(scene.database)).toEqual([]))

const reviewOf = (customer: string) => reviewOfCustomer(scene, customer)
const suspected = [
  {
    status: 'pending_review',
    review: ['self-referral: the customer has the affiliate’s email address'],
  },
]

it('through Paddle is recognised by the email of the customer’s own event', async () => {
  const billing = await connectBilling(scene, { provider: 'paddle', signingSecret: 'secret' })
  const send = (type: string, at: string, data: object) => sendPaddle(scene, billing, type, at, data)
  const [id, other] = [unique('ctm'), unique('ctm')]
  const { email, token } = billing.affiliate
  await send('customer.created', '2026-01-01T00:00:00Z', { id, email: email.toUpperCase() })
  await send('customer.created', '2026-01-01T00:00:00Z', { id: other, email: 'other@example.com' })
  for (const customer of [id, other])
    await send('transaction.completed', '2026-01-02T00:00:00Z', {
      id: unique('txn'),
      customer_id: customer,
      custom_data: { via: token },
      currency_code: 'USD',
      details: { totals: { tax: '0', total: '10000', grand_total: '10000' } },
    })
  expect(await reviewOf(id)).toEqual(suspected)
  expect(await reviewOf(other)).toEqual([{ status: 'approved', review: [] }])
})

it.each([
  ['a subscription', true],
  ['a charge', false],
])('through %s of Stripe is recognised by the email', async (_, isSubscription) => {
  const billing = await connectBilling(scene)
  const customer = unique('cus')
  const { email, token } = billing.affiliate
  const metadata = { via: token }
  if (isSubscription)
    await send(
      scene,
      billing,
      event('customer.created', stripe.customer(customer, { email }), START),
      event(
        'customer.subscription.created',
        stripe.subscription(unique('sub'), { customer, metadata }),
        START,
      ),
    )
  else {
    const charge = { customer, metadata, billing_details: { email } }
    await send(scene, billing, event('charge.succeeded', stripe.charge(unique('ch'), charge), START))
  }
  await work(scene)
  expect(await reviewOf(customer)).toEqual(suspected)
})

/** A purchase that names the affiliate and no email. */
async function buy(
  { affiliate: { token } }: { affiliate: { token: string } },
  billing: Billing,
  customer = newCustomer(),
) {
  const invoice = stripe.invoice(unique('in'), { customer, metadata: { via: token } })
  await send(scene, billing, event('invoice.paid', invoice, START))
  await work(scene)
  return customer
}

const tell = async (billing: Billing, customer: string, email: string, day: number) => {
  const changed = stripe.customer(customer, { email, created: START })
  await send(scene, billing, event('customer.updated', changed, START + day * DAY))
  await work(scene)
}

const payable = async ({ campaign, affiliate }: Billing) => {
  const { rows } = await preview(scene, campaign)
  return rows.find(({ affiliate_id }) => affiliate_id === affiliate.id)?.payable_minor
}

const referralOf = async (customer: string): Promise<number> => {
  const { rows } = await scene.database.owner.query(
    'SELECT id::integer FROM referrals WHERE customer_ref = $1',
    [customer],
  )
  return rows[0].id
}

it('goes to review when the email becomes known later, and is not payable until then', async () => {
  const billing = await connectBilling(scene)
  const customer = await buy(billing, billing)
  expect(await reviewOf(customer)).toEqual([{ status: 'approved', review: [] }])
  await tell(billing, customer, 'other@example.com', 1)
  expect(await reviewOf(customer)).toEqual([{ status: 'approved', review: [] }])
  expect(await payable(billing)).toBe(2000)
  await tell(billing, customer, billing.affiliate.email.toUpperCase(), 2)
  expect(await reviewOf(customer)).toEqual(suspected)
  expect(await payable(billing)).toBe(0)
})

it.each(['a renewal', 'a Checkout'])('goes to review when %s has the email', async what => {
  const billing = await connectBilling(scene)
  const customer = await buy(billing, billing)
  const { email } = billing.affiliate
  const at = START + 30 * DAY
  const renewal = {
    customer,
    created: at,
    billing_reason: 'subscription_cycle' as const,
    customer_email: email,
  }
  const session = { customer, created: at, customer_details: { email } }
  await send(
    scene,
    billing,
    what === 'a renewal'
      ? event('invoice.paid', stripe.invoice(unique('in'), renewal), at)
      : event('checkout.session.completed', stripe.session(unique('cs'), session), at),
  )
  await work(scene)
  expect(await reviewOf(customer)).toEqual(suspected)
})

it('through Paddle goes to review when the email becomes known later', async () => {
  const billing = await connectBilling(scene, { provider: 'paddle', signingSecret: 'secret' })
  const id = unique('ctm')
  const { email, token } = billing.affiliate
  await sendPaddle(scene, billing, 'transaction.completed', '2026-01-01T00:00:00Z', {
    id: unique('txn'),
    customer_id: id,
    custom_data: { via: token },
    currency_code: 'USD',
    details: { totals: { tax: '0', total: '10000', grand_total: '10000' } },
  })
  await sendPaddle(scene, billing, 'customer.updated', '2026-01-02T00:00:00Z', { id, email })
  expect(await reviewOf(id)).toEqual(suspected)
})

describe('in whatever order the emails of a customer arrive', () => {
  const named = async (billing: Billing, order: ('buy' | number)[], emails: string[]) => {
    const customer = newCustomer()
    for (const what of order)
      if (what === 'buy') await buy(billing, billing, customer)
      else await tell(billing, customer, emails[what] as string, what)
    return customer
  }

  it('one that was the affiliate’s counts', async () => {
    const billing = await connectBilling(scene)
    const emails = ['first@example.com', billing.affiliate.email, 'last@example.com']
    for (const order of [
      ['buy', 0, 1, 2],
      ['buy', 2, 1, 0],
      [1, 2, 0, 'buy'],
      [2, 1, 'buy', 0],
    ] as const)
      expect([order, await reviewOf(await named(billing, [...order], emails))]).toEqual([order, suspected])
  })

  it('the reason is the same', async () => {
    const billing = await connectBilling(scene)
    const { id, email } = billing.affiliate
    const paypal_email = `paypal-of-${email}`
    await scene.api.patch(`/affiliates/${id}`, { paypal_email })
    for (const order of [
      ['buy', 0, 1],
      ['buy', 1, 0],
      [0, 1, 'buy'],
    ] as const)
      expect(await reviewOf(await named(billing, [...order], [paypal_email, email]))).toEqual(suspected)
  })

  it('the same twenty of them are kept, and the newest', async () => {
    const billing = await connectBilling(scene)
    const emails = Array.from({ length: 30 }, (_, each) => `${each}@example.com`)
    const kept = async (order: number[]) => {
      const { rows } = await scene.database.owner.query(
        `SELECT target, targets FROM connector_links WHERE kind = 'email' AND ref = $1`,
        [await named(billing, order, emails)],
      )
      return rows
    }
    const inOrder = [...emails.keys()]
    const [row] = await kept(inOrder)
    expect(row.targets).toHaveLength(20)
    expect(await kept(inOrder.toReversed())).toEqual([row])
    expect(await kept([...inOrder.slice(15), ...inOrder, 3, 29])).toEqual([row])
  })

  it('one counts that a process of the version before has stored', async () => {
    const billing = await connectBilling(scene)
    const customer = newCustomer()
    await tell(billing, customer, billing.affiliate.email, 0)
    await scene.database.owner.query('UPDATE connector_links SET targets = NULL WHERE ref = $1', [customer])
    await tell(billing, customer, 'other@example.com', 1)
    await buy(billing, billing, customer)
    expect(await reviewOf(customer)).toEqual(suspected)
  })
})

it('keeps what is paid', async () => {
  const billing = await connectBilling(scene)
  const customer = await buy(billing, billing)
  expect(await pay(scene, billing.campaign.id)).toEqual({ [billing.affiliate.id]: 2000 })
  await tell(billing, customer, billing.affiliate.email, 1)
  expect(await reviewOf(customer)).toEqual(suspected)
  const { rows } = await scene.database.owner.query(
    'SELECT entry_type, status FROM commissions WHERE affiliate_id = $1 ORDER BY id',
    [billing.affiliate.id],
  )
  expect(rows).toEqual([
    { entry_type: 'earned', status: 'paid' },
    { entry_type: 'payout', status: 'paid' },
  ])
})

it('that a person approved stays approved, and one that was rejected stays rejected', async () => {
  const billing = await connectBilling(scene)
  for (const decision of ['approved', 'rejected'] as const) {
    const customer = await buy(billing, billing)
    await tell(billing, customer, billing.affiliate.email, 1)
    await reviewReferral(scene.database.db, scene.account.id, await referralOf(customer), decision)
    await tell(billing, customer, billing.affiliate.email, 2)
    expect(await reviewOf(customer)).toEqual([{ ...suspected[0], status: decision }])
  }
})

it('of a pending affiliate is reviewed once they are approved', async () => {
  const billing = await connectBilling(scene)
  const pending = await buildAffiliate(scene.database, scene.account.id, billing.campaign.id)
  const customer = await buy({ affiliate: pending }, billing)
  expect(await reviewOf(customer)).toEqual([])
  await tell(billing, customer, pending.email, 1)
  await scene.api.patch(`/affiliates/${pending.id}`, { status: 'approved' })
  await scene.database.owner.query(
    `UPDATE pending_credits SET credit_until = 'infinity' WHERE affiliate_id = $1`,
    [pending.id],
  )
  await lookBack(scene.database.db, noEmails)
  expect(await reviewOf(customer)).toEqual(suspected)
})

it('is found while a report about the same customer is under way', async () => {
  const billing = await connectBilling(scene)
  const customer = newCustomer()
  await tell(billing, customer, 'other@example.com', 0)
  await send(
    scene,
    billing,
    event('customer.updated', stripe.customer(customer, { email: billing.affiliate.email }), START + DAY),
  )
  // The API reports the conversion, and has not committed it yet.
  await whileHeld(
    scene.database,
    tx =>
      reportConversion(tx, scene.account.id, {
        campaign_id: billing.campaign.id,
        customer_ref: customer,
        token: billing.affiliate.token,
      }),
    () => work(scene),
  )
  expect(await reviewOf(customer)).toEqual(suspected)
})
