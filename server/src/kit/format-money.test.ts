/** Formatted amounts in files and statements are exact to the last minor unit. */
import { describe, expect, it } from 'vitest'
import { assertAmount, DEFAULT_LARGEST_MINOR, setLargestAmount } from './largest-amount.ts'
import { exponentOf, formatMinor } from './money.ts'

describe('minor units as a decimal', () => {
  it.each([
    [1234, 'USD', '12.34'],
    [1200, 'USD', '12.00'],
    [5, 'USD', '0.05'],
    [0, 'USD', '0.00'],
    [-5, 'USD', '-0.05'],
    [-1234, 'USD', '-12.34'],
    [1234, 'JPY', '1234'],
    [-1, 'JPY', '-1'],
    [0, 'JPY', '0'],
    [1234, 'KWD', '1.234'],
    [7, 'CLF', '0.0007'],
    [9_007_199_254_740_991, 'USD', '90071992547409.91'],
  ])('%i %s is %s', (minor, currency, expected) => {
    expect(formatMinor(minor, currency)).toBe(expected)
  })
})

it('a currency that does not exist has no decimals to guess', () => {
  expect(() => exponentOf('ABC')).toThrow(RangeError)
})

describe('the largest amount', () => {
  it.each([DEFAULT_LARGEST_MINOR, -DEFAULT_LARGEST_MINOR, 0])('%i is taken', minor => {
    expect(() => assertAmount('amount_minor', minor)).not.toThrow()
    expect(() => assertAmount('amount_minor', BigInt(minor))).not.toThrow()
  })

  it.each([DEFAULT_LARGEST_MINOR + 1, -DEFAULT_LARGEST_MINOR - 1])('%i is refused', minor => {
    expect(() => assertAmount('amount_minor', minor)).toThrow('must be at most 1000000000000 minor units')
  })

  it('is the one that the installation has set', () => {
    setLargestAmount(100)
    try {
      expect(() => assertAmount('amount_minor', 100)).not.toThrow()
      expect(() => assertAmount('amount_minor', 101)).toThrow('at most 100 minor units, not 101')
    } finally {
      setLargestAmount(DEFAULT_LARGEST_MINOR)
    }
  })
})
