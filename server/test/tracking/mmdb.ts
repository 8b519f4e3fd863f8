import { isIP } from 'node:net'
import { ipv6Groups } from '../../src/kit/address.ts'

type Value = string | number | { [name: string]: Value }

/** The control byte of a value, and its type if that doesn't fit. */
function head(type: number, size: number): number[] {
  const [short, extra] = size < 29 ? [size, []] : [29, [size - 29]]
  return type <= 7 ? [(type << 5) | short, ...extra] : [short, type - 7, ...extra]
}

function encode(value: Value): number[] {
  if (typeof value === 'string') return [...head(2, Buffer.byteLength(value)), ...Buffer.from(value)]
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE(value)
    return [...head(6, 4), ...bytes]
  }
  const fields = Object.entries(value).flatMap(([name, each]) => [...encode(name), ...encode(each)])
  return [...head(7, Object.keys(value).length), ...fields]
}

/** The bits of an address in a tree of IPv6, where IPv4 is below 96 zeros. */
function bitsOf(address: string): string {
  if (isIP(address) === 6)
    return ipv6Groups(address)
      .map(group => Number.parseInt(group, 16).toString(2).padStart(16, '0'))
      .join('')
  const ipv4 = address.split('.').map(part => Number(part).toString(2).padStart(8, '0'))
  return `${'0'.repeat(96)}${ipv4.join('')}`
}

interface Node {
  sides: [Node | Value | undefined, Node | Value | undefined]
}
const isNode = (side: Node | Value | undefined): side is Node =>
  typeof side === 'object' && 'sides' in side && Array.isArray(side.sides)

function treeOf(networks: Record<string, Value>): Node {
  const root: Node = { sides: [undefined, undefined] }
  for (const [network, value] of Object.entries(networks)) {
    const [address = '', prefix] = network.split('/')
    const length = Number(prefix) + (isIP(address) === 6 ? 0 : 96)
    const path = [...bitsOf(address).slice(0, length)].map(Number)
    const last = path.pop() as 0 | 1
    let node = root
    for (const bit of path as (0 | 1)[]) {
      const next = node.sides[bit]
      const child: Node = isNode(next) ? next : { sides: [undefined, undefined] }
      node.sides[bit] = child
      node = child
    }
    node.sides[last] = value
  }
  return root
}

function writeRecords(nodes: Buffer, at: number, [left, right]: [number, number], bits: number): void {
  if (bits === 24 || bits === 32) {
    nodes.writeUIntBE(left, at, bits / 8)
    nodes.writeUIntBE(right, at + bits / 8, bits / 8)
    return
  }
  nodes.writeUIntBE(left % 2 ** 24, at, 3)
  nodes.writeUInt8(Math.floor(left / 2 ** 24) * 16 + Math.floor(right / 2 ** 24), at + 3)
  nodes.writeUIntBE(right % 2 ** 24, at + 4, 3)
}

/** A file in MMDB format with these networks; a value is stored twice, the second time by a pointer to the first. */
export function mmdb(networks: Record<string, Value>, recordBits: 24 | 28 | 32 = 24): Buffer {
  const nodes: Node[] = []
  const collect = (node: Node) => {
    nodes.push(node)
    for (const side of node.sides) if (isNode(side)) collect(side)
  }
  collect(treeOf(networks))
  const data: number[] = []
  const stored = new Map<string, number>()
  const offsetOf = (value: Value) => {
    const text = JSON.stringify(value)
    const known = stored.get(text)
    const offset = data.length
    // A pointer of eleven bits.
    if (known !== undefined) data.push(0x20 | (known >> 8), known & 255)
    else {
      stored.set(text, offset)
      data.push(...encode(value))
    }
    return offset
  }
  const tree = Buffer.alloc((nodes.length * recordBits) / 4)
  nodes.forEach((node, index) => {
    const records = node.sides.map(side =>
      side === undefined
        ? nodes.length
        : isNode(side)
          ? nodes.indexOf(side)
          : nodes.length + 16 + offsetOf(side),
    ) as [number, number]
    writeRecords(tree, (index * recordBits) / 4, records, recordBits)
  })
  const metadata = encode({
    binary_format_major_version: 2,
    ip_version: 6,
    node_count: nodes.length,
    record_size: recordBits,
    database_type: 'Countries',
    description: { en: 'x'.repeat(40) },
  })
  const marker = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1')
  return Buffer.concat([tree, Buffer.alloc(16), Buffer.from(data), marker, Buffer.from(metadata)])
}
