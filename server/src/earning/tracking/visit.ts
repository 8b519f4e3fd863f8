import { createHmac } from 'node:crypto'
import { isIP } from 'node:net'
import { isbot } from 'isbot'
import { canonicalAddress, networkOf } from '../../kit/address.ts'
import { AddressRanges, privateRanges } from '../../kit/address-ranges.ts'
import { memo } from '../../kit/cache.ts'

/** Private and link-local addresses identify a network, not a person. */
const internal = new AddressRanges(...privateRanges, '169.254.0.0/16', 'fe80::/10')

const isKnown = (address: string) => isIP(address) !== 0 && !internal.has(address)
const hash = (text: string, key: Buffer) => createHmac('sha256', key).update(text).digest().subarray(0, 16)

/** A keyed hash of a visitor's IP address. Internal addresses do not identify a visitor, so they are not stored. */
export const addressHash = (address: string, key: Buffer): Buffer | null =>
  isKnown(address) ? hash(canonicalAddress(address), key) : null

/** With the hash of its network too, which devices behind one IPv6 line share. An IPv4 address is its own. */
export const addressHashes = (address: string, key: Buffer) =>
  isKnown(address)
    ? { addressHash: hash(canonicalAddress(address), key), networkHash: hash(networkOf(address), key) }
    : null

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
