/** The minimum contrast of text with its background (WCAG 2, AA). */
const READABLE = 4.5

type Rgb = [red: number, green: number, blue: number]

const parse = (colour: string): Rgb =>
  [1, 3, 5].map(at => Number.parseInt(colour.slice(at, at + 2), 16)) as Rgb
const format = (rgb: Rgb) => `#${rgb.map(part => Math.round(part).toString(16).padStart(2, '0')).join('')}`

/** Relative luminance, from 0 to 1. */
function luminance(colour: string): number {
  const [red, green, blue] = parse(colour).map(part => {
    const share = part / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }) as Rgb
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

export function contrast(one: string, other: string): number {
  const [darker, lighter] = [luminance(one), luminance(other)].toSorted((a, b) => a - b) as [number, number]
  return (lighter + 0.05) / (darker + 0.05)
}

/** Interpolates between two colours; `share` runs from 0 to 1. */
export const mix = (from: string, to: string, share: number): string => {
  const target = parse(to)
  return format(parse(from).map((part, index) => part + ((target[index] as number) - part) * share) as Rgb)
}

/** The colour itself if it is readable on this background, or the nearest one that is. */
export function readableOn(background: string, colour: string): string {
  const towards = luminance(background) > 0.18 ? '#000000' : '#ffffff'
  for (let share = 0; share < 1; share += 0.02) {
    const candidate = mix(colour, towards, share)
    if (contrast(candidate, background) >= READABLE) return candidate
  }
  return towards
}

/** Black or white, whichever is easier to read on the colour. One of them always is. */
export const textOn = (colour: string) =>
  contrast(colour, '#ffffff') >= contrast(colour, '#000000') ? '#ffffff' : '#000000'

/** Whether a merchant's colour can be used for text on white as it is. */
export const isReadableOnWhite = (colour: string) => contrast(colour, '#ffffff') >= READABLE
