import type { DashboardQuery } from '@tributary/contract/dashboard'
import type { Db, Tx } from '../../db/database.ts'
import { streamSnapshot } from '../../db/stream-snapshot.ts'
import { csvLine } from '../../kit/csv.ts'
import { formatMinor } from '../../kit/money.ts'
import { owedTo } from '../../money/ledger/balances.ts'
import { type ListedAffiliate, streamAffiliates } from '../../programme/affiliates/affiliate-list.store.ts'

const header = csvLine(
  'affiliate created_at email name status kind token coupon_code paypal_email tags campaigns owed'.split(' '),
)

const lineOf = (line: ListedAffiliate, owed: { currency: string; balance_minor: number }[]): string =>
  csvLine([
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
    owed
      .map(({ currency, balance_minor }) => `${formatMinor(balance_minor, currency)} ${currency}`)
      .join('; '),
  ])

async function* linesOf(
  tx: Tx,
  accountId: number,
  query: DashboardQuery<'exportAffiliates'>,
): AsyncGenerator<string[]> {
  for await (const rows of streamAffiliates(tx, accountId, query)) {
    const ids = rows.map(({ id }) => id)
    const owed = await owedTo(tx, accountId, ids)
    yield rows.map(row => lineOf(row, owed.get(row.id) ?? []))
  }
}

/** The list of affiliates as a file of any length, with all balances at the same moment. */
export async function* csvAffiliates(
  db: Db,
  accountId: number,
  query: DashboardQuery<'exportAffiliates'>,
): AsyncGenerator<string> {
  yield header
  for await (const lines of streamSnapshot(db, tx => linesOf(tx, accountId, query))) yield lines.join('')
}
