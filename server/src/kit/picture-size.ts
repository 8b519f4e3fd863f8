import type { FileType } from './file-type.ts'

export interface PictureSize {
  width: number
  height: number
}

/** Segments without a length: fill bytes, restarts and the start of the image. */
const isBare = (marker: number) => marker === 0xff || marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)
/** The start of a frame, which has the size; the three others in its range are tables. */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

function jpegSize(bytes: Buffer): PictureSize | undefined {
  let at = 2
  while (bytes.readUInt8(at) === 0xff) {
    const marker = bytes.readUInt8(at + 1)
    if (isFrame(marker)) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) }
    at += isBare(marker) ? (marker === 0xff ? 1 : 2) : 2 + bytes.readUInt16BE(at + 2)
  }
  return undefined
}

function webpSize(bytes: Buffer): PictureSize | undefined {
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21)
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
    }
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
    default:
      return undefined
  }
}

function sizeIn(bytes: Buffer, type: FileType): PictureSize | undefined {
  if (type === 'image/png') return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
  if (type === 'image/gif') return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }
  if (type === 'image/jpeg') return jpegSize(bytes)
  return type === 'image/webp' ? webpSize(bytes) : undefined
}

/** No format that browsers show is larger; a header may claim anything. */
const isPlausible = (pixels: number) => pixels > 0 && pixels <= 65_535

/** The size of a picture in pixels, from its header; undefined if the file is cut short or has none. */
export function pictureSize(bytes: Buffer, type: FileType): PictureSize | undefined {
  try {
    const size = sizeIn(bytes, type)
    return size && isPlausible(size.width) && isPlausible(size.height) ? size : undefined
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
