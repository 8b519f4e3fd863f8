import { createHmac } from 'node:crypto'
import { isIP } from 'node:net'
import { isbot } from 'isbot'
import { canonicalAddress, networkOf } from '../../kit/address.ts'
import { AddressRanges, privateRanges } from '../../kit/address-ranges.ts'
import { memo } from '../../kit/cache.ts'

/** Private and link-local addresses identify a network, not a person. */
const internal = new AddressRanges(...privateRanges, '169.254.0.0/16', 'fe80::/10')

const hash = (text: string, key: Buffer) => createHmac('sha256', key).update(text).digest().subarray(0, 16)

/** The canonical form of an address that identifies a visitor; undefined for any other. */
function visitorAddress(address: string): string | undefined {
  const plain = canonicalAddress(address)
  return isIP(plain) !== 0 && !internal.has(plain) ? plain : undefined
}

/** A keyed hash of a visitor's IP address. Internal addresses do not identify a visitor, so they are not stored. */
export function addressHash(address: string, key: Buffer): Buffer | null {
  const plain = visitorAddress(address)
  return plain === undefined ? null : hash(plain, key)
}

/** With the hash of its network too, which devices behind one IPv6 line share. An IPv4 address is its own. */
export function addressHashes(address: string, key: Buffer) {
  const plain = visitorAddress(address)
  return plain === undefined
    ? null
    : { addressHash: hash(plain, key), networkHash: hash(networkOf(plain), key) }
}

/** Cached: most visitors have one of a few hundred user agents, and the bot pattern is slow. */
const knownAgents = memo<boolean>(1000)
const isBot = (userAgent = '') => knownAgents(userAgent, () => isbot(userAgent))

const truncate = (text: string | undefined, length: number): string | null =>
  text?.replaceAll('\0', '').slice(0, length).toWellFormed() || null

export interface Visit {
  address: string
  userAgent: string | undefined
  referrer: string | undefined
  landingUrl?: string | undefined
}

/** What a visit's address is turned into: it is not stored itself. */
export interface VisitorLookup {
  addressKey: Buffer
  countryOf: (address: string) => string | null
}

/** What is stored of a visit: truncated, with the address hashed, its country, and marked if it was a bot. */
export function visitDetails(
  { address, userAgent, referrer, landingUrl }: Visit,
  { addressKey, countryOf }: VisitorLookup,
) {
  return {
    addressHash: addressHash(address, addressKey),
    country: countryOf(address),
    isBot: isBot(userAgent),
    userAgent: truncate(userAgent, 512),
    referrer: truncate(referrer, 2048),
    landingUrl: truncate(landingUrl, 2048),
  }
}
