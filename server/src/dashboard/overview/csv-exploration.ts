import type { ExploreDimension, ExploredSums } from '@tributary/contract/dashboard'
import type { Db } from '../../db/database.ts'
import { type Breakdown, labelsOf } from '../../insight/explore.ts'
import { csvLine } from '../../kit/csv.ts'
import { formatMinor } from '../../kit/money.ts'

const LINES = 1000
const sourceCounts = ['clicks', 'unique_clicks', 'conversions'] as const
const counts = [
  'clicks',
  'unique_clicks',
  'leads',
  'conversions',
  'customers',
  'sales',
  'refunds',
] as const satisfies (keyof ExploredSums)[]
const amounts = ['revenue', 'refunded', 'commissions'] as const

const hasName = (by: ExploreDimension) => by === 'campaign' || by === 'affiliate'

/** Every row of a breakdown as a file. Amounts have a column for each currency, so that a spreadsheet can add them up. */
export async function* csvExploration(
  db: Db,
  accountId: number,
  { by, hasMoney, total, rows }: Breakdown,
): AsyncGenerator<string> {
  const currencies = total.money.map(({ currency }) => currency)
  const shown = hasMoney ? counts : sourceCounts
  yield csvLine([
    ...(hasName(by) ? [`${by}_id`, by] : [by]),
    ...shown,
    ...currencies.flatMap(currency => amounts.map(amount => `${amount}_${currency}`)),
  ])
  for (let from = 0; from < rows.length; from += LINES) {
    const page = rows.slice(from, from + LINES)
    const names = await labelsOf(
      db,
      accountId,
      by,
      page.map(([key]) => key),
    )
    const lines = page.map(([key, sums]) =>
      csvLine([
        ...(hasName(by) ? [key, names.get(key) ?? null] : [key]),
        ...shown.map(count => sums[count]),
        ...currencies.flatMap(currency => {
          const money = sums.money.find(each => each.currency === currency)
          return amounts.map(amount => formatMinor(money?.[`${amount}_minor`] ?? 0, currency))
        }),
      ]),
    )
    yield lines.join('')
  }
}
