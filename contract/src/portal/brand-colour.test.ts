/** Whatever colour a company chooses, text in it and on it stays readable. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { contrast, isReadableOnWhite, mix, readableOn, textOn } from './brand-colour.ts'

const SEED = Number(process.env.TEST_SEED ?? 20261115)
const settings = { seed: SEED, numRuns: 5000 }
const colour = fc.integer({ min: 0, max: 0xffffff }).map(value => `#${value.toString(16).padStart(6, '0')}`)

it(`a colour made readable has enough contrast on any background (seed ${SEED})`, () => {
  fc.assert(
    fc.property(colour, colour, (background, brand) => {
      const readable = readableOn(background, brand)
      expect(readable).toMatch(/^#[0-9a-f]{6}$/)
      expect(contrast(readable, background)).toBeGreaterThanOrEqual(4.5)
      // A colour that is already readable stays unchanged.
      if (contrast(brand, background) >= 4.5) expect(readable).toBe(brand)
    }),
    settings,
  )
})

it(`text on a colour is readable (seed ${SEED})`, () => {
  fc.assert(
    fc.property(colour, brand => {
      expect(contrast(textOn(brand), brand)).toBeGreaterThanOrEqual(4.5)
    }),
    settings,
  )
})

it('text is readable on every shade of grey, where black and white contrast least', () => {
  for (let value = 0; value < 256; value += 1) {
    const grey = `#${value.toString(16).padStart(2, '0').repeat(3)}`
    expect(contrast(textOn(grey), grey)).toBeGreaterThanOrEqual(4.5)
    expect(contrast(readableOn(grey, '#ff0000'), grey)).toBeGreaterThanOrEqual(4.5)
  }
})

it.each<[name: string, colour: string, isReadable: boolean, text: string]>([
  ['yellow', '#ffff00', false, '#000000'],
  ['white', '#ffffff', false, '#000000'],
  ['black', '#000000', true, '#ffffff'],
  ['the colour we begin with', '#12755c', true, '#ffffff'],
  ['the lightest grey for text on white', '#767676', true, '#000000'],
  ['a shade lighter', '#777777', false, '#000000'],
])('%s', (_name, brand, isReadable, text) => {
  expect(isReadableOnWhite(brand)).toBe(isReadable)
  expect(readableOn('#ffffff', brand) === brand).toBe(isReadable)
  expect(textOn(brand)).toBe(text)
})

it('yellow on white becomes a darker yellow, not another colour', () => {
  const [red, green, blue] = [1, 3, 5].map(at =>
    Number.parseInt(readableOn('#ffffff', '#ffff00').slice(at, at + 2), 16),
  ) as [number, number, number]
  expect([red, blue]).toEqual([green, 0])
  expect(red).toBeGreaterThan(100)
})

it('contrast follows the standard, and mixing is linear', () => {
  expect(contrast('#ffffff', '#000000')).toBeCloseTo(21)
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21)
  expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2)
  expect(mix('#000000', '#ffffff', 0.5)).toBe('#808080')
  expect([mix('#123456', '#ffffff', 0), mix('#123456', '#ffffff', 1)]).toEqual(['#123456', '#ffffff'])
})
