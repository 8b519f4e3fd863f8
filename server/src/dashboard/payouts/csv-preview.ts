import type { Db, Tx } from '../../db/database.ts'
import { streamSnapshot } from '../../db/stream-snapshot.ts'
import { csvLine } from '../../kit/csv.ts'
import { formatMinor } from '../../kit/money.ts'
import { type PayableRow, streamPayable, type WantedRows } from '../../money/ledger/payable.ts'
import { type PayoutRequest, payoutScope } from '../../money/payouts/payout-scope.ts'

const header = csvLine(
  'affiliate_id name email amount currency payout_address entries reason balance payable on_hold in_review in_payout'.split(
    ' ',
  ),
)

function lineOf(row: PayableRow, currency: string): string {
  const isPaid = row.reason === null
  return csvLine([
    row.affiliate_id,
    row.name,
    row.email,
    formatMinor(isPaid ? row.payable_minor : 0, currency),
    currency,
    isPaid ? row.paypal_email : null,
    isPaid ? row.entries : 0,
    row.reason,
    formatMinor(row.balance_minor, currency),
    formatMinor(row.payable_minor, currency),
    formatMinor(row.on_hold_minor, currency),
    formatMinor(row.in_review_minor, currency),
    formatMinor(row.in_payout_minor, currency),
  ])
}

async function* linesOf(
  tx: Tx,
  accountId: number,
  request: PayoutRequest,
  wanted: WantedRows,
): AsyncGenerator<string[]> {
  const scope = await payoutScope(tx, accountId, request)
  for await (const rows of streamPayable(tx, accountId, scope, wanted))
    yield rows.map(row => lineOf(row, scope.currency))
}

/** The dry run as a file of any length: the payment of each affiliate or the reason for its exclusion, all at the same moment. */
export async function* csvPreview(
  db: Db,
  accountId: number,
  request: PayoutRequest,
  wanted: WantedRows,
): AsyncGenerator<string> {
  yield header
  for await (const lines of streamSnapshot(db, tx => linesOf(tx, accountId, request, wanted)))
    yield lines.join('')
}
