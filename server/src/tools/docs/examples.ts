import type { ApiOperation } from './operation.ts'
import { referredName, type Schema, type Schemas } from './schema.ts'

/** All examples are consistent: Amara, enrolled in campaign 7, refers a customer and gets paid. */
const samples = new Map<string, unknown>(
  Object.entries({
    'Affiliate.id': 1042,
    'Campaign.id': 7,
    'Campaign.name': 'Partner programme',
    'Commission.id': 8841,
    'Commission.hold_until': '2026-03-02T12:00:00.000Z',
    'MagicLink.url': 'https://affiliates.example.com/portal/acme/sign-in/vO4cM…',
    'Payout.id': 63,
    'Payout.rail': 'paypal',
    'Payout.status': 'paid',
    'Referral.id': 5310,
    'PromoterApprovedEvent.id': 20417,
    'CommissionCreatedEvent.id': 20418,
    'PayoutPaidEvent.id': 20419,
    'ConversionCreatedEvent.id': 20420,
    'WebhookEndpoint.id': 12,
    'WebhookEndpointCreated.id': 12,
    'AttributionCandidate.outcome': 'won',
    'Attribution.model': 'last_click',
    'CreateRefund.external_id': 're_118',
    'items.id': 911,
    'items.amount_minor': 12600,
    'items.status': 'paid',
    affiliate_id: 1042,
    amount_minor: 2940,
    attribution_window_days: 60,
    campaign_id: 7,
    campaign_ids: [7],
    code: 'validation_failed',
    coupon_code: 'AMARA20',
    currency: 'USD',
    click_id: 70_211,
    clicked_at: '2026-01-29T08:15:00.000Z',
    customer_email: 'kofi@example.com',
    customer_ref: 'cus_20931',
    description: '30 % of invoice 20931',
    destination_url: 'https://example.com/pricing',
    email: 'amara@example.com',
    external_id: 'in_20931',
    has_more: false,
    hold_days: 30,
    is_test: false,
    message: 'campaign_id is required.',
    minimum_payout_minor: 5000,
    name: 'Amara Osei',
    occurred_at: '2026-01-31T12:00:00.000Z',
    open_enrollment: true,
    payout_amount_minor: 2940,
    payout_currency: 'USD',
    paypal_email: 'payments@example.com',
    reason: 'Credited by coupon code "AMARA20".',
    referral_id: 5310,
    review: [],
    sale_external_id: 'in_20931',
    secret: 'whsec_kC7t…',
    slug: 'partners',
    subscription_ref: 'sub_5512',
    tags: ['podcast'],
    token: 'amara',
    total_minor: 12600,
    window_days: 60,
    url: 'https://example.com/hooks/tributary',
  }),
)

const pathIds: { readonly [segment: string]: number } = {
  affiliates: 1042,
  campaigns: 7,
  referrals: 5310,
  commissions: 8841,
  payouts: 63,
  webhook_endpoints: 12,
}

/** A value that fits the schema: a sample if there is one, otherwise the simplest valid value. */
export function sampleOf(schemas: Schemas, schema: Schema, owner = '', field = ''): unknown {
  const name = referredName(schema)
  if (name) return sampleOf(schemas, schemas[name] ?? {}, name)
  for (const key of [`${owner}.${field}`, field]) if (samples.has(key)) return samples.get(key)
  if (schema.anyOf?.[0]) return sampleOf(schemas, schema.anyOf[0], owner, field)
  if (schema.properties)
    return Object.fromEntries(
      Object.entries(schema.properties).map(([key, property]) => [
        key,
        sampleOf(schemas, property, field || owner, key),
      ]),
    )
  if (schema.items) return [sampleOf(schemas, schema.items, owner, field)]
  const given = schema.const ?? schema.examples?.[0] ?? schema.default ?? schema.enum?.[0]
  if (given !== undefined) return given
  const [type] = [schema.type ?? 'null'].flat()
  if (type === 'integer' || type === 'number') return schema.minimum ?? 0
  if (type === 'string') return 'text'
  return type === 'boolean' ? false : null
}

/** A POST shows every field; a PATCH shows the smallest useful change. */
export function sampleBody(schemas: Schemas, { method, body }: ApiOperation): unknown {
  if (!body) return undefined
  const whole = Object.entries(sampleOf(schemas, body) ?? {})
  if (method === 'POST') return Object.fromEntries(whole)
  const required = schemas[referredName(body) ?? '']?.required ?? []
  const least = whole.filter(([key]) => required.includes(key))
  return Object.fromEntries(least.length > 0 ? least : whole.slice(0, 1))
}

/** The response matches the example request: after `"status": "approved"`, its status is approved. */
export function sampleResponse(schemas: Schemas, operation: ApiOperation, schema: Schema): unknown {
  const sent = Object.entries(sampleBody(schemas, operation) ?? {})
  const response = sampleOf(schemas, schema)
  if (response === null || typeof response !== 'object' || Array.isArray(response)) return response
  return { ...response, ...Object.fromEntries(sent.filter(([key]) => Object.hasOwn(response, key))) }
}

/** Like `JSON.stringify` with two spaces, but arrays of primitives stay on one line. */
export function formatJson(value: unknown, indent = ''): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const inner = `${indent}  `
  const block = (open: string, lines: string[], close: string) =>
    `${open}\n${lines.map(line => inner + line).join(',\n')}\n${indent}${close}`
  if (!Array.isArray(value))
    return block(
      '{',
      Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${formatJson(item, inner)}`),
      '}',
    )
  if (value.every(item => item === null || typeof item !== 'object'))
    return `[${value.map(item => formatJson(item)).join(', ')}]`
  return block(
    '[',
    value.map(item => formatJson(item, inner)),
    ']',
  )
}

const LONGEST_BODY_ON_ONE_LINE = 60

const shellQuoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** The example request of an operation, which every language shows. */
export function sampleRequest(schemas: Schemas, operation: ApiOperation) {
  const segment = /([^/]+)\/\{id\}/.exec(operation.path)?.[1]
  const id = segment === undefined ? undefined : (pathIds[segment] ?? 1)
  const query = operation.parameters.some(({ name }) => name === 'limit') ? { limit: 10 } : {}
  const path = operation.path.replace('{id}', String(id))
  return {
    id,
    query,
    target: 'limit' in query ? `${path}?limit=10` : path,
    body: sampleBody(schemas, operation),
  }
}

/** A command that can be pasted as is, once `TRIBUTARY_KEY` is set. */
export function curlOf(baseUrl: string, schemas: Schemas, operation: ApiOperation): string {
  const { method } = operation
  const { target, body } = sampleRequest(schemas, operation)
  const parts = [`curl ${shellQuoted(baseUrl + target)}`]
  if (method !== 'GET' && !(method === 'POST' && body)) parts[0] += ` -X ${method}`
  parts.push('-H "Authorization: Bearer $TRIBUTARY_KEY"')
  if (body) {
    const compact = JSON.stringify(body)
    parts.push(
      "-H 'Content-Type: application/json'",
      `-d ${shellQuoted(compact.length <= LONGEST_BODY_ON_ONE_LINE ? compact : formatJson(body))}`,
    )
  }
  return parts.join(' \\\n  ')
}
