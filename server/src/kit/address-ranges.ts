import { BlockList, isIP } from 'node:net'

/** Loopback and private networks: addresses that mean something only inside. */
export const privateRanges = [
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '::1/128',
  'fc00::/7',
]

/** Ranges such as 10.0.0.0/8, or single addresses, as a list that can be asked. */
export function addressRanges(...texts: string[]): BlockList {
  const list = new BlockList()
  for (const text of texts) {
    const [address = '', prefix] = text.split('/')
    const [family, allBits] = isIP(address) === 6 ? (['ipv6', 128] as const) : (['ipv4', 32] as const)
    list.addSubnet(address, Number(prefix ?? allBits), family)
  }
  return list
}

/** Whether a text is an address, or a range of them. */
export function isAddressRange(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/')
  const version = isIP(address)
  const mostBits = version === 4 ? 32 : 128
  const isPrefix = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= mostBits)
  return version > 0 && rest.length === 0 && isPrefix
}
