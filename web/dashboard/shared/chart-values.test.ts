import { expect, it } from 'vitest'
import { compact, money } from '../../ui/format.ts'
import { exact, units } from './chart-values.ts'

it.each([
  ['USD', 123_456],
  ['JPY', 123_456],
  ['KWD', 123_456],
  ['CLF', -123_456],
  ['USD', 999_999_999_999],
])('a chart value in %s converts back exactly', (currency, minor) => {
  expect(exact(units(minor, currency), currency)).toBe(money(minor, currency))
})

it('an axis label is short and includes the currency', () => {
  expect(compact(1_234_567).length).toBeLessThan(8)
  expect(compact(1_234_567)).toMatch(/1\D2/)
  expect(compact(999)).toBe('999')
  expect(compact(999, 'EUR')).not.toBe(compact(999, 'USD'))
})
