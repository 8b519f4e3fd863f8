/** Protects what Stripe's events mean: the table is the documentation. */
import { readFileSync } from 'node:fs'
import { stripeEventTypes } from '@tributary/contract/dashboard/connector-providers'
import type Stripe from 'stripe'
import { describe, expect, it } from 'vitest'
import type { ReadSettings } from '../provider.ts'
import { readStripeEvent } from './read-event.ts'

const net: ReadSettings = { base: 'net', takesTests: false, mapping: {} }
const AT = 1_767_225_600
const read = (type: string, object: object, settings: Partial<ReadSettings> = {}, livemode = true) =>
  readStripeEvent(
    {
      id: 'evt_1',
      object: 'event',
      type,
      created: AT,
      livemode,
      data: { object },
    } as unknown as Stripe.Event,
    { ...net, ...settings },
  )
const invoice = (parts: object = {}) => ({
  id: 'in_1',
  customer: 'cus_1',
  created: AT,
  currency: 'usd',
  livemode: true,
  total: 12_000,
  total_excluding_tax: 10_000,
  amount_paid: 12_000,
  status_transitions: { paid_at: AT },
  discounts: [],
  metadata: {},
  lines: { data: [] },
  ...parts,
})
const sale = (type: string, object: object, settings?: Partial<ReadSettings>) => {
  const reading = read(type, object, settings)
  return 'reports' in reading ? reading.reports.find(({ kind }) => kind === 'sale') : reading
}

it.each([true, false])('an object without a mode has that of its event: live is %s', isLive => {
  const { livemode: _, ...rest } = invoice()
  const reading = read('invoice.paid', rest, { takesTests: true }, isLive)
  const reports = 'reports' in reading ? reading.reports : []
  const tests = reports.map(report => report.kind === 'sale' && (report.isTest ?? false))
  expect(tests).toEqual([!isLive])
})

describe('the base of an invoice', () => {
  it.each([
    ['is what was paid without taxes', {}, {}, 10_000n, 12_000n],
    ['is gross if set so', {}, { base: 'gross' as const }, 12_000n, 12_000n],
    [
      "is only what was received: the customer's credit paid the rest",
      { amount_paid: 6000 },
      {},
      5000n,
      6000n,
    ],
    ['is no more than the total if more was paid', { amount_paid: 20_000 }, {}, 10_000n, 12_000n],
    [
      'is found in the fields of older API versions',
      { total_excluding_tax: undefined, tax: 2000 },
      {},
      10_000n,
      12_000n,
    ],
    ['is in minor units of ISO 4217, also where Stripe has others', { currency: 'isk' }, {}, 100n, 120n],
    [
      'is in minor units of ISO 4217, also where Stripe has none',
      { currency: 'mga' },
      {},
      1_000_000n,
      1_200_000n,
    ],
    ['has no decimals in yen', { currency: 'jpy' }, {}, 10_000n, 12_000n],
  ])('%s', (_, parts, settings, amountMinor, paidMinor) => {
    expect(sale('invoice.paid', invoice(parts), settings)).toMatchObject({ amountMinor, paidMinor })
  })

  it.each([
    ['0', { total: 0, total_excluding_tax: 0, amount_paid: 0 }],
    ['negative, as after a downgrade', { total: -500, total_excluding_tax: -500, amount_paid: 0 }],
    ['covered by credit', { amount_paid: 0 }],
  ])('an invoice that is %s is no sale', (_, parts) => {
    expect(read('invoice.paid', invoice(parts))).toEqual({ ignored: { code: 'zero_amount' } })
  })
})

it('keeps the products and payments of an invoice', () => {
  const lines = {
    data: [{ pricing: { price_details: { product: 'prod_1' } } }, { price: { product: 'prod_2' } }],
  }
  const payments = { data: [{ payment: { type: 'payment_intent', payment_intent: 'pi_1' } }] }
  expect(sale('invoice.paid', invoice({ lines, payments, charge: 'ch_1' }))).toMatchObject({
    products: ['prod_1', 'prod_2'],
    payments: ['pi_1', 'ch_1'],
  })
})

describe('a Checkout', () => {
  const session = (parts: object) => ({
    id: 'cs_1',
    created: AT,
    livemode: true,
    currency: 'usd',
    mode: 'payment',
    payment_status: 'paid',
    payment_intent: 'pi_1',
    customer: 'cus_1',
    amount_total: 6000,
    total_details: { amount_tax: 1000 },
    ...parts,
  })
  it.each([
    [
      'that is not paid yet',
      { payment_status: 'unpaid' },
      { code: 'not_final', params: { status: 'unpaid' } },
    ],
    ['with an invoice', { invoice: 'in_1' }, { code: 'reported_by_other', params: { by: 'invoice.paid' } }],
    ['of a subscription', { mode: 'subscription' }, { code: 'no_evidence' }],
    ['for nothing', { amount_total: 0 }, { code: 'zero_amount' }],
  ])('%s reports no sale', (_, parts, ignored) => {
    expect(read('checkout.session.completed', session(parts))).toEqual({ ignored })
  })
  it.each([
    ['digits may be a click', '42', {}, { maybeClickId: '42' }],
    ['digits are no click beside one', '42', { click_id: '7' }, { clickId: '7', maybeClickId: '42' }],
    ['what the tracker writes is a click', 'tributary_42', {}, { clickId: '42' }],
    ['metadata names another click', 'tributary_42', { click_id: '7' }, { clickId: '7' }],
    [
      'a click is given beside a token, as at Paddle',
      'tributary_42',
      { via: 'anna' },
      { clickId: '42', tokens: ['anna'] },
    ],
    ['with more than digits it may be a token', 'tributary_42x', {}, { tokens: ['tributary_42x'] }],
    ['anything else may be a token', 'anna', {}, { tokens: ['anna'] }],
    [
      'metadata comes first',
      'user_42',
      { via: 'anna', ref: 'PO-1' },
      { tokens: ['anna', 'PO-1', 'user_42'] },
    ],
  ])('client_reference_id: %s', (_, client_reference_id, metadata, evidence) => {
    const completed = session({ client_reference_id, metadata })
    expect(read('checkout.session.async_payment_succeeded', completed)).toMatchObject({
      reports: [
        { kind: 'customer', customer: 'cus_1', ...evidence },
        {
          kind: 'sale',
          externalId: 'stripe:cs_1',
          payments: ['pi_1'],
          amountMinor: 5000n,
          paidMinor: 6000n,
        },
      ],
    })
  })
  it('of a guest is known by the email address', () => {
    const guest = session({ customer: null, customer_details: { email: 'a@example.com' } })
    expect(sale('checkout.session.completed', guest)).toMatchObject({ customer: 'a@example.com' })
  })
})

it('tries every name of an invoice and its subscription, those of the invoice first', () => {
  const parent = { subscription_details: { metadata: { via: 'anna', coupon_code: 'ANNA10' } } }
  const paid = invoice({ metadata: { ref: 'PO-1', coupon_code: 'SPRING' }, parent })
  expect(read('invoice.paid', paid)).toMatchObject({
    reports: [{ tokens: ['PO-1', 'anna'], couponCodes: ['SPRING', 'ANNA10'] }, { kind: 'sale' }],
  })
})

describe('a charge that was authorised first', () => {
  const charge = (parts: object) => ({
    id: 'ch_1',
    customer: 'cus_1',
    created: AT,
    currency: 'usd',
    livemode: true,
    status: 'succeeded',
    paid: true,
    captured: true,
    amount: 10_000,
    amount_captured: 6000,
    amount_refunded: 0,
    metadata: {},
    ...parts,
  })
  it.each([
    ['not captured yet', { captured: false, amount_captured: 0 }, undefined],
    ['captured in part', {}, 6000n],
    ['captured in part where Stripe refunds the rest', { amount_refunded: 4000 }, 10_000n],
    ['captured in full', { amount_captured: 10_000 }, 10_000n],
    ['captured beyond what was authorised', { amount_captured: 11_000 }, 11_000n],
  ])('%s', (_, parts, amountMinor) => {
    const reported = sale('charge.captured', charge(parts))
    if (amountMinor === undefined) expect(reported).toMatchObject({ ignored: { code: 'not_final' } })
    else expect(reported).toMatchObject({ amountMinor })
  })
})

it('takes events of test mode only if set so, as tests', () => {
  const paid = invoice({ livemode: false, metadata: { via: 'anna' } })
  expect(read('invoice.paid', paid, {}, false)).toEqual({ ignored: { code: 'test_mode' } })
  expect(read('invoice.paid', paid, { takesTests: true }, false)).toMatchObject({
    reports: [{ kind: 'customer', isTest: true }, { kind: 'sale' }],
  })
  const discount = { customer: 'cus_1', start: AT, promotion_code: 'promo_1' }
  expect(read('customer.discount.created', discount, { takesTests: true }, false)).toMatchObject({
    reports: [{ kind: 'customer', isTest: true }],
  })
})

it.each([
  ['active', null, 'active'],
  ['unpaid', null, 'past_due'],
  ['incomplete_expired', null, 'canceled'],
  ['active', { behavior: 'void' }, 'paused'],
  ['canceled', { behavior: 'void' }, 'canceled'],
])(
  'a subscription that is %s, with its collection paused by %j, is shown as %s',
  (status, pause_collection, shown) => {
    const parts = { id: 'sub_1', customer: 'cus_1', created: AT, metadata: {}, discounts: [] }
    const subscription = { ...parts, status, pause_collection }
    expect(read('customer.subscription.updated', subscription)).toMatchObject({
      reports: [{ kind: 'subscription', status: shown }],
    })
  },
)

describe('the events to select at Stripe', () => {
  it.each(stripeEventTypes)('%s is in the guide', type => {
    const guide = readFileSync(new URL('../../../../docs/billing.md', import.meta.url), 'utf8')
    expect(guide).toContain(`\`${type}\``)
  })
})
