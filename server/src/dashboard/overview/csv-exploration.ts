import type { ExploredSums } from '@tributary/contract/dashboard'
import type { Db } from '../../db/database.ts'
import type { Breakdown } from '../../insight/explore.ts'
import { hasNames, namesOf } from '../../insight/explored-names.ts'
import { csvLine } from '../../kit/csv.ts'
import { amountCells, amountColumns } from '../performance-columns.ts'

const LINES = 1000
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

/** Every row of a breakdown as a file. */
export async function* csvExploration(
  db: Db,
  accountId: number,
  { by, total, currencies, keys, of }: Breakdown,
): AsyncGenerator<string> {
  yield csvLine([
    ...(hasNames(by) ? [`${by}_id`, by] : [by]),
    ...counts,
    ...amountColumns(amounts, currencies, total),
  ])
  for (let from = 0; from < keys.length; from += LINES) {
    const page = keys.slice(from, from + LINES)
    const names = await namesOf(db, accountId, by, page)
    const lines = page.map(key => {
      const sums = of(key)
      return csvLine([
        ...(hasNames(by) ? [key, names.get(key) ?? null] : [key]),
        ...counts.map(count => sums[count]),
        ...amountCells(amounts, currencies, sums),
      ])
    })
    yield lines.join('')
  }
}
