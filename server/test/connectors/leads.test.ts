/** A customer whom the billing system knows only by email is credited by the click of the visitor who left it, and by nothing weaker. */
import { beforeAll, expect, it } from 'vitest'
import { unique } from '../factories.ts'
import { useOwnScene } from '../harness.ts'
import { approvedAffiliate, buildClick, convert, openCampaign } from '../ledger/scene.ts'
import { beacon } from '../tracking/scene.ts'
import {
  type Billing,
  connectBilling,
  connectStripe,
  earnedBySale,
  newCustomer,
  outcome,
  passWait,
  send,
  sendPaddle,
  work,
} from './scene.ts'
import { customer as customerOf, event, invoice, session } from './stripe-objects.ts'

const scene = useOwnScene()
let billing: Billing
beforeAll(async () => {
  billing = await connectStripe(scene)
})

/** A visitor who clicked the affiliate's link a minute ago, and left this email. */
async function leave(email: string): Promise<void> {
  const visitor = { account: scene.account.slug, visitor_id: unique('visitor-0123456789') }
  const { body } = await beacon(scene, { ...visitor, token: billing.affiliate.token })
  const lead = { ...visitor, click_id: body.click_id, email }
  expect((await beacon(scene, lead, {}, { path: '/t/leads' })).status).toBe(201)
  await scene.database.owner.query(
    "UPDATE clicks SET created_at = now() - interval '1 minute' WHERE id = $1",
    [body.click_id],
  )
}

/** What may name an affiliate comes within minutes of a lead, which waits for it. */
async function settle(): Promise<void> {
  await work(scene)
  await passWait(scene)
  await work(scene)
}

/** A checkout with nothing but an email, and its invoice. */
async function buy(email: string, parts: Parameters<typeof session>[1] = {}, customer = newCustomer()) {
  const created = Math.floor(Date.now() / 1000)
  const paid = unique('in')
  const customer_details = { email } as Parameters<typeof session>[1]['customer_details']
  const completed = event(
    'checkout.session.completed',
    session(unique('cs'), { customer, created, customer_details, ...parts } as Parameters<typeof session>[1]),
    created,
  )
  await send(scene, billing, completed, event('invoice.paid', invoice(paid, { customer, created }), created))
  await settle()
  return { completed, sale: `stripe:${paid}` }
}

it('credits the affiliate whose link the lead came from', async () => {
  await leave('ada@example.com')
  const { completed, sale } = await buy('Ada@Example.com')
  expect(await outcome(scene, billing, completed)).toEqual({ status: 'applied', reason: null })
  expect((await earnedBySale(scene, billing))[sale]).toBe(2000)
})

it('credits no one for an unknown email', async () => {
  const { completed, sale } = await buy('grace@example.com')
  expect((await outcome(scene, billing, completed))?.status).toBe('ignored')
  expect(await earnedBySale(scene, billing)).not.toHaveProperty([sale])
})

it('is outweighed by what the checkout names itself', async () => {
  const other = await approvedAffiliate(scene, billing.campaign.id)
  await leave('joan@example.com')
  const { sale } = await buy('joan@example.com', { client_reference_id: other.token })
  expect(await earnedBySale(scene, billing)).not.toHaveProperty([sale])
  expect((await earnedBySale(scene, { ...billing, affiliate: other }))[sale]).toBe(2000)
})

it.each([
  [
    'Stripe',
    async (customer: string, email: string) => send(scene, billing, createdCustomer(customer, email)),
  ],
  [
    'Paddle',
    async (id: string, email: string) => {
      const paddle = await connectBilling(scene, { provider: 'paddle', signingSecret: 'secret' })
      await sendPaddle(scene, paddle, 'customer.created', new Date().toISOString(), { id, email })
    },
  ],
])('is outweighed by a code that is used after %s has reported the customer', async (_, create) => {
  const other = await approvedAffiliate(scene, billing.campaign.id)
  await leave('anna@example.com')
  const customer = newCustomer()
  await create(customer, 'anna@example.com')
  await work(scene)
  const { body } = await convert(scene.api, {
    campaign_id: billing.campaign.id,
    customer_ref: customer,
    coupon_code: other.coupon_code,
  })
  expect(body.referral.affiliate_id).toBe(other.id)
  await settle()
  const { rows } = await scene.database.owner.query(
    'SELECT affiliate_id FROM referrals WHERE customer_ref = $1',
    [customer],
  )
  expect(rows).toEqual([{ affiliate_id: String(other.id) }])
})

it('is outweighed by the click of the visit, as the tracker adds it to the checkout', async () => {
  const other = await openCampaign(scene.database, scene.account.id)
  const later = await approvedAffiliate(scene, other.id)
  const clickId = await buildClick(scene, { campaignId: other.id, affiliateId: later.id })
  await leave('iris@example.com')
  const { sale } = await buy('iris@example.com', { client_reference_id: `tributary_${clickId}` })
  expect(await earnedBySale(scene, billing)).not.toHaveProperty([sale])
  expect((await earnedBySale(scene, { ...billing, campaign: other, affiliate: later }))[sale]).toBe(2000)
})

it("counts beside a reference that is the merchant's own", async () => {
  await leave('rosa@example.com')
  const { sale } = await buy('rosa@example.com', {
    client_reference_id: 'user_42',
    metadata: { ref: 'PO-1' },
  })
  expect((await earnedBySale(scene, billing))[sale]).toBe(2000)
})

it("outweighs a number in the reference, which may be the merchant's own", async () => {
  const other = await openCampaign(scene.database, scene.account.id)
  const stranger = await approvedAffiliate(scene, other.id)
  const clickId = await buildClick(scene, { campaignId: other.id, affiliateId: stranger.id })
  await leave('vera@example.com')
  const parts = { client_reference_id: `${clickId}` }
  const { sale } = await buy('vera@example.com', parts)
  expect((await earnedBySale(scene, billing))[sale]).toBe(2000)
  // Also once the customer was referred by the lead.
  await leave('ruth@example.com')
  const customer = newCustomer()
  await send(scene, billing, createdCustomer(customer, 'ruth@example.com'))
  await settle()
  const later = await buy('ruth@example.com', parts, customer)
  expect((await earnedBySale(scene, billing))[later.sale]).toBe(2000)
  expect(await earnedBySale(scene, { ...billing, affiliate: stranger })).toEqual({})
})

const now = () => Math.floor(Date.now() / 1000)
const createdCustomer = (id: string, email: string) =>
  event('customer.created', customerOf(id, { email, created: now() }), now())
const paidInvoice = (id: string, parts: Parameters<typeof invoice>[1]) =>
  event('invoice.paid', invoice(id, { created: now(), ...parts }), now())

it('credits a customer who was created without a Checkout, and their invoices', async () => {
  await leave('mary@example.com')
  const [customer, paid] = [newCustomer(), unique('in')]
  await send(scene, billing, createdCustomer(customer, 'mary@example.com'), paidInvoice(paid, { customer }))
  await settle()
  expect((await earnedBySale(scene, billing))[`stripe:${paid}`]).toBe(2000)
})

it('credits the first invoice of a subscription, but not a renewal of an old one', async () => {
  await leave('lise@example.com')
  const emails = { customer_email: 'lise@example.com' }
  const sales = [unique('in'), unique('in')] as const
  const renewal = paidInvoice(sales[0], {
    customer: newCustomer(),
    billing_reason: 'subscription_cycle',
    ...emails,
  })
  const first = paidInvoice(sales[1], {
    customer: newCustomer(),
    billing_reason: 'subscription_create',
    ...emails,
  })
  await send(scene, billing, renewal, first)
  await settle()
  expect((await outcome(scene, billing, renewal))?.status).toBe('ignored')
  expect(await earnedBySale(scene, billing)).not.toHaveProperty([`stripe:${sales[0]}`])
  expect((await earnedBySale(scene, billing))[`stripe:${sales[1]}`]).toBe(2000)
})

it('does not count for a change of an old customer, whatever else it names', async () => {
  await leave('hedy@example.com')
  const [customer, paid] = [newCustomer(), unique('in')]
  const parts = { email: 'hedy@example.com', created: now(), metadata: { ref: 'PO-1' } }
  await send(scene, billing, event('customer.updated', customerOf(customer, parts), now()))
  await send(scene, billing, paidInvoice(paid, { customer }))
  await settle()
  expect(await earnedBySale(scene, billing)).not.toHaveProperty([`stripe:${paid}`])
})

it('leaves a customer who was referred to their affiliate', async () => {
  const other = await approvedAffiliate(scene, billing.campaign.id)
  const [customer, paid] = [newCustomer(), unique('in')]
  const metadata = { via: other.token }
  await send(scene, billing, event('customer.created', customerOf(customer, { metadata }), now() - 60))
  await settle()
  await leave('emmy@example.com')
  const parts = { customer, customer_email: 'emmy@example.com', billing_reason: 'manual' as const }
  await send(scene, billing, paidInvoice(paid, parts))
  await settle()
  expect(await earnedBySale(scene, billing)).not.toHaveProperty([`stripe:${paid}`])
  expect((await earnedBySale(scene, { ...billing, affiliate: other }))[`stripe:${paid}`]).toBe(2000)
})
