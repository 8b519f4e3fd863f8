import type { ExploredSums } from '@tributary/contract/dashboard'
import type { SumsByKey } from '../insight/explored-sums.ts'
import { formatMinor } from '../kit/money.ts'

type Amount = 'revenue' | 'refunded' | 'commissions'

/**
 * Amounts have a column for each currency, so that a spreadsheet can add them up. With a reporting currency, more columns have the sum of
 * all in it, and the last one names the currencies that are not in the sum because a rate is missing.
 */
export const amountColumns = (
  amounts: readonly Amount[],
  currencies: string[],
  { converted }: Pick<ExploredSums, 'converted'>,
): string[] => [
  ...currencies.flatMap(currency => amounts.map(amount => `${amount}_${currency}`)),
  ...(converted
    ? [...amounts.map(amount => `total_${amount}_${converted.currency}`), 'currencies_without_rate']
    : []),
]

export const amountCells = (
  amounts: readonly Amount[],
  currencies: string[],
  { money, converted }: ExploredSums,
): string[] => [
  ...currencies.flatMap(currency => {
    const own = money.find(each => each.currency === currency)
    return amounts.map(amount => formatMinor(own?.[`${amount}_minor`] ?? 0, currency))
  }),
  ...(converted
    ? [
        ...amounts.map(amount => formatMinor(converted[`${amount}_minor`], converted.currency)),
        converted.without_rate.map(({ currency }) => currency).join('; '),
      ]
    : []),
]

const listed = ['revenue', 'commissions'] as const

/** The figures of a list in its file. */
export const performanceColumns = ({ currencies, total }: SumsByKey): string[] => [
  'clicks',
  'conversions',
  'conversion_rate',
  ...amountColumns(listed, currencies, total),
]

export const performanceCells = (
  sums: ExploredSums,
  { currencies }: SumsByKey,
): (string | number | null)[] => [
  sums.clicks,
  sums.conversions,
  sums.clicks === 0 ? null : (sums.conversions / sums.clicks).toFixed(4),
  ...amountCells(listed, currencies, sums),
]
