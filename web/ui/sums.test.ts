import { expect, it } from 'vitest'
import { sumsByCurrency } from './sums.ts'

it('adds up what is of one currency, and nothing else', () => {
  expect(
    sumsByCurrency([
      { currency: 'USD', amount_minor: 100 },
      { currency: 'EUR', amount_minor: 5 },
      { currency: 'USD', amount_minor: -30 },
    ]),
  ).toEqual([
    ['USD', 70],
    ['EUR', 5],
  ])
})

it('keeps a sum of 0, and is empty without amounts', () => {
  expect(
    sumsByCurrency([
      { currency: 'JPY', amount_minor: 7 },
      { currency: 'JPY', amount_minor: -7 },
    ]),
  ).toEqual([['JPY', 0]])
  expect(sumsByCurrency([])).toEqual([])
})
