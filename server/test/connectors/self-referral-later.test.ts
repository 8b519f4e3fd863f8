/**
 * Protects merchants from affiliates who buy through their own link, whichever way the customer's email becomes known after the referral: by
 * any provider, by the API, or before a person credits another affiliate.
 */
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { listConnectors } from '../../src/connectors/connector.store.ts'
import { endConnector } from '../../src/connectors/manage-connectors.ts'
import { changeEmailKeeping } from '../../src/earning/customers/keep-emails.ts'
import { Person } from '../dashboard/person.ts'
import { unique } from '../factories.ts'
import { brokenInvariants, useOwnScene } from '../harness.ts'
import { approvedAffiliate, openCampaign } from '../ledger/scene.ts'
import { providers } from './provider-deliveries.ts'
import { type Billing, connectBilling, deliver, events, newCustomer, reviewOf, send, work } from './scene.ts'
import * as stripe from './stripe-objects.ts'

const scene = useOwnScene()
// Some providers allow one connector at a time.
beforeEach(async () => {
  const { database, account } = scene
  for (const { id } of await listConnectors(database.db, account.id))
    await endConnector(database.db, account.id, id)
})
// Emails that the API reports are known later only where they are kept.
beforeAll(() => changeEmailKeeping(scene.database.db, scene.account.id, true))
afterEach(async () => expect(await brokenInvariants(scene.database)).toEqual([]))

const reason = 'self-referral: the customer has the affiliate’s email address'
const suspected = [{ status: 'pending_review', review: [reason] }]
const clear = [{ status: 'approved', review: [] }]

describe('by a provider', () => {
  type Order = { id: number; token?: string; email?: string }
  const shopOrder = ({ id, token, email }: Order) => ({
    ...{ id, currency: 'USD', total_price: '120.00', total_tax: '20.00', customer: { id: 41 } },
    ...{ created_at: '2026-01-01T00:00:00Z', landing_site: token ? `/?via=${token}` : '/', email },
  })
  const wooOrder = ({ id, token, email }: Order) => ({
    ...{ id, status: 'processing', customer_id: 41, currency: 'USD', total: '120.00', total_tax: '20.00' },
    ...{ date_paid_gmt: '2026-01-01T00:00:00', meta_data: token ? [{ key: 'via', value: token }] : [] },
    billing: { email },
  })
  const payment = ({ id, token, email }: Order, event_name: string) => ({
    meta: { event_name, custom_data: token ? { via: token } : {} },
    data: {
      id: String(id),
      attributes: {
        ...{ customer_id: 41, currency: 'USD', tax: 2000, total: 12_000, user_email: email },
        ...{ status: 'paid', created_at: '2026-01-01T00:00:00.000000Z', billing_reason: 'renewal' },
      },
    },
  })
  const subscription = (order: Order) => {
    const { data, ...rest } = payment(order, 'subscription_updated')
    return { ...rest, data: { ...data, attributes: { ...data.attributes, status: 'active' } } }
  }
  const ownFields = ({ id, token, email }: Order, type = 'sale') => ({
    ...{ type, customer: '41', sale_id: String(id), amount: '100.00', currency: 'USD', token, email },
  })
  const cases: [string, string, (order: Order, isLater: boolean) => object][] = [
    ['a renewal of Lemon Squeezy', 'lemonsqueezy', renewalOr(payment)],
    ['a subscription of Lemon Squeezy', 'lemonsqueezy', renewalOr(subscription)],
    ['an order of Shopify', 'shopify', shopOrder],
    ['an order of WooCommerce', 'woocommerce', wooOrder],
    ['a sale of another system', 'custom', order => ownFields(order)],
    [
      'a customer of another system',
      'custom',
      (order, isLater) => ownFields(order, isLater ? 'customer' : 'sale'),
    ],
  ]
  function renewalOr(later: (order: Order, name: string) => object) {
    return (order: Order, isLater: boolean) =>
      isLater ? later(order, 'subscription_payment_success') : payment(order, 'order_created')
  }

  it.each(cases)('of %s', async (_, name, bodyOf) => {
    const { sign } = providers.find(each => each.name === name) as (typeof providers)[number]
    const billing = await connectBilling(scene, { provider: name, signingSecret: 'secret' })
    const tell = async (order: Order, isLater: boolean) => {
      const text = JSON.stringify(bodyOf(order, isLater))
      const headers = {
        ...{ 'x-shopify-topic': 'orders/paid', 'x-shopify-webhook-id': unique('w') },
        ...{ 'x-wc-webhook-topic': 'order.updated', 'x-wc-webhook-delivery-id': unique('d') },
        ...sign(text, 'secret'),
      }
      const path = `/connect/${name}/${billing.connector.id}`
      expect((await deliver(scene, billing.connector, text, headers, path)).status).toBe(200)
      await work(scene)
    }
    const customer = name === 'custom' ? '41' : `${name}:41`
    const { token, email } = billing.affiliate
    await tell({ id: 1, token }, false)
    expect(await latest(customer)).toEqual(clear[0])
    await tell({ id: 2, email: 'other@example.com' }, true)
    expect(await latest(customer)).toEqual(clear[0])
    await tell({ id: 3, email: email.toUpperCase() }, true)
    expect(await latest(customer)).toEqual(suspected[0])
    // Each event has its outcome, as before.
    expect((await events(scene, billing)).map(({ status }) => status)).not.toContain('failed')
  })

  /** Customers are numbered by the provider, so the cases share one. */
  const latest = async (customer: string) => (await reviewOf(scene, customer)).at(-1)
})

describe('by the API', () => {
  const report = (body: object) => scene.api.post('/ingest/v1/conversions', body)

  it('of a conversion that is reported again', async () => {
    const { campaign, affiliate } = await connectBilling(scene)
    const conversion = { campaign_id: campaign.id, customer_ref: newCustomer(), token: affiliate.token }
    await report(conversion)
    await report({ ...conversion, customer_email: 'other@example.com' })
    expect(await reviewOf(scene, conversion.customer_ref)).toEqual(clear)
    const { status, body } = await report({ ...conversion, customer_email: affiliate.email.toUpperCase() })
    expect([status, body.referral.status]).toEqual([200, 'pending_review'])
    expect(await reviewOf(scene, conversion.customer_ref)).toEqual(suspected)
  })

  it('of a conversion in another campaign', async () => {
    const { campaign, affiliate } = await connectBilling(scene)
    const customer_ref = newCustomer()
    await report({ campaign_id: campaign.id, customer_ref, token: affiliate.token })
    const other = await openCampaign(scene.database, scene.account.id)
    await report({ campaign_id: other.id, customer_ref, customer_email: affiliate.email })
    expect(await reviewOf(scene, customer_ref)).toEqual(suspected)
  })
})

describe('before a person credits the affiliate', () => {
  const tellStripe = async (billing: Billing, customer: string, email: string) => {
    await send(
      scene,
      billing,
      stripe.event('customer.updated', stripe.customer(customer, { email }), stripe.START),
    )
    await work(scene)
  }
  const assign = async (
    route: 'reassignReferral' | 'creditConversion',
    id: number,
    to: { campaign_id: number; affiliate_id: number },
  ) => {
    const admin = await Person.join(scene.app, scene.account.id, 'admin')
    const body = { ...to, dry_run: false, reason: 'Asked for it' }
    const response = await (route === 'reassignReferral'
      ? admin.call(route, { id, body })
      : admin.call(route, { body: { ...body, conversion_id: id } }))
    expect([response.status, response.text]).toEqual([200, expect.anything()])
  }
  const idOf = async (table: 'referrals' | 'conversions', customer: string): Promise<number> => {
    const { rows } = await scene.database.owner.query(
      `SELECT id::integer FROM ${table} WHERE customer_ref = $1`,
      [customer],
    )
    return rows[0].id
  }
  const ways: [string, (billing: Billing, customer: string, email: string) => Promise<unknown>][] = [
    ['by a billing system', tellStripe],
    [
      'by the API',
      ({ campaign }, customer_ref, customer_email) =>
        scene.api.post('/ingest/v1/conversions', { campaign_id: campaign.id, customer_ref, customer_email }),
    ],
  ]

  it.each(ways)('of a referral that is reassigned: %s', async (_, tell) => {
    const billing = await connectBilling(scene)
    const { campaign, affiliate } = billing
    const second = await approvedAffiliate(scene, campaign.id)
    const third = await approvedAffiliate(scene, campaign.id)
    const customer = newCustomer()
    await scene.api.post('/ingest/v1/conversions', {
      campaign_id: campaign.id,
      customer_ref: customer,
      token: affiliate.token,
    })
    await tell(billing, customer, second.email.toUpperCase())
    const id = await idOf('referrals', customer)
    await assign('reassignReferral', id, { campaign_id: campaign.id, affiliate_id: third.id })
    expect(await reviewOf(scene, customer)).toEqual(clear)
    await assign('reassignReferral', id, { campaign_id: campaign.id, affiliate_id: second.id })
    expect(await reviewOf(scene, customer)).toEqual(suspected)
  })

  it.each(ways)('of a conversion that was unattributed: %s', async (_, tell) => {
    const billing = await connectBilling(scene)
    const { campaign, affiliate } = billing
    const customer = newCustomer()
    await scene.api.post('/ingest/v1/conversions', { campaign_id: campaign.id, customer_ref: customer })
    await tell(billing, customer, affiliate.email)
    await assign('creditConversion', await idOf('conversions', customer), {
      campaign_id: campaign.id,
      affiliate_id: affiliate.id,
    })
    expect(await reviewOf(scene, customer)).toEqual(suspected)
  })
})
