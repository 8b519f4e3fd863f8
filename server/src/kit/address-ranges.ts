import { BlockList, isIP } from 'node:net'
import { once } from './once.ts'

/** Loopback, private and other non-public address ranges. */
export const privateRanges = [
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '::1/128',
  'fc00::/7',
]

const DOT = 46
const ZERO = 48

/** An IPv4 address as a number, without allocating: this runs for every click. */
function numberOf(ipv4: string): number {
  let sum = 0
  let part = 0
  for (let index = 0; index < ipv4.length; index++) {
    const code = ipv4.charCodeAt(index)
    if (code === DOT) {
      sum = sum * 256 + part
      part = 0
    } else part = part * 10 + code - ZERO
  }
  return sum * 256 + part
}

function listOf(texts: string[]): BlockList {
  const list = new BlockList()
  for (const text of texts) {
    const [address = '', prefix] = text.split('/')
    const [family, allBits] = isIP(address) === 6 ? (['ipv6', 128] as const) : (['ipv4', 32] as const)
    list.addSubnet(address, Number(prefix ?? allBits), family)
  }
  return list
}

/** IPv4-mapped IPv6 addresses. */
const mapped = once(() => listOf(['::ffff:0:0/96']))

/** A set of address ranges such as 10.0.0.0/8, or single addresses. */
export class AddressRanges {
  readonly #texts: string[]
  /** Built on first use: it is the slowest part of loading this module. */
  readonly #list: () => BlockList
  readonly #ipv4: () => { from: number; to: number }[] | undefined

  constructor(...texts: string[]) {
    this.#texts = texts
    this.#list = once(() => listOf(texts))
    this.#ipv4 = once(() => this.#plainRanges())
  }

  /** An IPv4-mapped address, such as ::ffff:10.0.0.1, counts as its IPv4 address. */
  has(address: string): boolean {
    const version = isIP(address)
    if (version === 0) return false
    const ranges = version === 4 ? this.#ipv4() : undefined
    if (!ranges) return this.#list().check(address, version === 4 ? 'ipv4' : 'ipv6')
    const number = numberOf(address)
    return ranges.some(({ from, to }) => from <= number && number <= to)
  }

  /**
   * The first and last address of each range, unless an IPv6 range covers IPv4 addresses too. A BlockList takes many times as long, and
   * this runs for every click.
   */
  #plainRanges() {
    const isIpv6 = (text: string) => text.includes(':')
    const holdsMapped = (text: string) =>
      mapped().check(text.split('/')[0] as string, 'ipv6') || listOf([text]).check('0.0.0.0')
    if (this.#texts.some(text => isIpv6(text) && holdsMapped(text))) return undefined
    const ipv4 = this.#texts.filter(text => !isIpv6(text))
    return ipv4.map(text => {
      const [address = '', prefix = 32] = text.split('/')
      const size = 2 ** (32 - Number(prefix))
      const from = Math.floor(numberOf(address) / size) * size
      return { from, to: from + size - 1 }
    })
  }
}

/** Whether a string is an IP address or a CIDR range. */
export function isAddressRange(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/')
  const version = isIP(address)
  const mostBits = version === 4 ? 32 : 128
  const isPrefix = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= mostBits)
  return version > 0 && rest.length === 0 && isPrefix
}
