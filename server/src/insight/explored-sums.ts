import type { ExploredMoney, ExploredSums, ExploreSort, ListSort } from '@tributary/contract/dashboard'
import { exactOf, nearest, roundExact } from '../money/fx/reporting.ts'
import type { FactSum } from './fact-sums.store.ts'

const counts = ['clicks', 'unique_clicks', 'leads', 'conversions', 'customers', 'sales', 'refunds'] as const
const amounts = ['revenue', 'refunded', 'commissions'] as const
type Counts = Record<(typeof counts)[number], number>
type Amounts<T> = Record<(typeof amounts)[number], T>

const eachAmount = <T>(value: (amount: keyof Amounts<T>) => T): Amounts<T> => ({
  revenue: value('revenue'),
  refunded: value('refunded'),
  commissions: value('commissions'),
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

const noCounts = (): Counts => ({
  clicks: 0,
  unique_clicks: 0,
  leads: 0,
  conversions: 0,
  customers: 0,
  sales: 0,
  refunds: 0,
})

/** Adds the second to the first. */
function add(into: Part, from: Part): void {
  for (const count of counts) into[count] += from[count]
  for (const [currency, money] of from.money) {
    const own = into.money.get(currency)
    into.money.set(currency, {
      original: eachAmount(amount => (own?.original[amount] ?? 0) + money.original[amount]),
      withoutRate: eachAmount(amount => (own?.withoutRate[amount] ?? 0) + money.withoutRate[amount]),
      converted: eachAmount(amount => (own?.converted[amount] ?? 0n) + money.converted[amount]),
    })
  }
}

const moneyOf = (row: FactSum): Map<string, Money> =>
  row.sales !== 0 || row.refunds !== 0 || row.commissions !== 0
    ? new Map([
        [
          row.currency,
          {
            original: eachAmount(amount => row[`${amount}_minor`]),
            withoutRate: eachAmount(amount => row[`${amount}_without_rate`]),
            converted: eachAmount(amount => exactOf(row[`${amount}_converted`])),
          },
        ],
      ])
    : new Map()

const presented = (currency: string, { revenue, refunded, commissions }: Amounts<number>): ExploredMoney => ({
  currency,
  revenue_minor: revenue,
  refunded_minor: refunded,
  commissions_minor: commissions,
})

/** The exact sum of all currencies. */
const convertedOf = ({ money }: Part, amount: keyof Amounts<bigint>) =>
  [...money.values()].reduce((sum, { converted }) => sum + converted[amount], 0n)

/** The sums by key: a day becomes its week or month by `step`. */
export class SumsByKey {
  /** The largest first, once ordered. */
  currencies: string[] = []
  readonly #parts = new Map<string, Part>()
  readonly #total: Part = { ...noCounts(), money: new Map() }
  readonly #reporting: string | null
  readonly #step: (key: string) => string

  constructor(reportingCurrency: string | null, step: (key: string) => string = key => key) {
    this.#reporting = reportingCurrency
    this.#step = step
  }

  #add(key: string, part: Part): void {
    const step = this.#step(key)
    const own = this.#parts.get(step) ?? { ...noCounts(), money: new Map() }
    add(own, part)
    add(this.#total, part)
    this.#parts.set(step, own)
  }

  addFacts(rows: FactSum[]): this {
    for (const row of rows) this.#add(row.key, { ...row, money: moneyOf(row) })
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
    return this.#present(this.#parts.get(String(key)) ?? { ...noCounts(), money: new Map() })
  }

  get total(): ExploredSums {
    return this.#present(this.#total)
  }

  /** What amounts are compared in: the reporting currency, or else the one with the largest amounts. */
  get currency(): string | null {
    return this.#reporting ?? this.currencies[0] ?? null
  }

  /** What rows are sorted by. */
  rankOf(key: string, sort: ExploreSort | ListSort): number {
    const part = this.#parts.get(key)
    if (!part) return 0
    if (sort === 'conversion_rate') return part.clicks === 0 ? 0 : part.conversions / part.clicks
    if (sort !== 'revenue' && sort !== 'commissions') return part[sort]
    if (this.#reporting) return nearest(convertedOf(part, sort))
    return part.money.get(this.currency ?? '')?.original[sort] ?? 0
  }

  #present(part: Part): ExploredSums {
    const reporting = this.#reporting
    const money = this.currencies.flatMap(currency => {
      const own = part.money.get(currency)
      return own ? [{ currency, ...own }] : []
    })
    return {
      ...(Object.fromEntries(counts.map(count => [count, part[count]])) as Counts),
      money: money.map(({ currency, original }) => presented(currency, original)),
      converted:
        reporting === null
          ? null
          : {
              ...presented(
                reporting,
                eachAmount(amount => roundExact(convertedOf(part, amount), reporting)),
              ),
              without_rate: money
                .filter(({ withoutRate }) => Object.values(withoutRate).some(amount => amount !== 0))
                .map(({ currency, withoutRate }) => presented(currency, withoutRate)),
            },
    }
  }
}
