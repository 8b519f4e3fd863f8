import { expect, it } from 'vitest'
import { SumsByKey } from './explored-sums.ts'
import type { FactSum } from './fact-sums.store.ts'
import { otherLinks } from './other-links.ts'

const row = (key: string, figures: Partial<FactSum>): FactSum => ({
  key,
  currency: 'XXX',
  clicks: 0,
  unique_clicks: 0,
  leads: 0,
  conversions: 0,
  customers: 0,
  sales: 0,
  revenue_minor: 0,
  refunds: 0,
  refunded_minor: 0,
  commissions: 0,
  commissions_minor: 0,
  revenue_converted: null,
  refunded_converted: null,
  commissions_converted: null,
  revenue_without_rate: 0,
  refunded_without_rate: 0,
  commissions_without_rate: 0,
  ...figures,
})
const sale = (key: string, revenue_minor: number, converted: string) =>
  row(key, { currency: 'EUR', sales: 1, revenue_minor, revenue_converted: converted })

it('are what is left of an affiliate, also in the reporting currency', () => {
  const all = [
    row('1', { clicks: 9, unique_clicks: 4, conversions: 2 }),
    { ...sale('1', 3000, '33.3'), sales: 2 },
  ]
  const named = [row('a', { clicks: 5, unique_clicks: 3, conversions: 1 }), sale('a', 1000, '11.1')]
  const sums = new SumsByKey('USD').addFacts(named).addFacts(otherLinks(all, named)).ordered()
  expect(sums.keys()).toEqual(['a', '(other)'])
  expect(sums.of('(other)')).toMatchObject({ clicks: 4, unique_clicks: 1, conversions: 1, sales: 1 })
  expect(sums.of('(other)').converted).toMatchObject({ revenue_minor: 2220 })
  expect(sums.total).toMatchObject({ clicks: 9, conversions: 2, sales: 2 })
  expect(sums.total.money[0]).toMatchObject({ currency: 'EUR', revenue_minor: 3000 })
})

it('are none if every link is named, though a visitor of two links is unique at both', () => {
  const named = [row('a', { clicks: 1, unique_clicks: 1 }), row('b', { clicks: 2, unique_clicks: 1 })]
  expect(otherLinks([row('1', { clicks: 3, unique_clicks: 1 })], named)).toEqual([])
  const [other] = otherLinks([row('1', { clicks: 4, unique_clicks: 1 })], named)
  expect(other?.unique_clicks).toBe(0)
})
