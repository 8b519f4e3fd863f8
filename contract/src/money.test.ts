/** Amounts survive a form: what is shown and typed again is the same to the minor unit, in every currency. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { currencyCodes, decimalsOf, parseMoney, plainAmount } from './money.ts'

describe('the table', () => {
  it.each([
    ['USD', 2],
    ['HUF', 2],
    ['JPY', 0],
    ['XPF', 0],
    ['KWD', 3],
    ['CLF', 4],
    ['UYW', 4],
  ])('%s has %i decimals', (currency, decimals) => {
    expect(decimalsOf(currency)).toBe(decimals)
  })

  it.each(['', 'U', 'usd', 'XXX', 'constructor'])('"%s", which is no currency, counts as having 2', code => {
    expect(decimalsOf(code)).toBe(2)
  })

  it('lists every currency once, as three capitals', () => {
    const codes = currencyCodes()
    expect(new Set(codes).size).toBe(codes.length)
    expect(codes.filter(code => !/^[A-Z]{3}$/.test(code))).toEqual([])
    expect(codes.length).toBe(165)
  })
})

describe('parseMoney', () => {
  it.each([
    ['12.50', 'USD', 1250],
    ['12,5', 'EUR', 1250],
    [' 50 ', 'USD', 5000],
    ['0', 'USD', 0],
    ['0.01', 'USD', 1],
    ['007', 'USD', 700],
    ['-3.07', 'USD', -307],
    ['1250', 'JPY', 1250],
    ['-1', 'JPY', -1],
    ['1.234', 'KWD', 1234],
    ['1.2', 'KWD', 1200],
    ['0.0001', 'CLF', 1],
    ['9999999999999.99', 'USD', 999_999_999_999_999],
    // While the currency is still being typed.
    ['1.25', 'US', 125],
  ])('reads %s %s as %i', (text, currency, minor) => {
    expect(parseMoney(text, currency)).toBe(minor)
  })

  it.each([
    ['', 'USD'],
    ['-', 'USD'],
    ['.5', 'USD'],
    ['5.', 'USD'],
    ['1e3', 'USD'],
    ['0x10', 'USD'],
    ['NaN', 'USD'],
    ['$5', 'USD'],
    ['+5', 'USD'],
    ['--5', 'USD'],
    ['1 000', 'USD'],
    ['1,000.00', 'USD'],
    ['1.005', 'USD'],
    ['1.0', 'JPY'],
    ['1.2345', 'KWD'],
    ['٣', 'USD'],
    ['12345678901234', 'USD'],
  ])('refuses "%s" %s', (text, currency) => {
    expect(parseMoney(text, currency)).toBeUndefined()
  })

  it('refuses amounts beyond the safe integers instead of rounding them', () => {
    expect(parseMoney('9007199254740.991', 'KWD')).toBe(Number.MAX_SAFE_INTEGER)
    expect(parseMoney('9007199254740.992', 'KWD')).toBeUndefined()
    expect(parseMoney('-9007199254740.993', 'KWD')).toBeUndefined()
  })

  it('never returns negative zero', () => {
    expect(Object.is(parseMoney('-0.00', 'USD'), 0)).toBe(true)
  })
})

describe('plainAmount', () => {
  it.each([
    [1250, 'USD', '12.50'],
    [1, 'USD', '0.01'],
    [0, 'USD', '0.00'],
    [-5, 'USD', '-0.05'],
    [-123_456, 'USD', '-1234.56'],
    [1250, 'JPY', '1250'],
    [-7, 'JPY', '-7'],
    [1, 'KWD', '0.001'],
    [12_345, 'CLF', '1.2345'],
    [Number.MAX_SAFE_INTEGER, 'USD', '90071992547409.91'],
  ])('writes %i of %s as %s', (minor, currency, text) => {
    expect(plainAmount(minor, currency)).toBe(text)
  })

  it('is what parseMoney reads back, in every currency', () => {
    const amounts = fc.integer({ min: -999_999_999_999_999, max: 999_999_999_999_999 })
    const currencies = fc.constantFrom(...currencyCodes().filter(code => decimalsOf(code) >= 2))
    fc.assert(
      fc.property(amounts, currencies, (minor, currency) => {
        expect(parseMoney(plainAmount(minor, currency), currency)).toBe(minor)
      }),
    )
    const whole = fc.integer({ min: -9_999_999_999_999, max: 9_999_999_999_999 })
    fc.assert(
      fc.property(whole, minor => {
        expect(parseMoney(plainAmount(minor, 'JPY'), 'JPY')).toBe(minor)
      }),
    )
  })
})
