/** Protects receivers: only bytes that were recently signed with this secret become an event. */
import { createHmac } from 'node:crypto'
import { type Event, eventKinds, eventsByKind } from '@tributary/contract'
import fc from 'fast-check'
import { describe, expect, expectTypeOf, it } from 'vitest'
import {
  type Affiliate,
  type Payout,
  verifyWebhook,
  WebhookVerificationError,
  type WebhookVerificationReason,
} from './index.ts'

const secret = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD+Xh1kYvUoVo='
const t = 1_790_000_000
const at = (seconds: number) => ({ now: () => seconds * 1000 })

const event = {
  id: 20417,
  type: 'conversion.created',
  created_at: '2026-01-31T12:00:00.000Z',
  data: {
    id: 7,
    campaign_id: 1,
    affiliate_id: 3,
    customer_ref: 'Zoë 🦫 日本',
    subscription_ref: null,
    status: 'approved',
    is_test: false,
    occurred_at: '2026-01-31T12:00:00.000Z',
    created_at: '2026-01-31T12:00:00.000Z',
  },
} satisfies Event
const body = JSON.stringify(event)

const digest = (key: string, time: string | number, signed: string | Uint8Array) =>
  createHmac('sha256', key).update(`${time}.`).update(signed).digest('hex')
const signature = `t=${t},v1=${digest(secret, t, body)}`
const headers = { 'tributary-signature': signature }
const signing = (text: string | Uint8Array) => ({
  'tributary-signature': `t=${t},v1=${digest(secret, t, text)}`,
})

async function refusal(verification: Promise<unknown>): Promise<WebhookVerificationError> {
  const error = await verification.then(
    () => undefined,
    reason => reason,
  )
  expect(error).toBeInstanceOf(WebhookVerificationError)
  return error
}
const reasonOf = async (verification: Promise<unknown>): Promise<WebhookVerificationReason> =>
  (await refusal(verification)).reason

describe('a genuine delivery', () => {
  it('becomes its event', async () => {
    expect(await verifyWebhook(body, headers, secret, at(t))).toEqual(event)
  })

  it('verifies with values computed by openssl', async () => {
    const known = 't=1790000000,v1=e30a299db80f630f388301762cbc4d2e5f6a73c8afd9884705032aa9db61faf0'
    const small = '{"id":1,"type":"payout.paid","created_at":"2026-01-31T12:00:00.000Z","data":{}}'
    const verified = verifyWebhook(small, { 'Tributary-Signature': known }, secret, at(t))
    await expect(verified).resolves.toMatchObject({ id: 1, type: 'payout.paid' })
  })

  it('uses the real clock by default', async () => {
    const now = Math.floor(Date.now() / 1000)
    const fresh = { 'tributary-signature': `t=${now},v1=${digest(secret, now, body)}` }
    expect(await verifyWebhook(body, fresh, secret)).toEqual(event)
    expect(await reasonOf(verifyWebhook(body, headers, secret))).toBe('stale')
  })

  it('can be passed as bytes, including a view of a larger buffer', async () => {
    const bytes = new TextEncoder().encode(body)
    const within = new Uint8Array(bytes.length + 9)
    within.set(bytes, 4)
    const part = within.subarray(4, 4 + bytes.length)
    for (const raw of [bytes, part, Buffer.from(body)])
      expect(await verifyWebhook(raw, headers, secret, at(t))).toEqual(event)
  })

  it('narrows the type of data by the event type', async () => {
    const verified = await verifyWebhook(body, headers, secret, at(t))
    expectTypeOf(verified).toEqualTypeOf<Event>()
    expectTypeOf<Extract<Event, { type: 'promoter.approved' }>['data']>().toEqualTypeOf<Affiliate>()
    expectTypeOf<Extract<Event, { type: 'payout.paid' }>['data']>().toEqualTypeOf<Payout>()
    if (verified.type === 'conversion.created') expect(verified.data.customer_ref).toBe('Zoë 🦫 日本')
    expect(Object.keys(eventsByKind)).toEqual([...eventKinds])
  })
})

describe('the header', () => {
  const upper = { 'TRIBUTARY-SIGNATURE': signature }
  it.each([
    ['Headers', new Headers(headers)],
    ['a record in small letters, as Node gives it', headers],
    ['a record in the letters of the documentation', { 'Tributary-Signature': signature }],
    ['a record in capitals', upper],
    ['a list of one value', { 'tributary-signature': [signature] }],
    ['a record with an absent value beside it', { ...upper, 'tributary-signature': undefined }],
    ['a record with a header named get', { get: 'x', ...headers }],
  ])('is found in %s', async (_, given) => {
    expect(await verifyWebhook(body, given, secret, at(t))).toEqual(event)
  })

  const other = digest('whsec_other', t, body)
  const right = digest(secret, t, body)
  it.each([
    ['the right one first', `t=${t},v1=${right},v1=${other}`],
    ['the right one last', `t=${t},v1=${other},v1=${right}`],
    ['another scheme beside it', `v0=abc,t=${t},v1=${right},v2=def`],
    ['spaces after the commas', `t=${t}, v1=${other}, v1=${right}`],
    ['the time last', `v1=${right},t=${t}`],
  ])('may hold several signatures: %s', async (_, value) => {
    expect(await verifyWebhook(body, { 'tributary-signature': value }, secret, at(t))).toEqual(event)
  })

  it('is refused when none of several signatures matches', async () => {
    const value = `t=${t},v1=${other},v1=${digest(secret, t + 1, body)}`
    expect(await reasonOf(verifyWebhook(body, { 'tributary-signature': value }, secret, at(t)))).toBe(
      'wrong_signature',
    )
  })

  it.each<[string, Headers | Record<string, string | string[] | undefined>]>([
    ['no headers', {}],
    ['empty Headers', new Headers()],
    ['only others', { 'webhook-signature': signature }],
    ['an empty value', { 'tributary-signature': '' }],
    ['an absent value', { 'tributary-signature': undefined }],
    ['an empty list', { 'tributary-signature': [] }],
  ])('is missing with %s', async (_, given) => {
    expect(await reasonOf(verifyWebhook(body, given, secret, at(t)))).toBe('missing_signature')
  })

  it.each([
    ['words', 'genuine, I promise'],
    ['no time', `v1=${right}`],
    ['no signature', `t=${t}`],
    ['another scheme only', `t=${t},v0=${right}`],
    ['an empty time', `t=,v1=${right}`],
    ['a time that is no number', `t=now,v1=${right}`],
    ['a negative time', `t=-${t},v1=${right}`],
    ['a broken time', `t=${t}.5,v1=${right}`],
    ['a time in hexadecimal', `t=0x6AB13B80,v1=${right}`],
    ['a time of many digits', `t=${'9'.repeat(400)},v1=${right}`],
    ['two times', `t=${t},t=${t + 1},v1=${right}`],
    ['an empty signature', `t=${t},v1=`],
    ['a truncated signature', `t=${t},v1=${right.slice(0, 62)}`],
    ['a signature too long', `t=${t},v1=${right}00`],
    ['a signature that is not hexadecimal', `t=${t},v1=${'z'.repeat(64)}`],
    ['a right signature beside a broken one', `t=${t},v1=${right},v1=abc`],
    ['capital names', `T=${t},V1=${right}`],
  ])('is malformed with %s', async (_, value) => {
    expect(await reasonOf(verifyWebhook(body, { 'tributary-signature': value }, secret, at(t)))).toBe(
      'malformed_signature',
    )
  })

  it('is malformed when it came twice', async () => {
    const twice = { 'tributary-signature': [signature, signature] }
    expect(await reasonOf(verifyWebhook(body, twice, secret, at(t)))).toBe('malformed_signature')
  })
})

describe('the time', () => {
  it.each([t - 300, t + 300])('may be exactly 300 s away', async now => {
    expect(await verifyWebhook(body, headers, secret, at(now))).toEqual(event)
  })

  it.each([t - 300.001, t + 300.001, t + 301, t - 301, t + 86_400, 0])('is stale beyond (%d)', async now => {
    expect(await reasonOf(verifyWebhook(body, headers, secret, at(now)))).toBe('stale')
  })

  it('uses the given tolerance', async () => {
    const within = (toleranceSeconds: number, now: number) =>
      verifyWebhook(body, headers, secret, { toleranceSeconds, ...at(now) })
    expect(await within(0, t)).toEqual(event)
    expect(await within(3600, t + 3600)).toEqual(event)
    expect(await reasonOf(within(10, t + 11))).toBe('stale')
    expect(await reasonOf(within(Number.NaN, t))).toBe('stale')
  })
})

describe('what is not genuine', () => {
  it('an altered byte', async () => {
    const altered = body.replace('"affiliate_id":3', '"affiliate_id":4')
    expect(await reasonOf(verifyWebhook(altered, headers, secret, at(t)))).toBe('wrong_signature')
  })

  it('re-serialized JSON, with a message that says what to do', async () => {
    const rewritten = JSON.stringify(JSON.parse(body), undefined, 2)
    const { reason, message } = await refusal(verifyWebhook(rewritten, headers, secret, at(t)))
    expect(reason).toBe('wrong_signature')
    expect(message).toMatch(/raw request body, not parsed or re-serialized JSON.*whsec_/)
  })

  it('another secret, or only a part of it', async () => {
    for (const wrong of ['whsec_other', secret.slice('whsec_'.length), `${secret} `])
      expect(await reasonOf(verifyWebhook(body, headers, wrong, at(t)))).toBe('wrong_signature')
  })

  it('a signature with an empty secret, when none is configured', async () => {
    const unsigned = { 'tributary-signature': `t=${t},v1=${digest('', t, body)}` }
    for (const none of ['', undefined as unknown as string])
      expect(await reasonOf(verifyWebhook(body, unsigned, none, at(t)))).toBe('wrong_signature')
  })

  it('a body that a framework has already parsed', async () => {
    const parsed = verifyWebhook(event as unknown as string, headers, secret, at(t))
    expect((await refusal(parsed)).message).toContain('not parsed or re-serialized JSON')
  })

  it.each([
    ['empty', ''],
    ['words', 'hello'],
    ['truncated', body.slice(0, -1)],
    ['null', 'null'],
    ['a number', '7'],
    ['not an event', '{"hello":"world"}'],
    ['not UTF-8', Uint8Array.of(0x22, 0xff, 0x22)],
  ])('a signed body that is %s', async (_, text) => {
    expect(await reasonOf(verifyWebhook(text, signing(text), secret, at(t)))).toBe('malformed_body')
  })
})

describe('whatever is changed', () => {
  const change = fc.record({
    text: fc.string({ unit: 'binary', minLength: 1 }),
    position: fc.nat(),
    bit: fc.nat({ max: 7 }),
  })
  const signed = fc.record({ data: fc.json(), key: fc.string({ minLength: 1 }), time: fc.nat(2 ** 31) })
  const verify = (raw: Uint8Array, time: number, v1: string, key: string) =>
    verifyWebhook(raw, { 'tributary-signature': `t=${time},v1=${v1}` }, key, {
      toleranceSeconds: Number.POSITIVE_INFINITY,
    })

  it('is refused: a bit of the body, the time, the secret or the signature', async () => {
    await fc.assert(
      fc.asyncProperty(signed, change, async ({ data, key, time }, { text, position, bit }) => {
        const raw = Buffer.from(`{"id":1,"type":"payout.paid","data":${data}}`)
        const v1 = digest(key, time, raw)
        expect(await verify(raw, time, v1, key)).toHaveProperty('type', 'payout.paid')

        const flipped = Buffer.from(raw)
        flipped[position % raw.length] = (raw[position % raw.length] as number) ^ (1 << bit)
        const nibble = Number.parseInt(v1[position % 64] as string, 16) ^ (1 + (bit % 7))
        const otherV1 = v1.slice(0, position % 64) + nibble.toString(16) + v1.slice((position % 64) + 1)
        const attempts = [
          verify(flipped, time, v1, key),
          verify(Buffer.concat([raw, Buffer.from(text)]), time, v1, key),
          verify(raw.subarray(1), time, v1, key),
          verify(raw, time + 1 + position, v1, key),
          // HMAC pads a short key with zeros, so appending zeros to a key does not change it.
          verify(raw, time, v1, `${key}${text}!`),
          verify(raw, time, otherV1, key),
        ]
        expect(new Set(await Promise.all(attempts.map(reasonOf)))).toEqual(new Set(['wrong_signature']))
      }),
      { numRuns: 200 },
    )
  })
})
