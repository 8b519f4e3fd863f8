import { BlockList, isIP } from 'node:net'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { AddressRanges } from './address-ranges.ts'

const range = fc.oneof(
  fc.tuple(fc.ipV4(), fc.integer({ min: 0, max: 32 })).map(([address, bits]) => `${address}/${bits}`),
  fc
    .tuple(fc.ipV4(), fc.integer({ min: 90, max: 128 }))
    .map(([address, bits]) => `::ffff:${address}/${bits}`),
  fc.tuple(fc.ipV6(), fc.integer({ min: 0, max: 128 })).map(([address, bits]) => `${address}/${bits}`),
)

function blockList(ranges: string[]): BlockList {
  const list = new BlockList()
  for (const text of ranges) {
    const [address = '', bits] = text.split('/')
    list.addSubnet(address, Number(bits), isIP(address) === 4 ? 'ipv4' : 'ipv6')
  }
  return list
}

test('says what Node says of every address', () => {
  const address = fc.oneof(
    fc.ipV4(),
    fc.ipV6(),
    fc.ipV4().map(ipv4 => `::ffff:${ipv4}`),
  )
  fc.assert(
    fc.property(fc.array(range, { maxLength: 4 }), address, (ranges, asked) => {
      const expected = blockList(ranges).check(asked, isIP(asked) === 4 ? 'ipv4' : 'ipv6')
      expect(new AddressRanges(...ranges).has(asked)).toBe(expected)
    }),
    { numRuns: 2000 },
  )
})

test.each([
  ['10.0.0.0/8', '10.0.0.0', true],
  ['10.0.0.0/8', '10.255.255.255', true],
  ['10.0.0.0/8', '11.0.0.0', false],
  ['10.0.0.0/8', '9.255.255.255', false],
  ['10.0.0.0/8', '::ffff:10.1.2.3', true],
  ['255.255.255.255', '255.255.255.255', true],
  ['0.0.0.0/0', '1.2.3.4', true],
  ['fe80::/10', 'fe80::1', true],
  ['fe80::/10', 'fec0::1', false],
  ['10.0.0.0/8', 'example.com', false],
])('%s has %s: %s', (text, address, expected) => {
  expect(new AddressRanges(text).has(address)).toBe(expected)
})
