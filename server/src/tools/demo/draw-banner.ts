import { crc32, deflateSync } from 'node:zlib'

const SHADES = 64
/** From the lightest to the darkest, in red, green and blue. */
const [LIGHT, DARK] = [
  [216, 243, 230],
  [9, 88, 66],
] as const

/** The part of a pixel below an edge: between 0 and 1 it is smoothed. */
const below = (distance: number) => Math.min(Math.max(distance + 0.5, 0), 1)

/** Waves that get darker from the back to the front. */
function shadeAt(x: number, y: number, width: number, height: number): number {
  const waves = [0.2, 0.45, 0.7].map((level, index) => {
    const swing = Math.sin((x / width) * Math.PI * (3 + index) + index * 2) * height * 0.14
    return below(y - (height * level + swing))
  })
  return waves.reduce((sum, part) => sum + part, 0) / waves.length
}

function chunk(type: string, data: Buffer): Buffer {
  const content = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const frame = Buffer.alloc(8)
  frame.writeUInt32BE(data.length, 0)
  frame.writeUInt32BE(crc32(content), 4)
  return Buffer.concat([frame.subarray(0, 4), content, frame.subarray(4)])
}

/** A PNG with a palette of shades, without a library for pictures. */
export function drawBanner(width: number, height: number): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  // 8 bits per pixel, indexed; the standard compression and filters, not interlaced.
  header.set([8, 3, 0, 0, 0], 8)
  const palette = Buffer.from(
    Array.from({ length: SHADES }, (_, shade) =>
      LIGHT.map((light, part) =>
        Math.round(light + (((DARK[part] as number) - light) * shade) / (SHADES - 1)),
      ),
    ).flat(),
  )
  // Each row begins with its filter: none.
  const pixels = Buffer.alloc((width + 1) * height)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      pixels[y * (width + 1) + 1 + x] = Math.round(shadeAt(x, y, width, height) * (SHADES - 1))
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('PLTE', palette),
    chunk('IDAT', deflateSync(pixels, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}
