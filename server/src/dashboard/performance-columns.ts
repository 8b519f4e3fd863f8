import type { ExploredSums } from '@tributary/contract/dashboard'
import { formatMinor } from '../kit/money.ts'

const amounts = ['revenue', 'commissions'] as const

/** The figures of a list in its file. Amounts have a column for each currency, so that a spreadsheet can add them up. */
export const performanceColumns = (currencies: string[]): string[] => [
  'clicks',
  'conversions',
  'conversion_rate',
  ...currencies.flatMap(currency => amounts.map(amount => `${amount}_${currency}`)),
]

export const performanceCells = (sums: ExploredSums, currencies: string[]): (string | number | null)[] => [
  sums.clicks,
  sums.conversions,
  sums.clicks === 0 ? null : (sums.conversions / sums.clicks).toFixed(4),
  ...currencies.flatMap(currency => {
    const money = sums.money.find(each => each.currency === currency)
    return amounts.map(amount => formatMinor(money?.[`${amount}_minor`] ?? 0, currency))
  }),
]
