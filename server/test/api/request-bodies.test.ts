/** Protects the entrance: whatever bytes come as a body, the answer is the right refusal and never a fault of ours. */
import { describe, expect, it } from 'vitest'
import { unique } from '../factories.ts'
import { useScene } from '../harness.ts'

const scene = useScene()
const post = (body: unknown, headers: Record<string, string> = {}) =>
  scene.api.post('/affiliates', body, { headers })
const valid = (extra: object = {}) => ({
  email: `${unique('body')}@example.com`,
  campaign_id: scene.place.campaign_id,
  ...extra,
})
const withCampaign = (literal: string) => `{"email": "${unique('b')}@example.com", "campaign_id": ${literal}}`

describe('bad_request', () => {
  const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
  it.each<[string, string | Uint8Array]>([
    ['nothing', ''],
    ['white space', ' \n'],
    ['no JSON', 'email=a@example.com'],
    ['half an object', '{"email": '],
    ['two objects', '{}{}'],
    ['a comment', '{/* no */}'],
    ['a trailing comma', '{"email": "a@example.com",}'],
    ['single quotes', "{'email': 1}"],
    ['NaN', '{"campaign_id": NaN}'],
    ['an array', '[]'],
    ['an array of an object', '[{"email": "a@example.com"}]'],
    ['null', 'null'],
    ['a text', '"text"'],
    ['a number', '7'],
    ['a boolean', 'true'],
    ['an array 10,000 deep', nested(10_000)],
    ['an array as deep as a body can be', nested(131_072)],
    ['a byte that is no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['an overlong encoding', Buffer.from([0x7b, 0x22, 0xc0, 0xaf, 0x22, 0x3a, 0x31, 0x7d])],
    ['a surrogate in UTF-8', Buffer.from([0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x7d])],
    ['UTF-16', Buffer.from('{"email": 1}', 'utf16le')],
  ])('%s', async (_what, body) => {
    const answer = await post(body)
    expect([answer.status, answer.body.error.code]).toEqual([400, 'bad_request'])
  })
})

describe('unsupported_media_type', () => {
  it.each([
    'text/plain',
    'text/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'application/json-patch+json',
    'application/vnd.api+json',
    'nonsense',
    '',
  ])('%j', async type => {
    const answer = await post(JSON.stringify(valid()), { 'content-type': type })
    expect([answer.status, answer.body.error.code]).toEqual([415, 'unsupported_media_type'])
  })

  it('no content type at all', async () => {
    const response = await fetch(`${scene.app.url}/api/v1/affiliates`, {
      method: 'POST',
      headers: { authorization: `Bearer ${scene.account.key}` },
      body: Buffer.from(JSON.stringify(valid())),
    })
    expect(response.status).toBe(415)
    expect(await response.json()).toMatchObject({ error: { code: 'unsupported_media_type' } })
  })

  it.each([
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
  ])('does not concern %s', async type =>
    expect((await post(JSON.stringify(valid()), { 'content-type': type })).status).toBe(201),
  )
})

describe('payload_too_large', () => {
  const limit = 256 * 1024
  it('begins one byte past 256 KiB', async () => {
    const body = JSON.stringify(valid())
    expect((await post(body.padEnd(limit, ' '))).status).toBe(201)
    const answer = await post(body.padEnd(limit + 1, ' '))
    expect([answer.status, answer.body.error.code]).toEqual([413, 'payload_too_large'])
  })

  it('holds without a Content-Length too', async () => {
    const response = await fetch(`${scene.app.url}/api/v1/affiliates`, {
      method: 'POST',
      headers: { authorization: `Bearer ${scene.account.key}`, 'content-type': 'application/json' },
      body: new Blob([' '.repeat(limit * 2)]).stream(),
      duplex: 'half',
    } as RequestInit)
    expect(response.status).toBe(413)
    expect(await response.json()).toMatchObject({ error: { code: 'payload_too_large' } })
  })
})

describe('an unknown field is refused by name', () => {
  it.each([
    'frobnicate',
    '__proto__',
    'constructor',
    'toString',
    'Email',
    'email ',
    '',
    'é',
    'a.b',
    'x'.repeat(300),
  ])('%j', async name => {
    const body = JSON.stringify(valid()).replace('{', `{${JSON.stringify(name)}: 1, `)
    const answer = await post(body)
    expect([answer.status, answer.body.error.code]).toEqual([422, 'validation_failed'])
    expect(answer.body.error.message).toContain(name)
  })

  it('and leaves no trace on the prototypes', async () => {
    await post('{"__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": true}}}')
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })
})

describe('integers', () => {
  it.each([
    '9007199254740992',
    '1e400',
    '-1e400',
    '-0',
    '0',
    '-1',
    '1.5',
    '"1"',
    'true',
    '[1]',
    '{}',
    '1e20',
  ])('%s is none', async literal => {
    const { status, body } = await post(withCampaign(literal))
    expect([status, body.error.code]).toEqual([422, 'validation_failed'])
    expect(body.error.message).toContain('campaign_id')
  })

  it('are not written with a fraction or an exponent', async () => {
    for (const literal of [`${scene.place.campaign_id}.0`, `${scene.place.campaign_id}e0`]) {
      const { status, body } = await post(withCampaign(literal))
      expect(status).toBe(422)
      expect(body.error.message).toContain('campaign_id')
    }
  })
})

describe('texts that cannot be stored', () => {
  it.each([
    ['name', '"a\\u0000b"'],
    ['name', '"\\ud800"'],
    ['name', '"\\udc00\\ud800"'],
    ['coupon_code', '"x\\u0000"'],
    ['tags', '["fine", "\\ud83d"]'],
    ['tags', '["\\u0000"]'],
    ['email', '"a\\u0000@example.com"'],
    ['email', '"\\ud800@example.com"'],
    ['paypal_email', '"\\udfff@example.com"'],
    ['token', '"tok\\u0000en"'],
  ])('%s = %s', async (field, literal) => {
    const { [field]: _, ...rest } = valid() as Record<string, unknown>
    const { status, body } = await post(JSON.stringify(rest).replace('{', `{"${field}": ${literal}, `))
    expect([status, body.error.code]).toEqual([422, 'validation_failed'])
    expect(body.error.message).toContain(field)
  })

  it('are not texts that merely look odd', async () => {
    const name = '🏳️‍🌈 علی\u200cرضا \ufffe'
    expect((await post(valid({ name }))).body.name).toBe(name)
  })
})

describe('a field that is absurdly deep', () => {
  it.each([10, 1_000, 10_000, 120_000])('%i levels', async depth => {
    for (const field of ['name', 'tags', 'unknown']) {
      const { status, body } = await post(
        `{"email": "a@example.com", "campaign_id": 1, "${field}": ${'['.repeat(depth)}${']'.repeat(depth)}}`,
      )
      expect([status, body.error.code]).toEqual([422, 'validation_failed'])
      expect(body.error.message).toContain(field)
    }
  })
})
