import type { DashboardQuery } from '@tributary/contract/dashboard'
import type { Db, Tx } from '../../db/database.ts'
import { streamSnapshot } from '../../db/stream-snapshot.ts'
import type { SumsByKey } from '../../insight/explored-sums.ts'
import { listedScope, listedSums, rankedIds } from '../../insight/listed-performance.ts'
import { csvLine } from '../../kit/csv.ts'
import { formatMinor } from '../../kit/money.ts'
import { owedTo } from '../../money/ledger/balances.ts'
import {
  type ListedAffiliate,
  listInOrder,
  streamAffiliates,
} from '../../programme/affiliates/affiliate-list.store.ts'
import { performanceCells, performanceColumns } from '../performance-columns.ts'

const columns =
  'affiliate created_at email name status kind token coupon_code paypal_email tags campaigns owed'.split(' ')
const RANKED_ROWS = 500

const cellsOf = (line: ListedAffiliate, owed: { currency: string; balance_minor: number }[]) => [
  line.id,
  line.created_at,
  line.email,
  line.name,
  line.status,
  line.kind,
  line.token,
  line.coupon_code,
  line.paypal_email,
  line.tags.join('; '),
  line.campaigns.map(({ name }) => name).join('; '),
  owed.map(({ currency, balance_minor }) => `${formatMinor(balance_minor, currency)} ${currency}`).join('; '),
]

/** In the order of the list: those with the figure that it is sorted by first. */
async function* rowsOf(
  tx: Tx,
  accountId: number,
  query: DashboardQuery<'exportAffiliates'>,
  sums: SumsByKey | undefined,
): AsyncGenerator<ListedAffiliate[]> {
  const ranked = query.sort && sums ? rankedIds(sums, query.sort) : []
  for (let from = 0; from < ranked.length; from += RANKED_ROWS)
    yield await listInOrder(tx, accountId, ranked.slice(from, from + RANKED_ROWS), query)
  const known = new Set(ranked)
  for await (const rows of streamAffiliates(tx, accountId, query))
    yield rows.filter(({ id }) => !known.has(id))
}

async function* linesOf(
  tx: Tx,
  accountId: number,
  query: DashboardQuery<'exportAffiliates'>,
): AsyncGenerator<string[]> {
  const scope = await listedScope(tx, accountId, query)
  const sums = scope && (await listedSums(tx, scope, 'affiliate'))
  yield [csvLine([...columns, ...(sums ? performanceColumns(sums) : [])])]
  for await (const rows of rowsOf(tx, accountId, query, sums)) {
    const ids = rows.map(({ id }) => id)
    const owed = await owedTo(tx, accountId, ids)
    yield rows.map(row =>
      csvLine([
        ...cellsOf(row, owed.get(row.id) ?? []),
        ...(sums ? performanceCells(sums.of(row.id), sums) : []),
      ]),
    )
  }
}

/** The list of affiliates as a file of any length, with all balances and figures at the same moment. */
export async function* csvAffiliates(
  db: Db,
  accountId: number,
  query: DashboardQuery<'exportAffiliates'>,
): AsyncGenerator<string> {
  // A list by a figure has its largest first, and the newest first among equals.
  const shown = query.sort ? { ...query, order: 'newest' as const } : query
  for await (const lines of streamSnapshot(db, tx => linesOf(tx, accountId, shown))) yield lines.join('')
}
