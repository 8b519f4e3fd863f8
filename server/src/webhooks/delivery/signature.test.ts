/** Protects receivers: both signatures are what the documentation says, computed here by other means. */
import { execFileSync } from 'node:child_process'
import { Webhook } from 'standardwebhooks'
import { expect, it } from 'vitest'
import { standardHeaders, tributarySignature } from './signature.ts'

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const signed = { secret, eventId: 42, unixSeconds: 1_770_000_000, body: '{"name":"Zoë 😀"}' }

const openssl = (key: Buffer, text: string) =>
  execFileSync('openssl', ['dgst', '-sha256', '-mac', 'HMAC', '-macopt', `hexkey:${key.toString('hex')}`], {
    input: text,
    encoding: 'utf8',
  })
    .trim()
    .split(' ')
    .at(-1) as string

it('signs "t.body" with the whole secret', () => {
  const digest = openssl(Buffer.from(secret), `1770000000.${signed.body}`)
  expect(tributarySignature(signed)).toBe(`t=1770000000,v1=${digest}`)
})

it('signs "id.timestamp.body" with the decoded secret for Standard Webhooks', () => {
  const digest = openssl(Buffer.alloc(32, 7), `evt_42.1770000000.${signed.body}`)
  expect(standardHeaders(signed)).toEqual({
    'webhook-id': 'evt_42',
    'webhook-timestamp': '1770000000',
    'webhook-signature': `v1,${Buffer.from(digest, 'hex').toString('base64')}`,
  })
})

it('verifies with the library, which refuses another body, another secret and a stale time', () => {
  const fresh = { ...signed, unixSeconds: Math.floor(Date.now() / 1000) }
  const headers = standardHeaders(fresh)
  expect(new Webhook(secret).verify(fresh.body, headers)).toEqual({ name: 'Zoë 😀' })
  expect(() => new Webhook(secret).verify(`${fresh.body} `, headers)).toThrow()
  const other = `whsec_${Buffer.alloc(32, 8).toString('base64')}`
  expect(() => new Webhook(other).verify(fresh.body, headers)).toThrow()
  expect(() => new Webhook(secret).verify(signed.body, standardHeaders(signed))).toThrow()
})
