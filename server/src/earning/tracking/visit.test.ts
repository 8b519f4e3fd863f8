import { createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import { addressHash, addressHashes, visitDetails } from './visit.ts'

const key = Buffer.alloc(32, 7)

it('the hash is half of an HMAC-SHA256 of the address, so the key is needed to try addresses out', () => {
  const expected = createHmac('sha256', key).update('203.0.113.9').digest().subarray(0, 16)
  expect(addressHash('203.0.113.9', key)).toEqual(expected)
  expect(addressHash('203.0.113.9', Buffer.alloc(32, 8))).not.toEqual(expected)
})

it.each(['::ffff:203.0.113.9', '::FFFF:203.0.113.9', '0:0:0:0:0:ffff:cb00:7109', '203.0.113.9:443'])(
  '%s is 203.0.113.9',
  address => {
    expect(addressHash(address, key)).toEqual(addressHash('203.0.113.9', key))
  },
)

it.each(['', 'unknown', 'localhost', '203.0.113', '0.0.0.0/0'])('%j is no address', text => {
  expect(addressHash(text, key)).toBeNull()
})

it.each([
  ['2001:db8:1:2:3::4', '2001:DB8:1:2:ffff::1', true],
  ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
  ['203.0.113.9', '::ffff:203.0.113.9', true],
  ['203.0.113.9', '203.0.113.10', false],
])('%s and %s are of one network: %s', (one, other, isSame) => {
  const networkHash = (address: string) => addressHashes(address, key)?.networkHash as Buffer
  expect(networkHash(one).equals(networkHash(other))).toBe(isSame)
})

it('an IPv4 address is its own network, and an internal address has none', () => {
  const own = addressHash('203.0.113.9', key)
  expect(addressHashes('203.0.113.9', key)).toEqual({ addressHash: own, networkHash: own })
  expect(addressHashes('fe80::1', key)).toBeNull()
  expect(addressHashes('10.0.0.1:443', key)).toBeNull()
})

const lookup = { addressKey: key, countryOf: () => null }

it('keeps texts within their bounds, without NUL and without half a character', () => {
  const visit = { address: '', userAgent: `${'a'.repeat(511)}😀`, referrer: 'x\0y\ud800', landingUrl: '' }
  const { userAgent, referrer, landingUrl } = visitDetails(visit, lookup)
  expect(userAgent?.length).toBeLessThanOrEqual(512)
  expect(userAgent?.isWellFormed()).toBe(true)
  expect([referrer, landingUrl]).toEqual(['xy\ufffd', null])
})

it('a visit without a user agent is kept and is not a bot', () => {
  const nothing = { address: '', userAgent: undefined, referrer: undefined }
  expect(visitDetails(nothing, lookup)).toEqual({
    addressHash: null,
    country: null,
    isBot: false,
    userAgent: null,
    referrer: null,
    landingUrl: null,
  })
})
