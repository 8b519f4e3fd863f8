import type { ExploredMoney, ExploredSums, ExploreSort, ListSort } from '@tributary/contract/dashboard'
import { exactOf, nearest, roundExact } from '../money/fx/reporting.ts'
import type { FactSum } from './fact-sums.store.ts'

/** Fields are named one by one, not in a loop: there may be hundreds of rows, each added to two sums. */
type Counts = Pick<
  ExploredSums,
  'clicks' | 'unique_clicks' | 'leads' | 'conversions' | 'customers' | 'sales' | 'refunds'
>
interface Amounts<T> {
  revenue: T
  refunded: T
  commissions: T
}

const eachAmount = <From, To>(amounts: Amounts<From>, value: (amount: From) => To): Amounts<To> => ({
  revenue: value(amounts.revenue),
  refunded: value(amounts.refunded),
  commissions: value(amounts.commissions),
})

/** What is known of one currency. */
interface Money {
  original: Amounts<number>
  withoutRate: Amounts<number>
  /** Rounded only once everything has been added up. */
  converted: Amounts<bigint>
}

/** The sums of one key, while they are added up. */
interface Part extends Counts {
  money: Map<string, Money>
}

const emptyPart = (): Part => ({
  clicks: 0,
  unique_clicks: 0,
  leads: 0,
  conversions: 0,
  customers: 0,
  sales: 0,
  refunds: 0,
  money: new Map(),
})

function addAmounts(into: Amounts<number>, revenue: number, refunded: number, commissions: number): void {
  into.revenue += revenue
  into.refunded += refunded
  into.commissions += commissions
}

const noMoney = (): Money => ({
  original: { revenue: 0, refunded: 0, commissions: 0 },
  withoutRate: { revenue: 0, refunded: 0, commissions: 0 },
  converted: { revenue: 0n, refunded: 0n, commissions: 0n },
})

function addMoney({ original, withoutRate, converted }: Money, row: FactSum): void {
  addAmounts(original, row.revenue_minor, row.refunded_minor, row.commissions_minor)
  addAmounts(withoutRate, row.revenue_without_rate, row.refunded_without_rate, row.commissions_without_rate)
  converted.revenue += exactOf(row.revenue_converted)
  converted.refunded += exactOf(row.refunded_converted)
  converted.commissions += exactOf(row.commissions_converted)
}

function addRow(into: Part, row: FactSum): void {
  into.clicks += row.clicks
  into.unique_clicks += row.unique_clicks
  into.leads += row.leads
  into.conversions += row.conversions
  into.customers += row.customers
  into.sales += row.sales
  into.refunds += row.refunds
  if (row.sales === 0 && row.refunds === 0 && row.commissions === 0) return
  const money = into.money.get(row.currency) ?? noMoney()
  addMoney(money, row)
  into.money.set(row.currency, money)
}

const presented = (currency: string, { revenue, refunded, commissions }: Amounts<number>): ExploredMoney => ({
  currency,
  revenue_minor: revenue,
  refunded_minor: refunded,
  commissions_minor: commissions,
})

/** The exact sum of all currencies. */
function convertedOf({ money }: Part): Amounts<bigint> {
  const sum = noMoney().converted
  for (const { converted } of money.values()) {
    sum.revenue += converted.revenue
    sum.refunded += converted.refunded
    sum.commissions += converted.commissions
  }
  return sum
}

/** The sums by key: a day becomes its week or month by `step`. */
export class SumsByKey {
  /** The largest first, once ordered. */
  currencies: string[] = []
  readonly #parts = new Map<string, Part>()
  readonly #total = emptyPart()
  readonly #reporting: string | null
  readonly #step: (key: string) => string

  constructor(reportingCurrency: string | null, step: (key: string) => string = key => key) {
    this.#reporting = reportingCurrency
    this.#step = step
  }

  addFacts(rows: FactSum[]): this {
    for (const row of rows) {
      const step = this.#step(row.key)
      const part = this.#parts.get(step) ?? emptyPart()
      addRow(part, row)
      addRow(this.#total, row)
      this.#parts.set(step, part)
    }
    return this
  }

  /** Puts the largest currency first, in the sums of every key: of these sums, or of the whole that they are a part of. */
  ordered(whole: SumsByKey = this): this {
    const size = ({ original: { revenue, commissions } }: Money) => revenue + commissions
    this.currencies = [...whole.#total.money]
      .toSorted(([a, ofA], [b, ofB]) => size(ofB) - size(ofA) || (a < b ? -1 : 1))
      .map(([currency]) => currency)
    return this
  }

  keys(): string[] {
    return [...this.#parts.keys()]
  }

  of(key: string | number): ExploredSums {
    return this.#present(this.#parts.get(String(key)) ?? emptyPart())
  }

  get total(): ExploredSums {
    return this.#present(this.#total)
  }

  /** What amounts are compared in: the reporting currency, or else the one with the largest amounts. */
  get currency(): string | null {
    return this.#reporting ?? this.currencies[0] ?? null
  }

  /** What rows are sorted by. Without clicks there is no ratio to them, which is less than one of 0. */
  rankOf(key: string, sort: ExploreSort | ListSort): number {
    const part = this.#parts.get(key)
    if (!part) return 0
    if (sort === 'revenue' || sort === 'commissions') return this.#amountOf(part, sort)
    if (sort !== 'conversion_rate' && sort !== 'commission_per_click') return part[sort]
    if (part.clicks === 0) return -1
    return (sort === 'conversion_rate' ? part.conversions : this.#amountOf(part, 'commissions')) / part.clicks
  }

  #amountOf(part: Part, amount: 'revenue' | 'commissions'): number {
    if (this.#reporting) return nearest(convertedOf(part)[amount])
    return part.money.get(this.currency ?? '')?.original[amount] ?? 0
  }

  #present(part: Part): ExploredSums {
    const reporting = this.#reporting
    const money = this.currencies.flatMap(currency => {
      const own = part.money.get(currency)
      return own ? [{ currency, ...own }] : []
    })
    return {
      clicks: part.clicks,
      unique_clicks: part.unique_clicks,
      leads: part.leads,
      conversions: part.conversions,
      customers: part.customers,
      sales: part.sales,
      refunds: part.refunds,
      money: money.map(({ currency, original }) => presented(currency, original)),
      converted:
        reporting === null
          ? null
          : {
              ...presented(
                reporting,
                eachAmount(convertedOf(part), amount => roundExact(amount, reporting)),
              ),
              without_rate: money
                .filter(({ withoutRate }) => Object.values(withoutRate).some(amount => amount !== 0))
                .map(({ currency, withoutRate }) => presented(currency, withoutRate)),
            },
    }
  }
}
