import { createHmac } from 'node:crypto'
import { isIP } from 'node:net'
import { isbot } from 'isbot'
import { canonicalAddress } from '../../kit/address.ts'
import { AddressRanges, privateRanges } from '../../kit/address-ranges.ts'
import { memo } from '../../kit/memory.ts'

/** Link-local addresses too belong to a network and not to a person. */
const inside = new AddressRanges(...privateRanges, '169.254.0.0/16', 'fe80::/10')

/** The address of a visitor as a keyed hash. Addresses inside a network tell nobody from anybody, so they are not kept. */
export function addressHash(address: string, key: Buffer): Buffer | null {
  if (isIP(address) === 0 || inside.has(address)) return null
  return createHmac('sha256', key).update(canonicalAddress(address)).digest().subarray(0, 16)
}

/** Most visitors come with one of a few hundred names of browsers, and the expression that knows robots is long. */
const robots = memo<boolean>(1000)
const isRobot = (userAgent = '') => robots(userAgent, () => isbot(userAgent))

const cut = (text: string | undefined, length: number): string | null =>
  text?.replaceAll('\0', '').slice(0, length).toWellFormed() || null

export interface Visit {
  address: string
  userAgent: string | undefined
  referrer: string | undefined
  landingUrl?: string | undefined
}

/** What is kept of a visit: bounded, without the address itself, and marked where a robot made it. */
export function visitDetails({ address, userAgent, referrer, landingUrl }: Visit, key: Buffer) {
  return {
    addressHash: addressHash(address, key),
    isBot: isRobot(userAgent),
    userAgent: cut(userAgent, 512),
    referrer: cut(referrer, 2048),
    landingUrl: cut(landingUrl, 2048),
  }
}
