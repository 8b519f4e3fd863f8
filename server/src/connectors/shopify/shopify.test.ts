/** Protects what Shopify's webhooks mean, and that only those signed by Shopify are read. */
import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { ReadSettings } from '../provider.ts'
import { shopifyProvider } from './shopify.ts'

const settings: ReadSettings = { base: 'net', takesTests: false, mapping: {} }
const at = '2026-01-05T00:00:00.000Z'
const read = (type: string, body: unknown, overrides: Partial<ReadSettings> = {}) =>
  shopifyProvider.read({ id: 'w1', type, occurredAt: at, body }, { ...settings, ...overrides })

const order = (parts: object = {}) => ({
  id: 450789469,
  email: 'Bob@Example.com',
  currency: 'USD',
  total_price: '120.00',
  total_tax: '20.00',
  financial_status: 'paid',
  test: false,
  customer: { id: 207119551 },
  discount_codes: [],
  note_attributes: [],
  landing_site: '/',
  line_items: [{ product_id: 632910392 }, { product_id: null }],
  created_at: '2026-01-01T00:00:00-05:00',
  processed_at: '2026-01-01T00:00:01-05:00',
  ...parts,
})
const sale = {
  kind: 'sale',
  externalId: 'shopify:450789469',
  customer: 'shopify:207119551',
  amountMinor: 10_000n,
  paidMinor: 12_000n,
  currency: 'USD',
  occurredAt: '2026-01-01T05:00:01.000Z',
  products: ['632910392'],
}
const customer = {
  kind: 'customer',
  customer: 'shopify:207119551',
  email: 'Bob@Example.com',
  occurredAt: '2026-01-01T05:00:00.000Z',
  isTest: false,
}
const ignored = (code: string, params?: object) => ({ ignored: params ? { code, params } : { code } })
const set = (amount: string, currency_code: string) => ({ presentment_money: { amount, currency_code } })

describe('paid orders', () => {
  it.each<[string, object, unknown]>([
    ['are sales without taxes', {}, { reports: [customer, sale] }],
    [
      'name the affiliate by a discount code',
      { discount_codes: [{ code: 'JANE20', amount: '10.00', type: 'percentage' }] },
      { reports: [{ ...customer, couponCodes: ['JANE20'] }, sale] },
    ],
    [
      'by note attributes, which count before the landing page',
      { note_attributes: [{ name: 'via', value: 'jane' }], landing_site: '/?via=joe&click_id=17' },
      { reports: [{ ...customer, tokens: ['jane', 'joe'], clickId: '17' }, sale] },
    ],
    [
      'by the landing page',
      { landing_site: '/products/mug?utm_source=x&via=jane#top' },
      { reports: [{ ...customer, tokens: ['jane'] }, sale] },
    ],
    [
      'of a guest belong to the email address',
      { customer: null },
      {
        reports: [
          { ...customer, customer: 'bob@example.com' },
          { ...sale, customer: 'bob@example.com' },
        ],
      },
    ],
    [
      'count in the currency of the customer',
      { total_price_set: set('110.00', 'EUR'), total_tax_set: set('10.00', 'EUR') },
      { reports: [customer, { ...sale, amountMinor: 10_000n, paidMinor: 11_000n, currency: 'EUR' }] },
    ],
    [
      'have no decimals in yen',
      { currency: 'JPY', total_price: '1100', total_tax: '100.00' },
      { reports: [customer, { ...sale, amountMinor: 1_000n, paidMinor: 1_100n, currency: 'JPY' }] },
    ],
    ['of 0 are ignored', { total_price: '0.00', total_tax: '0.00' }, ignored('zero_amount')],
    ['need a customer', { customer: null, email: '' }, ignored('incomplete', { field: 'customer' })],
    ['need an amount', { total_price: '12,00' }, ignored('incomplete', { field: 'total_price' })],
  ])('%s', (_, parts, expected) => {
    expect(read('orders/paid', order(parts))).toEqual(expected)
  })

  it('are tests only for a connector that takes them', () => {
    const test = order({ test: true, landing_site: '/?via=jane' })
    expect(read('orders/paid', test)).toEqual(ignored('test_mode'))
    expect(read('orders/paid', test, { takesTests: true })).toEqual({
      reports: [
        { ...customer, tokens: ['jane'], isTest: true },
        { ...sale, isTest: true },
      ],
    })
  })
})

const transaction = (parts: object = {}) => ({
  kind: 'refund',
  status: 'success',
  amount: '30.00',
  currency: 'USD',
  ...parts,
})
const refunded = (transactions: object[], parts: object = {}) => ({
  id: 509562969,
  order_id: 450789469,
  created_at: '2026-01-02T00:00:00Z',
  transactions,
  ...parts,
})
const refund = {
  kind: 'refund',
  externalId: 'shopify:450789469:refund:509562969',
  sale: { externalId: 'shopify:450789469' },
  amountMinor: 3_000n,
  currency: 'USD',
  occurredAt: '2026-01-02T00:00:00.000Z',
}

describe('refunds', () => {
  it.each<[string, object, unknown]>([
    ['take back what was refunded', refunded([transaction()]), { reports: [refund] }],
    [
      'add up their transactions',
      refunded([transaction(), transaction({ amount: '0.05', status: 'pending' })]),
      { reports: [{ ...refund, amountMinor: 3_005n }] },
    ],
    [
      'leave out what failed',
      refunded([transaction({ status: 'failure' }), transaction({ kind: 'void' })]),
      ignored('zero_amount'),
    ],
    ['without money change nothing', refunded([]), ignored('zero_amount')],
    [
      'need one currency',
      refunded([transaction(), transaction({ currency: 'EUR' })]),
      ignored('incomplete', { field: 'amount' }),
    ],
    [
      'need an order',
      refunded([transaction()], { order_id: null }),
      ignored('incomplete', { field: 'order_id' }),
    ],
    ['of tests are tests', refunded([transaction({ test: true })]), ignored('test_mode')],
  ])('%s', (_, body, expected) => {
    expect(read('refunds/create', body)).toEqual(expected)
  })
})

describe('refunds with taxes', () => {
  const money = (amount: string, currency_code = 'USD') => ({ presentment_money: { amount, currency_code } })
  const lines = (...taxes: string[]) => ({ refund_line_items: taxes.map(total_tax => ({ total_tax })) })
  const adjusted = (...taxes: string[]) => ({ order_adjustments: taxes.map(tax_amount => ({ tax_amount })) })
  const { amountMinor: _, ...net } = refund
  it.each<[string, object, 'net' | 'gross', unknown]>([
    [
      'take back the part without taxes',
      lines('4.00', '1.00'),
      'net',
      { reports: [{ ...net, netMinor: 2_500n }] },
    ],
    ['take back all if taxes count', lines('5.00'), 'gross', { reports: [refund] }],
    ['of taxes alone take back nothing', lines('30.00'), 'net', ignored('tax_only')],
    ['of taxes alone count if taxes do', lines('30.00'), 'gross', { reports: [refund] }],
    ['of taxes as an adjustment take back nothing', adjusted('-30.00'), 'net', ignored('tax_only')],
    [
      'of shipping take back the part without taxes',
      adjusted('-5.00'),
      'net',
      { reports: [{ ...net, netMinor: 2_500n }] },
    ],
    [
      'of less than the items cost leave out what was kept',
      { ...lines('8.00'), ...adjusted('3.00') },
      'net',
      { reports: [{ ...net, netMinor: 2_500n }] },
    ],
    [
      'are in the currency of the customer',
      { refund_line_items: [{ total_tax: '6.00', total_tax_set: money('5.00') }] },
      'net',
      { reports: [{ ...net, netMinor: 2_500n }] },
    ],
    [
      'are in proportion if their taxes are in another currency',
      { refund_line_items: [{ total_tax: '6.00', total_tax_set: money('5.00', 'EUR') }] },
      'net',
      { reports: [refund] },
    ],
    ['are in proportion if they say nothing of taxes', {}, 'net', { reports: [refund] }],
    ['are in proportion if their taxes make no sense', adjusted('5.00'), 'net', { reports: [refund] }],
  ])('%s (%#)', (_name, parts, base, expected) => {
    expect(read('refunds/create', refunded([transaction()], parts), { base })).toEqual(expected)
  })
})

describe('other topics', () => {
  it('take back all of a cancelled order that was paid', () => {
    expect(read('orders/cancelled', order({ cancelled_at: '2026-01-03T00:00:00Z' }))).toEqual({
      reports: [
        {
          kind: 'refund',
          externalId: 'shopify:450789469:cancelled',
          sale: { externalId: 'shopify:450789469' },
          occurredAt: '2026-01-03T00:00:00.000Z',
        },
      ],
    })
    expect(read('orders/cancelled', order({ financial_status: 'voided' }))).toEqual(
      ignored('not_final', { status: 'voided' }),
    )
  })

  it('are ignored', () => {
    expect(read('orders/create', order())).toEqual(ignored('reported_by_other', { by: 'orders/paid' }))
    expect(read('products/update', {})).toEqual(ignored('unknown_type', { type: 'products/update' }))
  })
})

describe('signatures', () => {
  const raw = Buffer.from(JSON.stringify(order({ updated_at: '2026-01-04T00:00:00Z' })))
  const sign = (key: string) => createHmac('sha256', key).update(raw).digest('base64')
  const verify = (headers: Record<string, string>) => shopifyProvider.verify(headers, raw, 'secret', 0, {})
  const topic = { 'x-shopify-topic': 'orders/paid' }

  it('accepts what Shopify signed, by the ID of the delivery', () => {
    const headers = { ...topic, 'x-shopify-hmac-sha256': sign('secret'), 'x-shopify-event-id': 'e1' }
    expect(verify({ ...headers, 'x-shopify-webhook-id': 'w1' })).toMatchObject({
      event: { id: 'w1', type: 'orders/paid', occurredAt: '2026-01-04T00:00:00.000Z' },
    })
    // One action of the merchant has one event ID for all topics.
    expect(verify(headers)).toMatchObject({ event: { id: 'orders/paid-e1' } })
  })

  it('refuses anything else', () => {
    expect(verify(topic)).toEqual({ refused: 'signature' })
    expect(verify({ ...topic, 'x-shopify-hmac-sha256': sign('other') })).toEqual({ refused: 'signature' })
    expect(verify({ 'x-shopify-hmac-sha256': sign('secret') })).toEqual({ refused: 'malformed' })
  })
})
