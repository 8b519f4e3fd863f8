import { OTHER } from '@tributary/contract/dashboard'
import type { FactSum } from './fact-sums.store.ts'

const counts = ['clicks', 'leads', 'conversions', 'customers', 'sales', 'refunds', 'commissions'] as const
const amounts = ['revenue', 'refunded', 'commissions'] as const
type Figure = (typeof counts)[number] | 'unique_clicks'

const sum = (rows: FactSum[], figure: Figure) => rows.reduce((total, row) => total + row[figure], 0)
const minus = (exact: string | null) =>
  exact === null ? null : exact.startsWith('-') ? exact.slice(1) : `-${exact}`

const negated = (row: FactSum): FactSum => ({
  ...row,
  ...Object.fromEntries(counts.map(count => [count, -row[count]])),
  ...Object.fromEntries(
    amounts.flatMap(amount => [
      [`${amount}_minor`, -row[`${amount}_minor`]],
      [`${amount}_converted`, minus(row[`${amount}_converted`])],
      [`${amount}_without_rate`, -row[`${amount}_without_rate`]],
    ]),
  ),
})

/**
 * What an affiliate did in all, less the links or other sources that are known by name: those beyond the limit of a day or of clicks that are
 * no longer stored, and of links what none brought, such as sales by coupon code. Rows of one key, to be added up; none if nothing is left.
 */
export function otherLinks(all: FactSum[], named: FactSum[]): FactSum[] {
  const left = (figure: Figure) => sum(all, figure) - sum(named, figure)
  if (counts.every(count => left(count) === 0)) return []
  // A visitor of two links is unique at each of them, so there may be more at the links than in all.
  const unique = Math.max(0, Math.min(left('clicks'), left('unique_clicks')))
  return [...all, ...named.map(negated)].map((row, index) => ({
    ...row,
    key: OTHER,
    unique_clicks: index === 0 ? unique : 0,
  }))
}
