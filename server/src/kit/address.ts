import { isIP, SocketAddress } from 'node:net'

/** One spelling for each address: proxies write IPv6 as they like, and a socket that takes both writes IPv4 as `::ffff:…`. */
export function canonicalAddress(address: string): string {
  if (isIP(address) !== 6) return address
  const plain = new SocketAddress({ address, family: 'ipv6' }).address
  return plain.startsWith('::ffff:') && isIP(plain.slice(7)) === 4 ? plain.slice(7) : plain
}

/** The leading groups of an IPv6 address; an IPv4 address as it is. */
function prefixOf(address: string, groupCount: number): string {
  const plain = canonicalAddress(address)
  if (isIP(plain) !== 6) return plain
  const [front = [], back = []] = plain.split('::').map(part => part.split(':').filter(Boolean))
  const groups = [...front, ...Array(8 - front.length - back.length).fill('0'), ...back]
  return `${groups.slice(0, groupCount).join(':')}::/${groupCount * 16}`
}

/** Whom attempts are counted by: whoever has one address of an IPv6 network has 2^64 of them, so its network counts as one. */
export const networkOf = (address: string): string => prefixOf(address, 4)

/** What one customer of a provider may get: 65,536 such networks. */
export const siteOf = (address: string): string => prefixOf(address, 3)
