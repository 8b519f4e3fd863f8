/** What a cohort's cells say: revenue for each customer until a month, and the share who bought in it. */
import { expect, it } from 'vitest'
import { cohortCells, largest } from './cohort-cells.ts'

const cohort = {
  month: '2026-01-01',
  customers: 4,
  months: [
    { buyers: 4, cumulated_minor: 40_000, original: [], is_whole: true },
    { buyers: 1, cumulated_minor: 41_002, original: [], is_whole: true },
    { buyers: 2, cumulated_minor: 40_500, original: [], is_whole: true },
  ],
}
const texts = (view: 'value' | 'buyers') =>
  cohortCells(cohort, { view, currency: 'USD', most: largest([cohort], view) }).map(({ text }) => text)

it('revenue is that of one customer, and the current month is marked', () => {
  expect(texts('value')).toEqual(['$100.00', '$102.51', '$101.25*'])
})

it('buyers are a share of the customers', () => {
  expect(texts('buyers')).toEqual(['100%', '25%', '50%*'])
})

it('a cell describes itself, and its strength is that among all', () => {
  const cells = cohortCells(cohort, { view: 'buyers', currency: 'USD', most: largest([cohort], 'buyers') })
  expect(cells[2]?.description).toBe(
    'Jan 2026, 2 months later: $101.25 revenue per customer so far; 2 of 4 customers bought (50%). This month isn’t over.',
  )
  expect(cells.map(({ strength }) => strength)).toEqual([1, 0.5, 1])
})

it('a cohort without customers has no ratio to show', () => {
  const none = {
    ...cohort,
    customers: 0,
    months: [{ buyers: 0, cumulated_minor: -500, original: [], is_whole: true }],
  }
  expect(cohortCells(none, { view: 'value', currency: 'JPY', most: 0 })[0]).toMatchObject({
    text: '¥0*',
    strength: 0,
  })
})

it('what was converted is in the description of a value, and not of a share', () => {
  const original = [
    { currency: 'EUR', amount_minor: 36_000 },
    { currency: 'USD', amount_minor: 400 },
  ]
  const converted = { ...cohort, months: [{ buyers: 4, cumulated_minor: 40_000, original, is_whole: true }] }
  const described = (view: 'value' | 'buyers', currency: string) =>
    cohortCells(converted, { view, currency, most: 1 })[0]?.description
  expect(described('value', 'USD')).toContain(' (100%). Original revenue: €360.00, $4.00. This month')
  expect(described('buyers', 'USD')).not.toContain('Original')
  const same = {
    ...cohort,
    months: [{ buyers: 4, cumulated_minor: 400, original: original.slice(1), is_whole: true }],
  }
  expect(cohortCells(same, { view: 'value', currency: 'USD', most: 1 })[0]?.description).not.toContain(
    'Original',
  )
})

it('a cohort with amounts that are left out has no average from then on, but shares', () => {
  const months = cohort.months.map((month, since) => ({ ...month, is_whole: since === 0 }))
  const missing = { ...cohort, months }
  const of = (view: 'value' | 'buyers') =>
    cohortCells(missing, { view, currency: 'USD', most: largest([missing], view) })
  expect(of('value').map(({ text }) => text)).toEqual(['$100.00', '–', '–*'])
  expect(of('value').map(({ strength }) => strength)).toEqual([1, 0, 0])
  expect(of('value')[1]?.description).toContain(': – revenue per customer so far; 1 of 4')
  expect(of('buyers').map(({ text }) => text)).toEqual(['100%', '25%', '50%*'])
})
