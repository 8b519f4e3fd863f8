/** Protects the mapping of any other system: what it can say, what is wrong with it, and that only signed bodies are read. */
import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { ReadSettings } from '../provider.ts'
import { customProvider } from './custom.ts'
import { mappingProblem } from './mapping.ts'

const mapping = {
  event_id: 'id',
  type: 'event',
  occurred_at: 'at',
  customer: 'order.customer.id',
  email: 'order.customer.email',
  token: 'order.tags[0]',
  click_id: 'order.click',
  coupon_code: 'order.coupon',
  sale_id: 'order.number',
  amount: 'order.net',
  paid: 'order.total',
  currency: 'order.currency',
  refund_id: 'refund.id',
  refund_amount: 'refund.amount',
  is_test: 'sandbox',
  events: {
    signup: 'customer',
    'order.paid': 'sale',
    'order.refunded': 'refund',
    'refund.failed': 'refund_reversed',
  },
}
const at = '2026-01-01T00:00:00.000Z'
const settings: ReadSettings = { base: 'net', takesTests: false, mapping }
const read = (type: string, body: object, overrides: Partial<ReadSettings> = {}) =>
  customProvider.read({ id: '1', type, occurredAt: at, body }, { ...settings, ...overrides })

const order = (parts: object = {}) => ({
  order: { number: 5, customer: { id: 'c1' }, net: '100.00', total: 120, currency: 'eur', ...parts },
})
const sale = {
  kind: 'sale',
  externalId: 'custom:5',
  customer: 'c1',
  amountMinor: 10_000n,
  paidMinor: 12_000n,
  currency: 'EUR',
  occurredAt: at,
}
const customer = { kind: 'customer', customer: 'c1', occurredAt: at, isTest: false }
const refund = {
  kind: 'refund',
  externalId: 'custom:r1',
  sale: { externalId: 'custom:5' },
  occurredAt: at,
}
const ignored = (code: string, params?: object) => ({ ignored: params ? { code, params } : { code } })

describe('events', () => {
  it.each<[string, string, object, unknown]>([
    ['a sale', 'order.paid', order(), { reports: [sale] }],
    [
      'a sale by an affiliate',
      'order.paid',
      order({ tags: ['jane'], coupon: 'JANE20', click: 17 }),
      { reports: [{ ...customer, tokens: ['jane'], clickId: '17', couponCodes: ['JANE20'] }, sale] },
    ],
    [
      'a number with decimals',
      'order.paid',
      order({ net: 19.99, total: undefined }),
      { reports: [{ ...saleWithout('paidMinor'), amountMinor: 1_999n }] },
    ],
    ['a customer', 'signup', order({ tags: ['jane'] }), { reports: [{ ...customer, tokens: ['jane'] }] }],
    ['a customer by no one', 'signup', order(), ignored('no_evidence')],
    ['nothing of 0', 'order.paid', order({ net: '0' }), ignored('zero_amount')],
    ['a negative amount', 'order.paid', order({ net: '-5' }), ignored('incomplete', { field: 'amount' })],
    ['no currency', 'order.paid', order({ currency: '' }), ignored('incomplete', { field: 'currency' })],
    ['no customer', 'order.paid', order({ customer: {} }), ignored('incomplete', { field: 'customer' })],
    [
      'a partial refund',
      'order.refunded',
      { ...order(), refund: { id: 'r1', amount: '30' } },
      { reports: [{ ...refund, amountMinor: 3_000n, currency: 'EUR' }] },
    ],
    [
      'a partial refund in the currency of its sale',
      'order.refunded',
      { ...order({ currency: undefined }), refund: { id: 'r1', amount: '30.5' } },
      { reports: [{ ...refund, amountDecimal: '30.5' }] },
    ],
    [
      'a partial refund in no currency',
      'order.refunded',
      { ...order({ currency: 'points' }), refund: { id: 'r1', amount: '30' } },
      ignored('incomplete', { field: 'currency' }),
    ],
    [
      'a refund that cannot be read, without a currency',
      'order.refunded',
      { ...order({ currency: undefined }), refund: { id: 'r1', amount: 'all' } },
      ignored('incomplete', { field: 'refund_amount' }),
    ],
    ['a full refund', 'order.refunded', { ...order(), refund: { id: 'r1' } }, { reports: [refund] }],
    [
      'a refund that cannot be read',
      'order.refunded',
      { ...order(), refund: { id: 'r1', amount: 'all' } },
      ignored('incomplete', { field: 'refund_amount' }),
    ],
    [
      'a refund that failed',
      'refund.failed',
      { refund: { id: 'r1' } },
      { reports: [{ kind: 'refund_reversed', refundExternalId: 'custom:r1', occurredAt: at }] },
    ],
    ['another event', 'toString', order(), ignored('unknown_type', { type: 'toString' })],
    ['a test', 'order.paid', { ...order(), sandbox: true }, ignored('test_mode')],
  ])('%s', (_, type, body, expected) => {
    expect(read(type, body)).toEqual(expected)
  })

  it('takes minor units and tests if told', () => {
    const partial = { ...order({ currency: undefined }), refund: { id: 'r1', amount: 3000 } }
    const inMinor = { mapping: { ...mapping, amounts: 'minor' } }
    expect(read('order.refunded', partial, inMinor)).toEqual({
      reports: [{ ...refund, amountMinor: 3_000n }],
    })
    const body = { ...order({ net: 10_000, total: 12_000, tags: ['jane'] }), sandbox: true }
    const changed = { takesTests: true, mapping: { ...mapping, amounts: 'minor' } }
    expect(read('order.paid', body, changed)).toEqual({
      reports: [
        { ...customer, tokens: ['jane'], isTest: true },
        { ...sale, isTest: true },
      ],
    })
  })
})

function saleWithout(field: 'paidMinor') {
  const { [field]: _, ...rest } = sale
  return rest
}

describe('mappings', () => {
  it('are not needed if the fields have our names', () => {
    expect(mappingProblem({})).toBeUndefined()
    const body = {
      customer: 'c1',
      token: 'jane',
      sale_id: 5,
      amount: '100.00',
      paid: '120.00',
      currency: 'EUR',
    }
    expect(read('sale', body, { mapping: {} })).toEqual({
      reports: [{ ...customer, tokens: ['jane'] }, sale],
    })
  })

  it.each<[object, string | undefined]>([
    [{}, undefined],
    [{ amounts: 'minor', signature_header: 'X-Hub-Signature-256' }, undefined],
    [{ amount: 'order..net' }, 'needs a path such as data.order.items[0].id for "amount"'],
    [{ amount: 5 }, 'needs a path such as data.order.items[0].id for "amount"'],
    [{ price: 'x' }, 'has an unknown field price'],
    [{ type: undefined }, 'needs "type": where the type of an event is'],
    [{ events: {} }, 'needs "events": the types of events and what each reports'],
    [
      { events: { paid: 'sold' } },
      'has an event paid that is none of customer, sale, refund, refund_reversed',
    ],
    [{ currency: undefined }, 'needs "currency" for events of kind sale'],
    [{ amounts: 'cents' }, 'has "amounts" that are neither decimal nor minor'],
    [{ signature_header: 'a b' }, 'has a "signature_header" that is not the name of a header'],
  ])('%j', (parts, problem) => {
    expect(mappingProblem(JSON.parse(JSON.stringify({ ...mapping, ...parts })))).toBe(problem)
  })
})

describe('signatures', () => {
  const raw = Buffer.from(JSON.stringify({ id: 9, event: 'order.paid', at: '2026-01-01T00:00:00Z' }))
  const sign = (key: string, body = raw) => createHmac('sha256', key).update(body).digest('hex')
  const verify = (headers: Record<string, string>, changed: object = {}, body = raw) =>
    customProvider.verify(headers, body, 'secret', 0, { ...mapping, ...changed })
  const event = { id: '9', type: 'order.paid', occurredAt: at }

  it('accepts what was signed, in the header of the mapping', () => {
    expect(verify({ 'tributary-signature': sign('secret') })).toMatchObject({ event })
    expect(
      verify(
        { 'x-hub-signature-256': `sha256=${sign('secret')}` },
        { signature_header: 'X-Hub-Signature-256' },
      ),
    ).toMatchObject({ event })
  })

  it('refuses anything else', () => {
    expect(verify({})).toEqual({ refused: 'signature' })
    expect(verify({ 'tributary-signature': sign('other') })).toEqual({ refused: 'signature' })
    const list = Buffer.from('[]')
    expect(verify({ 'tributary-signature': sign('secret', list) }, {}, list)).toEqual({
      refused: 'malformed',
    })
  })
})
