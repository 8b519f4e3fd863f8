import type { ExploredSums, ExploreSort, ListSort } from '@tributary/contract/dashboard'
import type { FactSum, SourceSum } from './facts.store.ts'

export const noSums = (): ExploredSums => ({
  clicks: 0,
  unique_clicks: 0,
  leads: 0,
  conversions: 0,
  customers: 0,
  sales: 0,
  refunds: 0,
  money: [],
})

const counts = ['clicks', 'unique_clicks', 'leads', 'conversions', 'customers', 'sales', 'refunds'] as const
const amounts = ['revenue_minor', 'refunded_minor', 'commissions_minor'] as const

const pick = (row: FactSum) =>
  Object.fromEntries(counts.map(figure => [figure, row[figure]])) as Pick<FactSum, (typeof counts)[number]>

/** Adds the second to the first. */
function add(into: ExploredSums, from: ExploredSums): void {
  for (const figure of counts) into[figure] += from[figure]
  for (const each of from.money) {
    const own = into.money.find(({ currency }) => currency === each.currency)
    if (own) for (const amount of amounts) own[amount] += each[amount]
    else into.money.push({ ...each })
  }
}

/** The sums by key: a day becomes its week or month by `step`. */
export class SumsByKey {
  readonly sums = new Map<string, ExploredSums>()
  /** Null where it is not known: sources are not counted by affiliate. */
  activeAffiliates: number | null = null
  /** The largest first, once ordered. */
  currencies: string[] = []
  readonly #step: (key: string) => string

  constructor(step: (key: string) => string = key => key) {
    this.#step = step
  }

  #add(key: string, part: Partial<ExploredSums>): void {
    const own = this.sums.get(this.#step(key)) ?? noSums()
    add(own, { ...noSums(), ...part })
    this.sums.set(this.#step(key), own)
  }

  addSources(rows: SourceSum[]): this {
    for (const { key, ...part } of rows) this.#add(key, part)
    return this
  }

  addFacts(rows: FactSum[]): this {
    this.activeAffiliates = rows[0]?.active_affiliates ?? 0
    for (const row of rows) {
      const { key, currency, revenue_minor, refunded_minor, commissions_minor } = row
      const hasMoney = row.sales > 0 || row.refunds > 0 || row.commissions > 0
      this.#add(key, {
        ...pick(row),
        money: hasMoney ? [{ currency, revenue_minor, refunded_minor, commissions_minor }] : [],
      })
    }
    return this
  }

  of(id: number): ExploredSums {
    return this.sums.get(String(id)) ?? noSums()
  }

  /** The sum of all, with the largest currency first. */
  total(): ExploredSums {
    const total = noSums()
    for (const sums of this.sums.values()) add(total, sums)
    total.money.sort((a, b) => size(b) - size(a) || (a.currency < b.currency ? -1 : 1))
    return total
  }

  /** With the currencies of every key in the order of the total. */
  ordered(): this {
    this.currencies = this.total().money.map(({ currency }) => currency)
    for (const { money } of this.sums.values())
      money.sort((a, b) => this.currencies.indexOf(a.currency) - this.currencies.indexOf(b.currency))
    return this
  }
}

const size = ({ revenue_minor, commissions_minor }: ExploredSums['money'][number]) =>
  revenue_minor + commissions_minor

/** What rows are sorted by: an amount is compared in one currency. */
export function rankOf(sums: ExploredSums, sort: ExploreSort | ListSort, currency: string | null): number {
  if (sort === 'conversion_rate') return sums.clicks === 0 ? 0 : sums.conversions / sums.clicks
  if (sort !== 'revenue' && sort !== 'commissions') return sums[sort]
  return sums.money.find(each => each.currency === currency)?.[`${sort}_minor`] ?? 0
}
