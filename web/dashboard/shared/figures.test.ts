/** Ratios are shown only where they mean something: never of nothing, and never across currencies. */
import type { ExploredSums } from '@tributary/contract/dashboard'
import { describe, expect, it } from 'vitest'
import {
  averageOrder,
  commissionShare,
  commissions,
  conversionRate,
  perClick,
  refundRate,
  revenue,
  sumsOf,
} from './figures.ts'

const none: ExploredSums = {
  clicks: 0,
  unique_clicks: 0,
  leads: 0,
  conversions: 0,
  customers: 0,
  sales: 0,
  refunds: 0,
  money: [],
  converted: null,
}
const usd = { currency: 'USD', revenue_minor: 20_000, refunded_minor: 5000, commissions_minor: 4000 }

it('nothing has no ratio', () => {
  for (const figure of [
    averageOrder,
    commissionShare,
    commissions,
    conversionRate,
    perClick,
    refundRate,
    revenue,
  ])
    expect(figure(none)).toBe('–')
})

it('one currency', () => {
  const sums = { ...none, clicks: 100, conversions: 3, sales: 4, money: [usd] }
  expect(conversionRate(sums)).toBe('3%')
  expect(averageOrder(sums)).toBe('$50.00')
  expect(refundRate(sums)).toBe('25%')
  expect(commissionShare(sums)).toBe('20%')
  expect(perClick(sums)).toBe('$0.40')
})

it('several currencies are listed, and have no average', () => {
  const eur = { currency: 'EUR', revenue_minor: 1000, refunded_minor: 0, commissions_minor: 0 }
  const sums = { ...none, clicks: 10, sales: 5, money: [usd, eur] }
  expect(revenue(sums)).toBe('$200.00, €10.00')
  expect(commissions(sums)).toBe('$40.00')
  expect(averageOrder(sums)).toBe('–')
})

describe('in a reporting currency', () => {
  const money = [usd, { currency: 'SEK', revenue_minor: 1000, refunded_minor: 0, commissions_minor: 0 }]
  const converted = { ...usd, currency: 'EUR', revenue_minor: 10_000, without_rate: [] }
  const sums = { ...none, clicks: 100, conversions: 3, sales: 4, money, converted }

  it('every amount and every ratio is in it', () => {
    expect(revenue(sums)).toBe('€100.00')
    expect(averageOrder(sums)).toBe('€25.00')
    expect(refundRate(sums)).toBe('50%')
    expect(commissionShare(sums)).toBe('40%')
    expect(perClick(sums)).toBe('€0.40')
  })

  it('where a rate is missing, amounts are shown, and ratios are not', () => {
    const partial = { ...sums, converted: { ...converted, without_rate: money.slice(1) } }
    expect(revenue(partial)).toBe('€100.00')
    for (const ratio of [averageOrder, refundRate, commissionShare, perClick])
      expect(ratio(partial)).toBe('–')
    expect(sumsOf(partial.converted.without_rate, 'revenue')).toEqual([
      { currency: 'SEK', amount_minor: 1000 },
    ])
    expect(sumsOf(partial.converted.without_rate, 'commissions')).toEqual([])
  })
})
