/** Protects what WooCommerce's webhooks mean, and that only those signed by the shop are read. */
import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { ReadSettings } from '../provider.ts'
import { wooCommerceProvider } from './woocommerce.ts'

const settings: ReadSettings = { base: 'net', takesTests: false, mapping: {} }
const at = '2026-01-05T00:00:00.000Z'
const read = (body: unknown, type = 'order.updated', overrides: Partial<ReadSettings> = {}) =>
  wooCommerceProvider.read({ id: 'd1', type, occurredAt: at, body }, { ...settings, ...overrides })

const order = (parts: object = {}) => ({
  id: 727,
  status: 'processing',
  currency: 'USD',
  total: '120.00',
  total_tax: '20.00',
  customer_id: 4,
  billing: { email: 'Bob@Example.com' },
  coupon_lines: [],
  meta_data: [],
  refunds: [],
  line_items: [{ product_id: 93 }],
  date_created_gmt: '2026-01-01T00:00:00',
  date_paid_gmt: '2026-01-01T00:00:08',
  ...parts,
})
const sale = {
  kind: 'sale',
  externalId: 'woocommerce:727',
  customer: 'woocommerce:4',
  amountMinor: 10_000n,
  paidMinor: 12_000n,
  currency: 'USD',
  occurredAt: '2026-01-01T00:00:08.000Z',
  products: ['93'],
}
const customer = {
  kind: 'customer',
  customer: 'woocommerce:4',
  email: 'Bob@Example.com',
  occurredAt: '2026-01-01T00:00:00.000Z',
  isTest: false,
}
const refund = (id: number, amountMinor: bigint, currency = 'USD') => ({
  kind: 'refund',
  externalId: `woocommerce:727:refund:${id}`,
  sale: { externalId: 'woocommerce:727' },
  amountMinor,
  currency,
  occurredAt: at,
})
const ofNet = (id: number, netMinor: bigint) => {
  const { amountMinor: _, ...rest } = refund(id, 0n)
  return { ...rest, netMinor }
}
const whole = (name: string) => ({
  kind: 'refund',
  externalId: `woocommerce:727:${name}`,
  sale: { externalId: 'woocommerce:727' },
  occurredAt: at,
})
const ignored = (code: string, params?: object) => ({ ignored: params ? { code, params } : { code } })
const entry = (url: string) => ({ key: '_wc_order_attribution_session_entry', value: url })

describe('orders', () => {
  it.each<[string, object, unknown]>([
    ['are sales without taxes', {}, { reports: [customer, sale] }],
    [
      'name the affiliate by a coupon',
      { coupon_lines: [{ code: 'jane20' }] },
      { reports: [{ ...customer, couponCodes: ['jane20'] }, sale] },
    ],
    [
      'by a hidden field',
      {
        meta_data: [
          { key: '_tributary_click_id', value: '17' },
          { key: '_other', value: { a: 1 } },
        ],
      },
      { reports: [{ ...customer, clickId: '17' }, sale] },
    ],
    [
      'by the first page of the visit',
      { meta_data: [entry('https://shop.example/?via=jane')] },
      { reports: [{ ...customer, tokens: ['jane'] }, sale] },
    ],
    [
      'of a guest belong to the email address',
      { customer_id: 0 },
      {
        reports: [
          { ...customer, customer: 'bob@example.com' },
          { ...sale, customer: 'bob@example.com' },
        ],
      },
    ],
    ['wait until they are paid', { status: 'on-hold', date_paid_gmt: null }, notFinal('on-hold')],
    [
      'list their refunds',
      {
        refunds: [
          { id: 1, total: '-30.00' },
          { id: 2, total: '-0.05' },
        ],
      },
      { reports: [customer, sale, refund(1, 3_000n), refund(2, 5n)] },
    ],
    [
      'leave out a refund of taxes alone, and take the others of what is left',
      {
        refunds: [
          { id: 1, total: '-20.00' },
          { id: 2, total: '-50.00' },
        ],
      },
      { reports: [customer, sale, ofNet(2, 5_000n)] },
    ],
    [
      'that are refunded in full with the taxes apart take back all',
      {
        refunds: [
          { id: 1, total: '-50.00' },
          { id: 2, total: '-20.00' },
          { id: 3, total: '-50.00' },
        ],
      },
      { reports: [customer, sale, ofNet(1, 5_000n), ofNet(3, 5_000n), whole('refunded')] },
    ],
    [
      'that are cancelled take back all',
      { status: 'cancelled' },
      {
        reports: [customer, sale, whole('cancelled')],
      },
    ],
    [
      'have no decimals in yen',
      { currency: 'JPY', total: '1100', total_tax: '100', refunds: [{ id: 1, total: '-300' }] },
      {
        reports: [
          customer,
          { ...sale, amountMinor: 1_000n, paidMinor: 1_100n, currency: 'JPY' },
          refund(1, 300n, 'JPY'),
        ],
      },
    ],
    ['of 0 are ignored', { total: '0.00', total_tax: '0.00' }, ignored('zero_amount')],
    ['need a customer', { customer_id: 0, billing: {} }, ignored('incomplete', { field: 'customer' })],
    ['need a currency', { currency: '' }, ignored('incomplete', { field: 'currency' })],
    ['need an amount', { total: 'free' }, ignored('incomplete', { field: 'total' })],
  ])('%s', (_, parts, expected) => {
    expect(read(order(parts))).toEqual(expected)
  })

  it('take back the taxes too if these count', () => {
    const body = order({ refunds: [{ id: 1, total: '-20.00' }] })
    expect(read(body, 'order.updated', { base: 'gross' })).toEqual({
      reports: [customer, { ...sale, amountMinor: 12_000n }, refund(1, 2_000n)],
    })
  })

  it('are tests in a shop under test', () => {
    const body = order({ coupon_lines: [{ code: 'jane20' }] })
    expect(read(body, 'order.created', { takesTests: true })).toEqual({
      reports: [
        { ...customer, couponCodes: ['jane20'], isTest: true },
        { ...sale, isTest: true },
      ],
    })
  })

  it('are the only topic', () => {
    expect(read({}, 'product.updated')).toEqual(ignored('unknown_type', { type: 'product.updated' }))
  })
})

function notFinal(status: string) {
  return ignored('not_final', { status })
}

describe('signatures', () => {
  const raw = Buffer.from(JSON.stringify(order({ date_modified_gmt: '2026-01-04T00:00:00' })))
  const sign = (key: string, body = raw) => createHmac('sha256', key).update(body).digest('base64')
  const topic = { 'x-wc-webhook-topic': 'order.updated' }
  const verify = (headers: Record<string, string>, body = raw) =>
    wooCommerceProvider.verify(headers, body, 'secret', 0, {})

  it('accepts what the shop signed', () => {
    const headers = { ...topic, 'x-wc-webhook-signature': sign('secret'), 'x-wc-webhook-delivery-id': 'd1' }
    expect(verify(headers)).toMatchObject({
      event: { type: 'order.updated', occurredAt: '2026-01-04T00:00:00.000Z' },
    })
  })

  it('distinguishes deliveries of one second, and knows a repeated one', () => {
    const idOf = (body: typeof raw, delivery: string) => {
      const signature = { 'x-wc-webhook-signature': sign('secret', body) }
      const verified = verify({ ...topic, ...signature, 'x-wc-webhook-delivery-id': delivery }, body)
      return 'event' in verified ? verified.event.id : undefined
    }
    const other = Buffer.from(JSON.stringify(order({ id: 728 })))
    expect(idOf(raw, 'd1')).not.toBe(idOf(other, 'd1'))
    expect(idOf(raw, 'd1')).toBe(idOf(raw, 'd2'))
  })

  it('answers the question whether the address exists', () => {
    expect(verify({}, Buffer.from('webhook_id=5'))).toEqual({ isPing: true })
  })

  it('refuses anything else', () => {
    expect(verify(topic)).toEqual({ refused: 'signature' })
    expect(verify({ ...topic, 'x-wc-webhook-signature': sign('other') })).toEqual({ refused: 'signature' })
    expect(verify({ 'x-wc-webhook-signature': sign('secret') })).toEqual({ refused: 'malformed' })
    expect(verify(topic, Buffer.from('webhook_id=5&x=1'))).toEqual({ refused: 'signature' })
  })
})
