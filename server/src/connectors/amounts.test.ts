/** Protects amounts from other systems: exact in every currency, never through floating point. */
import { describe, expect, it } from 'vitest'
import { baseOf, currencyFrom, minorFromDecimal, minorFromWhole } from './amounts.ts'

describe('amounts', () => {
  it.each([
    ['12.34', 'USD', 1234n],
    ['0.10', 'USD', 10n],
    ['12', 'USD', 1200n],
    ['1000', 'JPY', 1000n],
    ['1000.00', 'JPY', 1000n],
    ['1.234', 'KWD', 1234n],
    // Four decimals in the shop's settings: rounded half-even.
    ['12.3450', 'USD', 1234n],
    ['12.3550', 'USD', 1236n],
    ['90071992547409.91', 'USD', 9007199254740991n],
    ['90071992547409.92', 'USD', undefined],
    ['-1.00', 'USD', undefined],
    ['1e3', 'USD', undefined],
    ['', 'USD', undefined],
    [undefined, 'USD', undefined],
  ])('reads %s %s', (text, currency, minor) => {
    expect(minorFromDecimal(text, currency)).toBe(minor)
  })

  it('reads whole minor units', () => {
    expect(minorFromWhole('1234')).toBe(1234n)
    expect(minorFromWhole('12.34')).toBeUndefined()
    expect(minorFromWhole('-1')).toBeUndefined()
  })

  it('takes taxes off in proportion to what was paid', () => {
    expect(baseOf('net', { paid: 12_000n, tax: 2_000n })).toBe(10_000n)
    expect(baseOf('net', { paid: 6_000n, total: 12_000n, tax: 2_000n })).toBe(5_000n)
    expect(baseOf('gross', { paid: 6_000n, total: 12_000n, tax: 2_000n })).toBe(6_000n)
    expect(baseOf('net', { paid: 0n, tax: 0n })).toBe(0n)
  })

  it('knows currencies', () => {
    expect(currencyFrom('usd')).toBe('USD')
    expect(currencyFrom('XYZ')).toBeUndefined()
  })
})
