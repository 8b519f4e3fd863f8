/** Protects what Lemon Squeezy's events mean, and that only events signed by Lemon Squeezy are read. */
import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { ReadSettings } from '../provider.ts'
import { lemonSqueezyProvider } from './lemonsqueezy.ts'

const settings: ReadSettings = { base: 'net', takesTests: false, mapping: {} }
const at = '2026-01-01T00:00:00.000Z'
const bodyOf = (type: string, attributes: object, custom_data?: object, test_mode = false) => ({
  meta: { event_name: type, test_mode, ...(custom_data && { custom_data }) },
  data: { id: '7', attributes },
})
const read = (body: ReturnType<typeof bodyOf>, overrides: Partial<ReadSettings> = {}) =>
  lemonSqueezyProvider.read(
    { id: '7-x', type: body.meta.event_name, occurredAt: at, body },
    { ...settings, ...overrides },
  )

const paid = (parts: object = {}) => ({
  customer_id: 42,
  user_email: 'a@example.com',
  currency: 'USD',
  subtotal: 10_000,
  discount_total: 0,
  tax: 2_000,
  total: 12_000,
  refunded_amount: 0,
  status: 'paid',
  created_at: '2026-01-01T00:00:01.000000Z',
  ...parts,
})
const sale = {
  kind: 'sale',
  externalId: 'lemonsqueezy:order:7',
  customer: 'lemonsqueezy:42',
  amountMinor: 10_000n,
  paidMinor: 12_000n,
  currency: 'USD',
  occurredAt: '2026-01-01T00:00:01.000Z',
  products: [],
}
const buyer = {
  kind: 'customer',
  customer: 'lemonsqueezy:42',
  email: 'a@example.com',
  occurredAt: '2026-01-01T00:00:01.000Z',
  isTest: false,
}
const customer = { ...buyer, tokens: ['jane'] }
const refund = {
  kind: 'refund',
  source: 'total',
  externalId: 'lemonsqueezy:order:7:refunds',
  sale: { externalId: 'lemonsqueezy:order:7' },
  currency: 'USD',
  occurredAt: at,
}
const coveredBy = (by: string) => ({ ignored: { code: 'reported_by_other', params: { by } } })
const notFinal = (status: string) => ({ ignored: { code: 'not_final', params: { status } } })
const renewal = { billing_reason: 'renewal', subscription_id: 3 }

describe('events', () => {
  it.each<[string, ReturnType<typeof bodyOf>, unknown]>([
    ['an order is a sale without taxes', bodyOf('order_created', paid()), { reports: [buyer, sale] }],
    [
      'custom data names the affiliate',
      bodyOf('order_created', paid(), { via: 'jane' }),
      { reports: [customer, sale] },
    ],
    [
      'a product is kept',
      bodyOf('order_created', paid({ first_order_item: { product_id: 5 } })),
      { reports: [buyer, { ...sale, products: ['5'] }] },
    ],
    [
      'a currency without decimals',
      bodyOf('order_created', paid({ currency: 'JPY', tax: 100, total: 1_100 })),
      { reports: [buyer, { ...sale, amountMinor: 1_000n, paidMinor: 1_100n, currency: 'JPY' }] },
    ],
    ['an unpaid order', bodyOf('order_created', paid({ status: 'pending' })), notFinal('pending')],
    [
      'a free order',
      bodyOf('order_created', paid({ tax: 0, total: 0 })),
      { ignored: { code: 'zero_amount' } },
    ],
    [
      'the customer of a trial',
      bodyOf('order_created', paid({ tax: 0, total: 0 }), { via: 'jane' }),
      { reports: [customer] },
    ],
    [
      'a renewal is a separate sale',
      bodyOf('subscription_payment_success', paid(renewal)),
      {
        reports: [
          { ...buyer, subscription: '3' },
          { ...sale, externalId: 'lemonsqueezy:invoice:7', subscription: '3' },
        ],
      },
    ],
    [
      'the first payment of a subscription is its order',
      bodyOf('subscription_payment_success', paid({ billing_reason: 'initial' })),
      coveredBy('order_created'),
    ],
    [
      'a payment that was recovered has its own event',
      bodyOf('subscription_payment_recovered', paid(renewal)),
      coveredBy('subscription_payment_success'),
    ],
    [
      'a partial refund',
      bodyOf('order_refunded', paid({ status: 'partial_refund', refunded_amount: 3_000 })),
      { reports: [{ ...refund, amountMinor: 3_000n }] },
    ],
    [
      'a refund of taxes alone',
      bodyOf('order_refunded', paid({ status: 'partial_refund', refunded_amount: 2_000 })),
      { ignored: { code: 'tax_only' } },
    ],
    [
      'a refund of taxes and more',
      bodyOf('order_refunded', paid({ status: 'partial_refund', refunded_amount: 2_001 })),
      { reports: [{ ...refund, amountMinor: 2_001n }] },
    ],
    [
      'a full refund',
      bodyOf('order_refunded', paid({ status: 'refunded', refunded_amount: 12_000 })),
      { reports: [{ ...refund, amountMinor: 12_000n }] },
    ],
    [
      'a full refund without an amount',
      bodyOf('order_refunded', { currency: 'USD', status: 'refunded' }),
      { reports: [refund] },
    ],
    [
      'a refund of a renewal',
      bodyOf('subscription_payment_refunded', paid({ ...renewal, refunded_amount: 3_000 })),
      {
        reports: [
          {
            ...refund,
            externalId: 'lemonsqueezy:invoice:7:refunds',
            sale: { externalId: 'lemonsqueezy:invoice:7' },
            amountMinor: 3_000n,
          },
        ],
      },
    ],
    [
      'a refund of the first payment is one of the order',
      bodyOf('subscription_payment_refunded', paid({ billing_reason: 'initial' })),
      coveredBy('order_refunded'),
    ],
    [
      'the state of a subscription',
      bodyOf('subscription_cancelled', { customer_id: 42, status: 'cancelled' }),
      {
        reports: [
          {
            kind: 'subscription',
            customer: 'lemonsqueezy:42',
            subscription: '7',
            status: 'canceled',
            occurredAt: at,
          },
        ],
      },
    ],
    [
      'no customer',
      bodyOf('order_created', paid({ customer_id: null })),
      { ignored: { code: 'incomplete', params: { field: 'customer_id' } } },
    ],
    [
      'another event',
      bodyOf('license_key_created', {}),
      { ignored: { code: 'unknown_type', params: { type: 'license_key_created' } } },
    ],
  ])('%s', (_, body, expected) => {
    expect(read(body)).toEqual(expected)
  })

  it('takes tests only if the connector does, and marks them', () => {
    const body = bodyOf('order_created', paid(), { via: 'jane' }, true)
    expect(read(body)).toEqual({ ignored: { code: 'test_mode' } })
    expect(read(body, { takesTests: true })).toEqual({
      reports: [
        { ...customer, isTest: true },
        { ...sale, isTest: true },
      ],
    })
  })
})

describe('signatures', () => {
  const raw = Buffer.from(JSON.stringify(bodyOf('order_created', { updated_at: at })))
  const sign = (key: string, body = raw) => createHmac('sha256', key).update(body).digest('hex')
  const verify = (signature: string | undefined, body = raw) =>
    lemonSqueezyProvider.verify(
      signature === undefined ? {} : { 'x-signature': signature },
      body,
      'secret',
      0,
      {},
    )

  it('accepts what Lemon Squeezy signed, and names it by its content', () => {
    const first = verify(sign('secret'))
    expect(first).toMatchObject({ event: { type: 'order_created', occurredAt: at } })
    expect(verify(sign('secret'))).toEqual(first)
  })

  it('refuses anything else', () => {
    expect(verify(undefined)).toEqual({ refused: 'signature' })
    expect(verify(sign('other'))).toEqual({ refused: 'signature' })
    expect(verify(sign('secret').slice(1))).toEqual({ refused: 'signature' })
    const empty = Buffer.from('{}')
    expect(verify(sign('secret', empty), empty)).toEqual({ refused: 'malformed' })
  })
})
