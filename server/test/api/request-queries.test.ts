/** Protects lists from their query strings: a value that is out of range is refused by name, never clamped or guessed. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { useScene } from '../harness.ts'

const scene = useScene()
const lists = ['affiliates', 'campaigns', 'referrals', 'commissions', 'payouts', 'webhook_endpoints']

describe.each(lists)('%s', noun => {
  it.each([
    ['limit', '0'],
    ['limit', '101'],
    ['limit', '-1'],
    ['limit', 'abc'],
    ['limit', '1e1'],
    ['limit', '10.0'],
    ['limit', '0x10'],
    ['limit', ''],
    ['limit', '%2010'],
    ['limit', '10%20'],
    ['limit', '+10'],
    ['limit', '٣'],
    ['limit', '99999999999999999999'],
    ['starting_after', '0'],
    ['starting_after', '-5'],
    ['starting_after', ''],
    ['starting_after', 'abc'],
    ['starting_after', '1.5'],
    ['starting_after', '9007199254740992'],
    ['created_after', ''],
    ['created_after', 'yesterday'],
    ['created_after', '2026-01-31'],
    ['created_after', '2026-01-31T12:00:00'],
    ['created_after', '2026-02-30T12:00:00Z'],
    ['created_after', '2026-01-31T24:00:00Z'],
    ['created_after', '2026-01-31T12:00:00 01:00'],
    ['created_after', '1769860800'],
    ['created_before', 'infinity'],
    ['created_before', '0000-01-01T00:00:00Z'],
    ['created_before', '2026-13-01T00:00:00Z'],
    ['status', 'sleeping'],
    ['status', ''],
    ['Limit', '1'],
    ['limit[]', '1'],
    ['__proto__', '1'],
    ['constructor', '1'],
  ])('refuses %s=%s', async (name, value) => {
    const { status, body } = await scene.api.get(`/${noun}?${name}=${value}`)
    expect([status, body.error.code]).toEqual([422, 'validation_failed'])
    expect(body.error.message).toContain(name)
  })

  it.each([
    'limit=1',
    'limit=100',
    'limit=007',
    'starting_after=1',
    'starting_after=9007199254740991',
    'starting_after=123456789',
    'created_after=0001-01-01T00:00:00Z',
    'created_before=9999-12-31T23:59:59.999Z',
    'created_after=2026-01-31T12:00:00%2B05:30',
    'created_after=2026-01-31T12:00:00-12:00',
    'created_after=2026-01-31T12:00:00%2B14:00',
    'created_before=0001-01-01T00:00:00%2B12:00',
    'created_before=9999-12-31T23:59:59.999999999-12:00',
    'created_before=2026-01-31t12:00:00z',
    'created_before=2026-01-31T12:00:00.123456789Z',
    '&&limit=5&',
    '%6Cimit=5',
    '',
  ])('takes ?%s', async query => {
    expect((await scene.api.get(`/${noun}?${query}`)).status).toBe(200)
  })

  it.each([
    'limit=1&limit=1',
    'limit=1&%6Cimit=2',
    'frobnicate=1&limit=1',
    'limit',
    '=1',
    'limit=%ff',
    '%=1',
    'a=%u0041',
  ])('refuses ?%s', async query => {
    const { status, body } = await scene.api.get(`/${noun}?${query}`)
    expect([status, body.error.code]).toEqual([422, 'validation_failed'])
  })
})

it.each(['-23:59', '%2B23:59', '-16:00', '%2B16:00'])(
  'an offset of %s, which no zone has, is no fault of ours',
  async offset => {
    const { status } = await scene.api.get(`/campaigns?created_after=2026-01-31T12:00:00${offset}`)
    expect([200, 422]).toContain(status)
  },
)

it.each(['email', 'tag'])('refuses NUL and bad UTF-8 in %s', async name => {
  for (const value of ['%00', 'a%00b', '%ed%a0%80', '%c3'])
    expect((await scene.api.get(`/affiliates?${name}=${value}`)).status).toBe(422)
})

it('reads a plus sign as a space and %2B as a plus sign', async () => {
  await scene.api.patch(`/affiliates/${scene.place.affiliate_id}`, { tags: ['a b', 'c+d'] })
  for (const [text, found] of [
    ['a+b', 1],
    ['a%20b', 1],
    ['c%2Bd', 1],
    ['c+d', 0],
  ])
    expect((await scene.api.get(`/affiliates?tag=${text}`)).body.data).toHaveLength(found as number)
})

const names = 'starting_after limit created_after created_before status campaign_id email tag is_test'.split(
  ' ',
)
const value = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }).map(encodeURIComponentSafely),
  fc.integer().map(String),
  fc.bigInt().map(String),
  fc.double().map(String),
  fc
    .date({ noInvalidDate: false })
    .map(date => String(date.getTime() ? encodeURIComponent(safeIso(date)) : date)),
  fc.stringMatching(/^%[0-9a-fA-Z]{0,3}[&=%]?$/),
)

function encodeURIComponentSafely(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}

function safeIso(date: Date): string {
  return Number.isNaN(date.getTime()) ? 'Invalid' : date.toISOString()
}

it('never fails on whatever a query holds', async () => {
  const pair = fc.tuple(fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...names) }, value), value)
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...lists), fc.array(pair, { maxLength: 4 }), async (noun, pairs) => {
      const { status } = await scene.api.get(`/${noun}?${pairs.map(each => each.join('=')).join('&')}`)
      expect([200, 422]).toContain(status)
    }),
    { numRuns: 300 },
  )
})
