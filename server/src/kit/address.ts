import { isIP, SocketAddress } from 'node:net'

const WITH_PORT = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/

/** Some proxies add the port of the client's connection: `203.0.113.7:41234`, `[2001:db8::1]:41234`. */
function withoutPort(address: string): string {
  const [, ipv6, ipv4] = WITH_PORT.exec(address) ?? []
  const bare = ipv6 ?? ipv4 ?? ''
  return isIP(bare) === 0 ? address : bare
}

/** The canonical form: proxies spell IPv6 in different ways, and a dual-stack socket reports IPv4 as `::ffff:…`. */
export function canonicalAddress(spelled: string): string {
  const address = isIP(spelled) === 0 ? withoutPort(spelled) : spelled
  if (isIP(address) !== 6) return address
  const plain = new SocketAddress({ address, family: 'ipv6' }).address
  return plain.startsWith('::ffff:') && isIP(plain.slice(7)) === 4 ? plain.slice(7) : plain
}

/** The eight groups of a canonical IPv6 address, in hexadecimal. */
export function ipv6Groups(address: string): string[] {
  const [front = [], back = []] = address.split('::').map(part => part.split(':').filter(Boolean))
  return [...front, ...Array(8 - front.length - back.length).fill('0'), ...back]
}

/** The leading groups of an IPv6 address; an IPv4 address unchanged. */
function prefixOf(address: string, groupCount: number): string {
  const plain = canonicalAddress(address)
  if (isIP(plain) !== 6) return plain
  return `${ipv6Groups(plain).slice(0, groupCount).join(':')}::/${groupCount * 16}`
}

/** The key by which attempts are counted: an IPv6 client controls 2^64 addresses of its /64, so the network counts as one. */
export const networkOf = (address: string): string => prefixOf(address, 4)

/** What a provider may assign to one customer: a /48, 65,536 such networks. */
export const siteOf = (address: string): string => prefixOf(address, 3)
