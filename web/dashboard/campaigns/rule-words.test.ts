import { expect, it } from 'vitest'
import { money, percent } from '../../ui/format.ts'
import { ruleInWords } from './rule-words.ts'

const share = (rate_basis_points: number, recurring_months: number | null) =>
  ({ rate_basis_points, flat_minor: null, flat_currency: null, recurring_months }) as never

it.each([
  [null, 'each sale, as long as the customer pays'],
  [0, 'the first sale alone'],
  [1, 'each sale in the first month after the first one'],
  [12, 'each sale in the first 12 months after the first one'],
])('a share for %s months', (months, words) => {
  expect(ruleInWords(share(2000, months))).toBe(`${percent(0.2)} of ${words}`)
})

it('keeps hundredths of a per cent', () => {
  expect(ruleInWords(share(1, null))).toMatch(/^0\D01/)
  expect(ruleInWords(share(10_000, null))).toMatch(/^100/)
})

it.each(['USD', 'JPY', 'KWD'])('a fixed amount in %s', currency => {
  const rule = { rate_basis_points: null, flat_minor: 1250, flat_currency: currency, recurring_months: 0 }
  expect(ruleInWords(rule as never)).toBe(`${money(1250, currency)} for the first sale alone`)
})
