import { expect, it } from 'vitest'
import { fileType } from './file-type.ts'
import { pictureSize } from './picture-size.ts'

/** Smallest headers, as the formats' specifications describe them. */
const png = Buffer.from('89504e470d0a1a0a0000000d494844520000012c000000fa0806000000', 'hex')
const gif = Buffer.from('4749463839612c01fa00', 'hex')
const jpeg = Buffer.from('ffd8ffe000044a46ffffc400040000ffc2000b0800fa012c0101', 'hex')
const riff = (chunk: string, rest: string) =>
  Buffer.concat([Buffer.from('RIFF\0\0\0\0WEBP'), Buffer.from(chunk), Buffer.from(rest, 'hex')])
const extended = riff('VP8X', `0a00000000000000${'2b0100'}${'f90000'}`)
const lossy = riff('VP8 ', '000000000000009d012a2c01fa00')
const lossless = riff('VP8L', `000000002f${'2b413e00'}`)

it.each([
  ['PNG', png, 'image/png'],
  ['GIF', gif, 'image/gif'],
  ['JPEG with a table before its frame', jpeg, 'image/jpeg'],
  ['WebP, extended', extended, 'image/webp'],
  ['WebP, lossy', lossy, 'image/webp'],
  ['WebP, lossless', lossless, 'image/webp'],
] as const)('reads the type and size of a %s', (_name, bytes, type) => {
  expect([fileType(bytes), pictureSize(bytes, type)]).toEqual([type, { width: 300, height: 250 }])
})

it('finds no size in a file that is cut short anywhere', () => {
  for (const bytes of [png, gif, jpeg, extended, lossy, lossless]) {
    const type = fileType(bytes)
    for (let length = 0; length < bytes.length; length += 1)
      if (type) expect(() => pictureSize(bytes.subarray(0, length), type)).not.toThrow()
    expect(type && pictureSize(bytes.subarray(0, 9), type)).toBeUndefined()
  }
})

it.each(['<svg xmlns="http://www.w3.org/2000/svg"/>', '<!doctype html><script>alert(1)</script>', 'MZ', ''])(
  'does not know %s, whatever its name is',
  text => expect(fileType(Buffer.from(text))).toBeUndefined(),
)

it('does not believe a size that no browser shows', () => {
  const huge = Buffer.from(png)
  huge.writeUInt32BE(0xffffffff, 16)
  expect(pictureSize(huge, 'image/png')).toBeUndefined()
})
