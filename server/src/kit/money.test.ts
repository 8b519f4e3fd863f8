/** Protects every amount: exact integers, rounded half-even once, with the decimals that ISO 4217 gives each currency. */
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { reportMeasurement, seed as SEED, sized } from '../../../testing/size.ts'
import { convertMinor, divideHalfEven, exponentOf, isCurrency, parseDecimal, shareOf } from './money.ts'

const RUNS = sized(2000, 200_000)
const settings = { seed: SEED, numRuns: RUNS }

describe('half-even', () => {
  it.each([
    [1n, 2n, 0n],
    [3n, 2n, 2n],
    [5n, 2n, 2n],
    [7n, 2n, 4n],
    [-1n, 2n, 0n],
    [-3n, 2n, -2n],
    [-5n, 2n, -2n],
    [1n, 3n, 0n],
    [2n, 3n, 1n],
    [-2n, 3n, -1n],
    [2_500_000_000_000_000_001n, 1_000_000_000_000_000_000n, 3n],
    [2_499_999_999_999_999_999n, 1_000_000_000_000_000_000n, 2n],
    [0n, 7n, 0n],
    [7n, -2n, -4n],
  ])('%d / %d is %d', (numerator, denominator, expected) => {
    expect(divideHalfEven(numerator, denominator)).toBe(expected)
  })

  it(`is never further off than half a unit, and even where it is exactly half (seed ${SEED})`, () => {
    const integer = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n })
    fc.assert(
      fc.property(integer, fc.bigInt({ min: 1n, max: 10n ** 15n }), (a, b) => {
        const quotient = divideHalfEven(a, b)
        const twiceOff = 2n * (quotient * b - a)
        const distance = twiceOff < 0n ? -twiceOff : twiceOff
        expect(distance <= b).toBe(true)
        if (distance === b) expect(quotient % 2n).toBe(0n)
      }),
      settings,
    )
  })
})

describe('decimals of a currency', () => {
  it.each([
    ['JPY', 0],
    ['KRW', 0],
    ['CLP', 0],
    ['USD', 2],
    ['EUR', 2],
    ['GBP', 2],
    ['KWD', 3],
    ['BHD', 3],
    ['TND', 3],
    ['CLF', 4],
    ['UYW', 4],
  ])('%s has %i', (currency, expected) => {
    expect(exponentOf(currency)).toBe(expected)
  })

  // What people write and what a bank counts differ here: amounts are in the minor units of ISO 4217.
  it.each([
    ['HUF', 2],
    ['IDR', 2],
    ['COP', 2],
    ['PKR', 2],
    ['LBP', 2],
    ['ALL', 2],
    ['MMK', 2],
    ['IQD', 3],
  ])('%s has %i, as ISO 4217 says', (currency, expected) => {
    expect(exponentOf(currency)).toBe(expected)
  })

  it.each(['USD', 'JPY', 'KWD', 'CLF', 'UYW'])('%s is a currency', code => {
    expect(isCurrency(code)).toBe(true)
  })
  it.each(['usd', 'US', 'ABC', 'XYZ', '', '__proto__'])('%j is none', code => {
    expect(isCurrency(code)).toBe(false)
  })
})

describe('basis points', () => {
  it.each([
    [10_000n, 2000, 2000n],
    [999n, 2000, 200n],
    [1n, 10_000, 1n],
    [1n, 1, 0n],
    [5n, 1000, 0n],
    [15n, 1000, 2n],
    [25n, 1000, 2n],
    [9_007_199_254_740_991n, 10_000, 9_007_199_254_740_991n],
    [9_007_199_254_740_991n, 3333, 3_002_099_511_605_172n],
  ])('of %d, %i are %d', (amount, basisPoints, expected) => {
    expect(shareOf(amount, basisPoints)).toBe(expected)
  })
})

describe('plain decimals', () => {
  it.each(['1', '0.5', '1.0853', '0', '000123.4500', '999999999999999.99999999999999999999'])('%s', text => {
    const decimal = parseDecimal(text)
    expect(decimal && Number(`${decimal.digits}e-${decimal.scale}`)).toBe(Number(text))
  })
  it.each([
    '',
    '.5',
    '1.',
    '-1',
    '+1',
    '1e5',
    '1,5',
    '0x10',
    ' 1',
    '1 ',
    'NaN',
    'Infinity',
    '1.2.3',
    '１',
    '1'.repeat(16),
    `1.${'1'.repeat(21)}`,
  ])('%j is none', text => {
    expect(parseDecimal(text)).toBeUndefined()
  })
})

/** Row 13. Independent exact rational arithmetic: a fraction of two integers that is never rounded. */
const EXPONENTS: Record<string, number> = { JPY: 0, USD: 2, KWD: 3, CLF: 4 }
const ten = (power: number) => BigInt(`1${'0'.repeat(power)}`)
const currency = fc.constantFrom(...Object.keys(EXPONENTS))
const amount = fc.oneof(
  fc.bigInt({ min: 0n, max: 1000n }),
  fc.bigInt({ min: 0n, max: 9_007_199_254_740_991n }),
)
const rate = fc.record({
  digits: fc.bigInt({ min: 1n, max: 10n ** 18n }),
  scale: fc.integer({ min: 0, max: 20 }),
})

describe('conversion', () => {
  /** In thousandths of a unit. */
  let worst = 0n
  afterAll(() =>
    reportMeasurement({
      row: 13,
      what: `furthest off in units, of ${RUNS} conversions with seed ${SEED}`,
      value: Number(worst) / 1000,
      bar: '≤ 0.5',
      holds: worst <= 500n,
    }),
  )

  it(`is the exact amount, off by at most half a unit (seed ${SEED})`, () => {
    fc.assert(
      fc.property(amount, currency, currency, rate, (minor, from, to, { digits, scale }) => {
        const numerator = minor * digits * ten(EXPONENTS[to] as number)
        const denominator = ten(scale) * ten(EXPONENTS[from] as number)
        const off = convertMinor(minor, from, to, { digits, scale }) * denominator - numerator
        const distance = off < 0n ? -off : off
        if (distance * 1000n > worst * denominator) worst = (distance * 1000n) / denominator
        expect(distance * 2n <= denominator).toBe(true)
      }),
      settings,
    )
  })

  it(`there and back is off by at most one unit of the coarser currency (seed ${SEED})`, () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 10n ** 12n }),
        fc.bigInt({ min: 1n, max: 10n ** 8n }),
        (minor, digits) => {
          const there = { digits, scale: 4 }
          const back = { digits: divideHalfEven(ten(24), digits), scale: 20 }
          const yen = convertMinor(convertMinor(minor, 'JPY', 'CLF', there), 'CLF', 'JPY', back)
          const slack = 1n + 10_000n / (2n * digits)
          expect(yen - minor <= slack && minor - yen <= slack).toBe(true)
        },
      ),
      settings,
    )
  })

  it.each([
    [100n, 'USD', 'JPY', '150', 150n],
    [1n, 'JPY', 'USD', '0.005', 0n],
    [3n, 'JPY', 'USD', '0.005', 2n],
    [1000n, 'KWD', 'USD', '3.25', 325n],
    [10_000n, 'CLF', 'USD', '38.125', 3812n],
    [1n, 'USD', 'KWD', '0.3', 3n],
  ])('%d %s in %s at %s is %d', (minor, from, to, text, expected) => {
    expect(convertMinor(minor, from, to, parseDecimal(text) as never)).toBe(expected)
  })
})

it(`parts of a whole, rounded on their running total, sum to it exactly (seed ${SEED})`, () => {
  fc.assert(
    fc.property(
      amount,
      fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 1, maxLength: 12 }),
      (whole, weights) => {
        const total = BigInt(weights.reduce((sum, weight) => sum + weight, 0))
        let [seen, given] = [0n, 0n]
        const parts = weights.map(weight => {
          seen += BigInt(weight)
          const part = divideHalfEven(whole * seen, total) - given
          given += part
          return part
        })
        expect(parts.reduce((sum, part) => sum + part, 0n)).toBe(whole)
        for (const part of parts) expect(part >= 0n).toBe(true)
      },
    ),
    settings,
  )
})
