import type { ExploreDimension, ExploredSums } from '@tributary/contract/dashboard'
import type { Db } from '../../db/database.ts'
import { type Breakdown, labelsOf } from '../../insight/explore.ts'
import { csvLine } from '../../kit/csv.ts'
import { amountCells, amountColumns } from '../performance-columns.ts'

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

/** Every row of a breakdown as a file. */
export async function* csvExploration(
  db: Db,
  accountId: number,
  { by, hasMoney, total, currencies, rows }: Breakdown,
): AsyncGenerator<string> {
  const shown = hasMoney ? counts : sourceCounts
  yield csvLine([
    ...(hasName(by) ? [`${by}_id`, by] : [by]),
    ...shown,
    ...amountColumns(amounts, currencies, total),
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
        ...amountCells(amounts, currencies, sums),
      ]),
    )
    yield lines.join('')
  }
}
