import type { Compared, ComparedMoney, ComparedSum, OverviewStep } from '@tributary/contract/dashboard'
import { exactOf, roundExact } from '../../money/fx/reporting.ts'
import type { Counted, Summed } from './overview.store.ts'
import type { Period } from './period.store.ts'

export function compared<Row extends Counted>(rows: Row[], metric: (row: Row) => number): Compared {
  const sum = (isNow: boolean) =>
    rows.filter(row => (row.step !== null) === isNow).reduce((total, row) => total + metric(row), 0)
  return { now: sum(true), before: sum(false) }
}

/** By currency, the most used one first: it is the one the charts show. */
export function byCurrency(rows: Summed[]): ComparedMoney[] {
  const uses = new Map<string, number>()
  for (const { currency, count } of rows) uses.set(currency, (uses.get(currency) ?? 0) + count)
  return [...uses]
    .toSorted(([a, usesOfA], [b, usesOfB]) => usesOfB - usesOfA || (a < b ? -1 : 1))
    .map(([currency]) => {
      const own = rows.filter(row => row.currency === currency)
      return { currency, ...compared(own, row => row.sum_minor) }
    })
}

const exactSum = (rows: Summed[]) => rows.reduce((sum, { converted }) => sum + exactOf(converted), 0n)

/** All currencies in the reporting currency, rounded once. */
export function comparedSum(rows: Summed[], reporting: string): ComparedSum {
  const of = (isNow: boolean) =>
    roundExact(exactSum(rows.filter(row => (row.step !== null) === isNow)), reporting)
  const withoutRate = rows.map(row => ({ ...row, sum_minor: row.without_rate }))
  return {
    now: of(true),
    before: of(false),
    without_rate: byCurrency(withoutRate).filter(({ now, before }) => now !== 0 || before !== 0),
  }
}

interface Stepped {
  step: number | null
  sum_minor: number
}

/** One sum for each step. */
export const bySteps = (rows: Summed[], reporting: string): Stepped[] =>
  [...new Set(rows.map(({ step }) => step))].map(step => ({
    step,
    sum_minor: roundExact(exactSum(rows.filter(row => row.step === step)), reporting),
  }))

export function seriesOf(
  period: Period,
  rows: { clicks: Counted[]; conversions: Counted[]; revenue: Stepped[]; commissions: Stepped[] },
): OverviewStep[] {
  const series = period.steps.map(({ day, from }) => ({
    day,
    from,
    clicks: 0,
    conversions: 0,
    revenue_minor: 0,
    commissions_minor: 0,
  }))
  const fill = <Row extends Pick<Counted, 'step'>>(
    found: Row[],
    add: (into: OverviewStep, row: Row) => void,
  ) => {
    for (const row of found) {
      const into = row.step === null ? undefined : series[row.step]
      if (into) add(into, row)
    }
  }
  fill(rows.clicks, (into, { count }) => {
    into.clicks += count
  })
  fill(rows.conversions, (into, { count }) => {
    into.conversions += count
  })
  fill(rows.revenue, (into, { sum_minor }) => {
    into.revenue_minor += sum_minor
  })
  fill(rows.commissions, (into, { sum_minor }) => {
    into.commissions_minor += sum_minor
  })
  return series
}
