import { isIP } from 'node:net'
import { canonicalAddress, ipv6Groups } from '../../kit/address.ts'

/*
 * Reads countries from a file in MaxMind's format (MMDB 2), as GeoLite2 and DB-IP publish it: a binary tree of address bits, whose leaves
 * point to maps. Written here and not a package: of a map we need one field, there are as few maps as countries, and a click must not wait
 * for the rest of it to be decoded.
 */

const METADATA = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1')
/** Between the tree and the data. */
const SEPARATOR_BYTES = 16
/** Deeper than any real map. */
const MOST_DEPTH = 16

const broken = (why: string) => new Error(`is not a country database in MMDB format: ${why}`)

type Value = string | number | undefined | { [name: string]: Value } | Value[]

/** Decodes a value at an offset of a section; what we don't need, such as coordinates, is undefined. */
function decode(section: Buffer, start: number, depth = 0): [value: Value, next: number] {
  if (depth > MOST_DEPTH) throw broken('its maps are nested too deeply')
  let at = start
  const byte = () => section.readUInt8(at++)
  const control = byte()
  let type = control >> 5
  if (type === 1) {
    const size = (control >> 3) & 3
    const high = control & 7
    const bases = [0, 2048, 526_336, 0] as const
    const target =
      size === 3
        ? section.readUInt32BE(at)
        : high * 256 ** (size + 1) + section.readUIntBE(at, size + 1) + (bases[size] as number)
    return [decode(section, target, depth + 1)[0], at + size + 1]
  }
  if (type === 0) type = byte() + 7
  let size = control & 31
  if (size === 29) size = 29 + byte()
  else if (size === 30) {
    size = 285 + section.readUInt16BE(at)
    at += 2
  } else if (size === 31) {
    size = 65_821 + section.readUIntBE(at, 3)
    at += 3
  }
  if (type === 7 || type === 11) {
    const map: { [name: string]: Value } = {}
    for (let entry = 0; entry < size; entry++) {
      let name: Value = entry
      if (type === 7) [name, at] = decode(section, at, depth + 1)
      ;[map[String(name)], at] = decode(section, at, depth + 1)
    }
    return [map, at]
  }
  // A boolean has its value in place of a size.
  if (type === 14) return [size, at]
  const end = at + size
  if (end > section.length) throw broken('it ends too early')
  if (type === 2) return [section.toString('utf8', at, end), end]
  const isSmallNumber = (type === 5 || type === 6) && size <= 4
  return [isSmallNumber ? (size === 0 ? 0 : section.readUIntBE(at, size)) : undefined, end]
}

const field = (value: Value, name: string): Value =>
  typeof value === 'object' && !Array.isArray(value) && Object.hasOwn(value, name) ? value[name] : undefined

function metadataOf(bytes: Buffer) {
  const at = bytes.lastIndexOf(METADATA)
  if (at === -1) throw broken('it has no metadata')
  const [metadata] = decode(bytes.subarray(at + METADATA.length), 0)
  const number = (name: string) => {
    const value = field(metadata, name)
    if (typeof value !== 'number') throw broken(`its metadata has no ${name}`)
    return value
  }
  const [nodes, recordBits, version] = [number('node_count'), number('record_size'), number('ip_version')]
  if (number('binary_format_major_version') !== 2) throw broken('its version is not 2')
  if (![24, 28, 32].includes(recordBits)) throw broken(`its records have ${recordBits} bits`)
  return { nodes, recordBits, version }
}

export class CountryFile {
  readonly #tree: Buffer
  readonly #data: Buffer
  readonly #nodes: number
  readonly #recordBits: number
  /** Where IPv4 addresses begin in the tree: below 96 zero bits, if it has IPv6 too. */
  readonly #ipv4Root: number
  readonly #hasIpv6: boolean
  /** By the record of the tree: as many as there are countries. */
  readonly #known = new Map<number, string | null>()

  /** Throws if the bytes are no such file. */
  constructor(bytes: Buffer) {
    const { nodes, recordBits, version } = metadataOf(bytes)
    const treeBytes = (nodes * recordBits) / 4
    if (treeBytes + SEPARATOR_BYTES > bytes.length) throw broken('it ends too early')
    this.#tree = bytes.subarray(0, treeBytes)
    this.#data = bytes.subarray(treeBytes + SEPARATOR_BYTES)
    this.#nodes = nodes
    this.#recordBits = recordBits
    this.#hasIpv6 = version === 6
    let root = 0
    if (this.#hasIpv6) for (let bit = 0; bit < 96 && root < nodes; bit++) root = this.#record(root, 0)
    this.#ipv4Root = root
  }

  #record(node: number, side: 0 | 1): number {
    const tree = this.#tree
    if (this.#recordBits === 24) return tree.readUIntBE(node * 6 + side * 3, 3)
    if (this.#recordBits === 32) return tree.readUInt32BE(node * 8 + side * 4)
    // The middle byte has the four highest bits of each.
    const at = node * 7
    const middle = tree.readUInt8(at + 3)
    return side === 0
      ? (middle >> 4) * 2 ** 24 + tree.readUIntBE(at, 3)
      : (middle & 15) * 2 ** 24 + tree.readUIntBE(at + 4, 3)
  }

  #walk(root: number, parts: number[], bitsOfPart: number): number {
    let node = root
    for (const part of parts)
      for (let bit = bitsOfPart - 1; bit >= 0 && node < this.#nodes; bit--)
        node = this.#record(node, ((part >> bit) & 1) as 0 | 1)
    return node
  }

  #countryAt(record: number): string | null {
    const [map] = decode(this.#data, record - this.#nodes - SEPARATOR_BYTES)
    const code = field(field(map, 'country') ?? field(map, 'registered_country'), 'iso_code')
    return typeof code === 'string' && /^[A-Z]{2}$/.test(code) ? code : null
  }

  /** The two-letter code of an address's country; null if the file doesn't have it. */
  countryOf(address: string): string | null {
    const plain = canonicalAddress(address)
    const version = isIP(plain)
    if (version === 0 || (version === 6 && !this.#hasIpv6)) return null
    const record =
      version === 4
        ? this.#walk(this.#ipv4Root, plain.split('.').map(Number), 8)
        : this.#walk(
            0,
            ipv6Groups(plain).map(group => Number.parseInt(group, 16)),
            16,
          )
    if (record <= this.#nodes) return null
    const known = this.#known.get(record)
    if (known !== undefined) return known
    const country = this.#countryAt(record)
    this.#known.set(record, country)
    return country
  }
}
