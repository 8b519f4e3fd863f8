/** Protects the entrance of the money (row 15): whatever a report holds, a wrong one is refused by name and never a fault of ours. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { unique } from '../factories.ts'
import { brokenInvariants, useOwnScene } from '../harness.ts'
import { convert, countRows, percent, sell, useRate, type Won, winCustomer } from './scene.ts'

const scene = useOwnScene()
let won: Won
beforeAll(async () => {
  won = await winCustomer(scene)
})
afterAll(async () => expect(await brokenInvariants(scene.database)).toEqual([]))

const valid: Record<string, () => Record<string, unknown>> = {
  conversions: () => ({ campaign_id: won.campaign.id, customer_ref: unique('c'), token: 'tok' }),
  sales: () => ({ customer_ref: unique('c'), external_id: unique('s'), amount_minor: 100, currency: 'USD' }),
  refunds: () => ({ external_id: unique('r'), sale_external_id: 's', amount_minor: 1 }),
}
const LONG = JSON.stringify('x'.repeat(256))
const notTexts = ['null', '1', 'true', '[]', '{}', '""', LONG, '"a\\u0000b"', '"\\ud800"', '"\\udc00\\ud800"']
const notIntegers = [
  'null',
  '"1"',
  '1.5',
  '-1',
  'true',
  '[1]',
  '{}',
  '9007199254740992',
  '9223372036854775808',
  '1e400',
  '-1e400',
  '1.0',
  '1e2',
  '100.00000000000000001',
  '9007199254740991.4',
]
const notTimes = [
  'null',
  '0',
  '""',
  '"now"',
  '"2026-02-30T00:00:00Z"',
  '"2026-01-01"',
  '"2026-01-01T00:00:00"',
  '"2026-01-01T24:00:00Z"',
  '"0000-01-01T00:00:00Z"',
]

const cases: [path: string, field: string, literals: string[]][] = [
  ['conversions', 'campaign_id', [...notIntegers, '0', '-0']],
  ['conversions', 'customer_ref', notTexts],
  [
    'conversions',
    'click_id',
    [
      'null',
      '0',
      '-0',
      '-1',
      '1.5',
      '1.0',
      '1e2',
      '1e400',
      '9007199254740992',
      '""',
      '"0"',
      '"01"',
      '"-1"',
      '"1.5"',
      '"abc"',
      '"9007199254740992"',
      '"9999999999999999"',
      '"99999999999999999"',
      '[]',
    ],
  ],
  ['conversions', 'token', ['null', '1', '""', '"\\u0000"', '"\\ud800"', JSON.stringify('x'.repeat(65))]],
  [
    'conversions',
    'coupon_code',
    ['null', '1', '""', '"\\u0000"', '"\\ud800"', JSON.stringify('x'.repeat(65))],
  ],
  ['conversions', 'customer_email', ['1', '""', '"not-an-email"', '"a@b"', '"a\\u0000@example.com"']],
  ['conversions', 'is_test', ['null', '1', '"true"', '[]']],
  ['conversions', 'occurred_at', notTimes],
  [
    'conversions',
    'sale',
    [
      'null',
      '1',
      '[]',
      '{}',
      '{"external_id": "x"}',
      '{"external_id": "x", "amount_minor": 1, "currency": "USD", "rate": 5000}',
      '{"external_id": "x", "amount_minor": -1, "currency": "USD"}',
      '{"external_id": "x", "amount_minor": 100.00000000000000001, "currency": "USD"}',
    ],
  ],
  ['sales', 'customer_ref', notTexts],
  ['sales', 'external_id', notTexts],
  ['sales', 'amount_minor', notIntegers],
  ['sales', 'currency', ['null', '1', '""', '"usd"', '"US"', '"DOLLAR"', '"QQQ"', '"U\\u0000D"']],
  ['sales', 'campaign_id', [...notIntegers, '0', '-0']],
  ['sales', 'occurred_at', notTimes],
  ['refunds', 'external_id', notTexts],
  ['refunds', 'sale_external_id', notTexts],
  ['refunds', 'amount_minor', [...notIntegers, '0', '-0']],
  ['refunds', 'occurred_at', notTimes],
]

describe.each(cases)('%s: %s', (path, field, literals) => {
  it.each(literals)('%s is refused by name', async literal => {
    const { [field]: _, ...rest } = (valid[path] as () => Record<string, unknown>)()
    const body = JSON.stringify(rest).replace('{', `{"${field}": ${literal}, `)
    const answer = await scene.api.post(`/ingest/v1/${path}`, body)
    expect([answer.status, answer.body.error.code]).toEqual([422, 'validation_failed'])
    expect(answer.body.error.message).toContain(field)
  })
})

describe.each(Object.keys(valid))('%s', path => {
  const send = (body: unknown, headers = {}) => scene.api.post(`/ingest/v1/${path}`, body, { headers })

  it('an unknown field is refused by name', async () => {
    for (const name of [
      '__proto__',
      'constructor',
      'account_id',
      'affiliate_id',
      'commission',
      'rate_basis_points',
      'status',
    ]) {
      const body = JSON.stringify(valid[path]?.()).replace('{', `{${JSON.stringify(name)}: 1, `)
      const answer = await send(body)
      expect([answer.status, answer.body.error.message]).toEqual([422, expect.stringContaining(name)])
    }
  })

  it('a missing field is refused by name', async () => {
    for (const field of Object.keys(valid[path]?.() ?? {}).filter(
      name => name !== 'token' && !(path === 'refunds' && name === 'amount_minor'),
    )) {
      const { [field]: _, ...rest } = valid[path]?.() ?? {}
      const answer = await send(rest)
      expect([answer.status, answer.body.error.message]).toEqual([422, expect.stringContaining(field)])
    }
  })

  it.each<[string, string, object, number]>([
    ['no JSON', '{', {}, 400],
    ['an array', '[]', {}, 400],
    ['10,000 deep', `${'['.repeat(10_000)}${']'.repeat(10_000)}`, {}, 400],
    ['huge', JSON.stringify({ customer_ref: 'x'.repeat(300_000) }), {}, 413],
    ['another type', 'customer_ref=1', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
  ])('%s', async (_what, body, headers, status) => {
    expect((await send(body, headers)).status).toBe(status)
  })
})

describe('numbers and times at the edge of what can be kept are taken or refused, never a fault', () => {
  it('a commission that the payout currency cannot hold', async () => {
    await useRate(scene, 'USD', 'KRW', '1500000')
    const huge = await winCustomer(scene, { rewards: [percent(10_000)], payout_currency: 'KRW' })
    const body = {
      customer_ref: huge.customer_ref,
      external_id: unique('s'),
      amount_minor: Number.MAX_SAFE_INTEGER,
      currency: 'USD',
    }
    expect((await sell(scene.api, body)).status).toBe(422)
    expect(await countRows(scene, 'sales', 'external_id = $1', [body.external_id])).toBe(0)
  })

  it.each([
    '9999-12-31T23:59:59.9999Z',
    '9999-12-31T00:00:00Z',
    '9999-12-31T23:59:59-15:59',
    '0001-01-01T00:00:00+15:59',
    '0001-01-01T00:00:00Z',
  ])('occurred_at %s', async occurred_at => {
    const held = await winCustomer(scene, { hold_days: 30 })
    const sold = await sell(scene.api, {
      customer_ref: held.customer_ref,
      external_id: unique('s'),
      amount_minor: 100,
      currency: 'USD',
      occurred_at,
    })
    expect(sold.status).toBeLessThan(500)
    const { campaign, affiliate } = held
    const converted = await convert(scene.api, {
      campaign_id: campaign.id,
      customer_ref: unique('c'),
      token: affiliate.token,
      occurred_at,
    })
    expect(converted.status).toBeLessThan(500)
  })
})
