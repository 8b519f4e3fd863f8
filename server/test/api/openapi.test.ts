/** Protects the description of the interface: it is complete, closed, and says what the service does. */
import { beforeAll, describe, expect, it } from 'vitest'
import { requestHeaders } from '../../src/webhooks/delivery/request-headers.ts'
import { useScene } from '../harness.ts'

const scene = useScene()
// biome-ignore lint/suspicious/noExplicitAny: a document is read freely, and a test fails where something is not there.
type Json = any
let document: Json

beforeAll(async () => {
  const response = await fetch(`${scene.app.url}/openapi.json`)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toMatch(/^application\/json/)
  document = (await response.json()) as Json
})

/** Every object of the document, with the path that leads to it. */
function* objects(value: unknown, at = '#'): Generator<[string, Record<string, unknown>]> {
  if (Array.isArray(value))
    for (const [index, item] of value.entries()) yield* objects(item, `${at}/${index}`)
  else if (typeof value === 'object' && value !== null) {
    yield [at, value as Record<string, unknown>]
    for (const [key, item] of Object.entries(value)) yield* objects(item, `${at}/${key}`)
  }
}

const operations = () =>
  Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Json>(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      method,
      path,
      operation,
    })),
  )

it('is OpenAPI 3.1 and names the service', () => {
  expect(document.openapi).toMatch(/^3\.1\.\d+$/)
  expect(document).toMatchObject({ info: { version: '1' }, servers: [{ url: 'https://programme.example' }] })
})

it('holds exactly the 17 operations of the interface under /api/v1', () => {
  expect(
    operations()
      .map(({ name }) => name)
      .filter(name => name.includes(' /api/v1/'))
      .toSorted(),
  ).toEqual(
    [
      'GET /api/v1/affiliates',
      'POST /api/v1/affiliates',
      'GET /api/v1/affiliates/{id}',
      'PATCH /api/v1/affiliates/{id}',
      'POST /api/v1/affiliates/{id}/magic_link',
      'GET /api/v1/campaigns',
      'GET /api/v1/campaigns/{id}',
      'GET /api/v1/referrals',
      'GET /api/v1/referrals/{id}',
      'GET /api/v1/commissions',
      'GET /api/v1/commissions/{id}',
      'PATCH /api/v1/commissions/{id}',
      'GET /api/v1/payouts',
      'GET /api/v1/payouts/{id}',
      'GET /api/v1/webhook_endpoints',
      'POST /api/v1/webhook_endpoints',
      'DELETE /api/v1/webhook_endpoints/{id}',
    ].toSorted(),
  )
})

it('closes every object', () => {
  const schemas = [...objects(document)].filter(
    ([, { type, properties }]) =>
      type === 'object' ||
      (Array.isArray(type) && type.includes('object')) ||
      (properties !== undefined && type !== undefined),
  )
  expect(schemas.length).toBeGreaterThan(15)
  for (const [at, schema] of schemas) expect([at, schema.additionalProperties]).toEqual([at, false])
})

it('resolves every reference', () => {
  const references = [...objects(document)].filter(([, { $ref }]) => $ref !== undefined)
  expect(references.length).toBeGreaterThan(20)
  for (const [at, { $ref }] of references) {
    const found = String($ref)
      .slice(2)
      .split('/')
      .reduce<Json | undefined>((value, key) => value?.[key], document)
    expect([at, typeof found]).toEqual([at, 'object'])
  }
})

it('declares on every operation what can go wrong with it', () => {
  for (const { name, method, path, operation } of operations()) {
    const expected = ['401', '422', '429', '500', '503']
    if (path.includes('{id}')) expected.push('404')
    if (method !== 'get') expected.push('400', '413', '415')
    if (['post', 'patch'].includes(method)) expected.push('409')
    const errors = Object.keys(operation.responses as Json).filter(status => Number(status) >= 400)
    expect([name, errors.toSorted()]).toEqual([name, expected.toSorted()])
    for (const status of errors) {
      const answer = (operation.responses as Json)[status] as Json
      const reference = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } }
      expect([name, status, answer.content]).toMatchObject([name, status, reference])
    }
  }
})

it('names each operation once, documents its id, its key and its query', () => {
  const ids = operations().map(({ operation }) => operation.operationId as unknown)
  expect(new Set(ids).size).toBe(ids.length)
  for (const { name, method, path, operation } of operations()) {
    const names = (operation.parameters as unknown as { name: string }[]).map(parameter => parameter.name)
    expect([name, names.includes('id')]).toEqual([name, path.includes('{id}')])
    expect([name, names.includes('Idempotency-Key')]).toEqual([name, ['post', 'patch'].includes(method)])
    const isList = method === 'get' && !path.includes('{id}')
    expect([name, names.includes('starting_after')]).toEqual([name, isList])
  }
})

describe('the objects have exactly the fields of the interface', () => {
  it.each<[string, string]>([
    ['Affiliate', 'id campaign_ids email name status kind token coupon_code paypal_email tags created_at'],
    [
      'Campaign',
      'id name slug program_type visibility payout_currency attribution_model attribution_window_days hold_days minimum_payout_minor open_enrollment destination_url created_at',
    ],
    [
      'Referral',
      'id campaign_id affiliate_id customer_ref subscription_ref status is_test occurred_at created_at',
    ],
    [
      'Commission',
      'id campaign_id affiliate_id referral_id entry_type beneficiary amount_minor currency payout_amount_minor payout_currency status hold_until description created_at',
    ],
    ['Payout', 'id campaign_id rail status currency total_minor created_at items'],
    ['WebhookEndpoint', 'id url events status created_at'],
    ['WebhookEndpointCreated', 'id url events status created_at secret'],
    ['MagicLink', 'url expires_in'],
  ])('%s', (name, fields) => {
    const schema = document.components?.schemas?.[name] as Json
    expect(Object.keys(schema.properties as Json)).toEqual(fields.split(' '))
  })
})

describe('the webhooks', () => {
  const kinds = ['promoter.approved', 'commission.created', 'payout.paid', 'conversion.created']
  const eventOf = (kind: string) => document.webhooks[kind].post as Json
  const schemaOf = (kind: string) => {
    const { $ref } = eventOf(kind).requestBody.content['application/json'].schema
    return document.components.schemas[$ref.split('/').at(-1)]
  }

  it('are the four event kinds, each in its envelope', () => {
    expect(Object.keys(document.webhooks)).toEqual(kinds)
    for (const kind of kinds) {
      const { properties, required } = schemaOf(kind)
      expect([kind, Object.keys(properties), required]).toEqual([
        kind,
        ['id', 'type', 'created_at', 'data'],
        ['id', 'type', 'created_at', 'data'],
      ])
      expect(properties.type.const).toBe(kind)
    }
    const nouns = kinds.map(kind => schemaOf(kind).properties.data.$ref.split('/').at(-1))
    expect(nouns).toEqual(['Affiliate', 'Commission', 'Payout', 'Referral'])
  })

  it('name the headers of a delivery, and need no API key', () => {
    const delivery = { id: 1, event_id: 2, is_test: false, body: '{}' }
    const sent = Object.keys(requestHeaders(delivery, { number: 1, startedAtMs: 0 }, 'whsec_AAAA'))
    const expected = sent.filter(name => !['content-type', 'user-agent'].includes(name))
    for (const kind of kinds) {
      const { parameters, security } = eventOf(kind)
      const names = parameters.map(({ name }: { name: string }) => name.toLowerCase())
      expect([names.toSorted(), security]).toEqual([expected.toSorted(), []])
    }
  })
})

it('describes every tag and every operation, and says whom to ask', () => {
  for (const { name, operation } of operations())
    expect([
      name,
      operation.description.length > 30,
      document.tags.some((tag: Json) => tag.name === operation.tags[0]),
    ]).toEqual([name, true, true])
  for (const { name, description } of document.tags)
    expect([name, description.length > 20]).toEqual([name, true])
  expect(document.info.contact.url).toBe('https://programme.example/docs')
})
