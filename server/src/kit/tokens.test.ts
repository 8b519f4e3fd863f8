import { crc32 } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { isApiKey, newAffiliateToken, newApiKey, newLinkToken, newWebhookSecret, sha256 } from './tokens.ts'

const many = (make: () => string) => Array.from({ length: 200 }, make)
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const numberFrom = (text: string) => [...text].reduce((sum, digit) => sum * 62 + DIGITS.indexOf(digit), 0)

describe('an API key', () => {
  it('is trib_, 32 characters and 6 of their CRC-32, and never the same', () => {
    const keys = many(newApiKey)
    expect(new Set(keys).size).toBe(keys.length)
    for (const key of keys) {
      expect(key).toMatch(/^trib_[0-9A-Za-z]{38}$/)
      expect(numberFrom(key.slice(-6))).toBe(crc32(key.slice(5, 37)))
      expect(isApiKey(key)).toBe(true)
    }
  })

  it('uses all of base62', () => {
    const used = new Set(many(newApiKey).flatMap(key => [...key.slice(5, 37)]))
    expect(used.size).toBe(62)
  })

  it('detects any single-character typo', () => {
    const key = newApiKey()
    for (let at = 0; at < key.length; at++)
      for (const other of ['0', 'z', '-', ''])
        if (other !== key[at]) expect(isApiKey(key.slice(0, at) + other + key.slice(at + 1))).toBe(false)
  })

  it.each([
    '',
    'trib_',
    ' ',
    `${newApiKey()} `,
    `\n${newApiKey()}`,
    newApiKey().toUpperCase(),
    'x'.repeat(43),
  ])('%j is none', text => expect(isApiKey(text)).toBe(false))
})

it('a webhook secret is whsec_ and 32 random bytes in base64', () => {
  const secrets = many(newWebhookSecret)
  expect(new Set(secrets).size).toBe(secrets.length)
  for (const secret of secrets) {
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(32)
  }
})

it('an affiliate token is what a merchant might have chosen', () => {
  for (const token of many(newAffiliateToken)) expect(token).toMatch(/^[A-Za-z0-9_-]{3,64}$/)
  expect(new Set(many(newAffiliateToken)).size).toBe(200)
})

it('a link token has 256 bits in the letters of a URL', () => {
  for (const token of many(newLinkToken)) {
    expect(token).toBe(encodeURIComponent(token))
    expect(Buffer.from(token, 'base64url')).toHaveLength(32)
  }
})

it('digests are SHA-256 of the UTF-8 text', () => {
  expect(sha256('abc').toString('hex')).toBe(
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  )
})
