/** What a chart plots: every step of the range, the unfinished one marked, in one currency for each metric. */
import type { ExploredSums } from '@tributary/contract/dashboard'
import { expect, it } from 'vitest'
import { calendarDay } from '../../ui/format.ts'
import { chartCurrencies, chartSteps, daysOf, stepName } from './steps.ts'

const usd = { currency: 'USD', revenue_minor: 900, refunded_minor: 0, commissions_minor: 100 }
const eur = { currency: 'EUR', revenue_minor: 100, refunded_minor: 0, commissions_minor: 300 }
const sums: ExploredSums = {
  clicks: 5,
  unique_clicks: 4,
  leads: 0,
  conversions: 1,
  customers: 1,
  sales: 1,
  refunds: 0,
  money: [usd, eur],
  converted: null,
}
const row = (key: string) => ({ key, label: key, now: sums, before: null })
const currencies = { revenue: 'USD', commissions: 'EUR' }

it('days without data are steps too, and those to come are not', () => {
  const range = { from: '2026-02-27', to: '2026-03-05', today: '2026-03-02', rows: [row('2026-02-28')] }
  const steps = chartSteps(range, 'day', currencies)
  expect(steps.map(({ clicks }) => clicks)).toEqual([0, 5, 0, 0])
  expect(steps[1]).toMatchObject({ revenue_minor: 900, commissions_minor: 300 })
  expect(steps.map(({ name }) => name.endsWith('(so far)'))).toEqual([false, false, false, true])
  expect(steps.map(({ isUnfinished }) => isUnfinished)).toEqual([false, false, false, true])
})

it.each([
  ['week', ['2026-02-23', '2026-03-02', '2026-03-09']],
  ['month', ['2026-02-01', '2026-03-01']],
] as const)('by %s', (by, starts) => {
  const range = { from: '2026-02-26', to: '2026-03-10', today: '2026-05-01', rows: starts.map(row) }
  const steps = chartSteps(range, by, currencies)
  expect(steps.length).toBe(starts.length)
  expect(steps.map(({ name }) => name).join()).not.toMatch(/20/)
  expect(steps.every(({ clicks }) => clicks === 5)).toBe(true)
})

it('a step covers only the days that are in the range', () => {
  const range = { from: '2026-02-26', to: '2026-03-10', today: '2026-03-10' }
  expect(daysOf('2026-02-23', 'week', range)).toEqual({ from: '2026-02-26', to: '2026-03-01' })
  expect(daysOf('2026-03-01', 'month', range)).toEqual({ from: '2026-03-01', to: '2026-03-10' })
  expect(daysOf('2026-03-05', 'day', range)).toEqual({ from: '2026-03-05', to: '2026-03-05' })
})

it('only the step that holds today is unfinished', () => {
  const range = { from: '2026-01-01', to: '2026-12-31', today: '2026-03-31' }
  expect(stepName('2026-03-01', 'month', range)).toContain('so far')
  expect(stepName('2026-02-01', 'month', range)).not.toContain('so far')
  expect(stepName('2026-03-30', 'week', range)).toBe(`Week of ${calendarDay('2026-03-30')} (so far)`)
  expect(stepName('2026-04-01', 'day', range)).toBe(calendarDay('2026-04-01'))
})

it('each metric has its largest currency', () => {
  const gbp = { ...eur, currency: 'GBP', commissions_minor: 1 }
  expect(chartCurrencies({ ...sums, money: [usd, eur, gbp] })).toEqual({ ...currencies, others: ['GBP'] })
  expect(chartCurrencies({ ...sums, money: [] })).toEqual({ revenue: 'USD', commissions: 'USD', others: [] })
})

it('an axis names the year only if there are several', () => {
  const range = { from: '2025-12-31', to: '2026-01-01', today: '2026-05-01', rows: [] }
  const steps = chartSteps(range, 'day', currencies)
  expect(steps.map(({ name }) => name)).toEqual([calendarDay('2025-12-31'), calendarDay('2026-01-01')])
  expect(chartSteps({ ...range, from: range.to }, 'day', currencies)[0]?.name).not.toMatch(/2026/)
})

it('with a reporting currency, charts show everything in it', () => {
  const converted = { ...usd, currency: 'CHF', revenue_minor: 950, commissions_minor: 333, without_rate: [] }
  const own = { ...sums, converted }
  expect(chartCurrencies(own)).toEqual({ revenue: 'CHF', commissions: 'CHF', others: [] })
  const rows = [{ ...row('2026-02-28'), now: own }]
  const range = { from: '2026-02-28', to: '2026-02-28', today: '2026-05-01', rows }
  expect(chartSteps(range, 'day', { revenue: 'CHF', commissions: 'CHF' })[0]).toMatchObject({
    revenue_minor: 950,
    commissions_minor: 333,
  })
})
