/** Protects users who write a mapping: a trial says what an event would report, or which path finds nothing and where it ends. */
import type { ConnectorMapping } from '@tributary/contract/dashboard'
import { LONGEST_SAMPLE } from '@tributary/contract/dashboard/connector-providers'
import { describe, expect, it } from 'vitest'
import { mappingProblem } from './mapping.ts'
import { presentMapping, storedMapping } from './mapping-form.ts'
import { tryMapping } from './try-mapping.ts'

const mapping: ConnectorMapping = {
  fields: [
    { field: 'event_id', path: 'id' },
    { field: 'type', path: 'event' },
    { field: 'occurred_at', path: 'at' },
    { field: 'customer', path: 'order.customer.id' },
    { field: 'token', path: 'order.tags[0]' },
    { field: 'sale_id', path: 'order.number' },
    { field: 'amount', path: 'order.net' },
    { field: 'currency', path: 'order.currency' },
    { field: 'refund_id', path: 'refund.id' },
    { field: 'refund_amount', path: 'refund.amount' },
    { field: 'is_test', path: 'sandbox' },
  ],
  events: [
    { type: 'order.paid', kind: 'sale' },
    { type: 'order.refunded', kind: 'refund' },
    { type: 'refund.failed', kind: 'refund_reversed' },
  ],
  amounts: 'decimal',
  signature_header: 'X-Signature',
}
const order = { number: 5, customer: { id: 'c1' }, net: '100.00', currency: 'eur', tags: ['jane'] }
const sample = (parts: object = {}) =>
  JSON.stringify({ id: 'e1', event: 'order.paid', at: '2026-01-02', order, sandbox: false, ...parts })
const now = Date.parse('2026-03-01T00:00:00Z')
const attempt = (text: string, draft = mapping, takesTests = false, name: string | null = null) =>
  tryMapping(draft, text, { base: 'net', takesTests, name }, now)
const pathOf = (field: string, path: string): ConnectorMapping => ({
  ...mapping,
  fields: mapping.fields.map(mapped => (mapped.field === field ? { ...mapped, path } : mapped)),
})
const fieldOf = (field: string, trial: ReturnType<typeof attempt>) =>
  trial.fields.find(tried => tried.field === field)

it('shows what an event would report', () => {
  const trial = attempt(sample())
  expect(trial).toMatchObject({ problem: null, ignored: null })
  expect(trial.event).toEqual({ id: 'e1', type: 'order.paid', occurred_at: '2026-01-02T00:00:00.000Z' })
  expect(trial.reports).toMatchObject([
    { kind: 'customer', customer: 'c1', token: 'jane', is_test: false },
    { kind: 'sale', external_id: 'custom:5', customer: 'c1', amount_minor: 10_000, currency: 'EUR' },
  ])
  expect(fieldOf('token', trial)).toEqual({ field: 'token', value: 'jane', problem: null })
  expect(fieldOf('is_test', trial)).toEqual({ field: 'is_test', value: 'false', problem: null })
})

it('shows refunds, whole and in part, and their reversal', () => {
  const refunded = (refund: object, event = 'order.refunded') => attempt(sample({ event, refund })).reports
  const refund = { kind: 'refund', external_id: 'custom:r1', sale_external_id: 'custom:5' }
  expect(refunded({ id: 'r1' })).toMatchObject([{ ...refund, amount_minor: null, currency: null }])
  expect(refunded({ id: 'r1', amount: 30 })).toMatchObject([
    { ...refund, amount_minor: 3000, currency: 'EUR' },
  ])
  const trial = JSON.parse(sample({ event: 'order.refunded', refund: { id: 'r1', amount: 30 } }))
  const { currency: _, ...order } = trial.order
  expect(attempt(JSON.stringify({ ...trial, order })).reports).toMatchObject([
    { ...refund, amount_minor: null, currency: null, amount_in_sale_currency: '30' },
  ])
  expect(refunded({ id: 'r1' }, 'refund.failed')).toMatchObject([
    { kind: 'refund_reversed', external_id: 'custom:r1' },
  ])
})

it.each([
  ['an unknown type', sample({ event: 'other' }), 'Events of type other are not needed'],
  ['a test', sample({ sandbox: true }), 'Test mode'],
  ['no amount', sample({ order: { ...order, net: 'much' } }), 'The event has no usable amount'],
])('says why it ignores %s', (_, text, ignored) => {
  expect(attempt(text)).toMatchObject({ reports: [], ignored })
})

it('takes tests where the connector does', () => {
  expect(attempt(sample({ sandbox: true }), mapping, true).reports.map(report => report.is_test)).toEqual([
    true,
    true,
  ])
})

describe('a path that finds nothing says where it ends', () => {
  it.each([
    ['buyer.id', 'the sample has no buyer'],
    ['order.buyer.id', 'order has no buyer'],
    ['order.net.value', 'order.net is a string, not an object'],
    ['order[0]', 'order is an object, not a list'],
    ['order.tags[3]', 'order.tags has no [3]'],
    ['order.tags.name', 'order.tags is a list, not an object'],
    ['order.customer', 'order.customer is an object, not text or a number'],
    ['order.toString', 'order has no toString'],
    ['order..id', 'is not a path such as data.order.items[0].id'],
  ])('%s', (path, problem) => {
    expect(fieldOf('customer', attempt(sample(), pathOf('customer', path)))).toEqual({
      field: 'customer',
      value: null,
      problem,
    })
  })
})

it.each([
  ['a sample that is no JSON', '{', mapping, 'The sample is not a JSON object.'],
  ['a list', '[]', mapping, 'The sample is not a JSON object.'],
  ['deep nesting', `{"a":${'['.repeat(40)}`, mapping, 'a is nested deeper than 32 levels'],
  ['no type', '{}', mapping, 'The event has no type at the path of "type".'],
  ['no events', sample(), { ...mapping, events: [] }, 'The mapping needs "events"'],
  [
    'a field twice',
    sample(),
    { ...mapping, fields: [...mapping.fields, ...mapping.fields] },
    'event_id twice',
  ],
  ['an event twice', sample(), { ...mapping, events: [...mapping.events, ...mapping.events] }, 'paid twice'],
])('%s is a problem of the whole', (_, text, draft, problem) => {
  const trial = attempt(text, draft)
  expect(trial).toMatchObject({ event: null, reports: [], ignored: null })
  expect(trial.problem).toContain(problem)
})

it('a large sample is read as a whole, and values are shortened', () => {
  const trial = attempt(sample({ order: { ...order, customer: { id: 'x'.repeat(LONGEST_SAMPLE / 2) } } }))
  expect(fieldOf('customer', trial)?.value).toHaveLength(200)
})

it('is stored and shown without loss; without a mapping, fields have their own names', () => {
  const stored = storedMapping(mapping)
  expect(mappingProblem(stored)).toBeUndefined()
  expect(presentMapping(stored)).toEqual({ ...mapping, signature_header: 'x-signature' })
  const plain = presentMapping({})
  expect(plain.fields).toContainEqual({ field: 'sale_id', path: 'sale_id' })
  expect(mappingProblem(storedMapping(plain))).toBeUndefined()
})
