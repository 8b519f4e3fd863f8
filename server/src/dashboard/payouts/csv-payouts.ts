import type { DashboardQuery, PayoutSummary } from '@tributary/contract/dashboard'
import type { Db } from '../../db/database.ts'
import { streamSnapshot } from '../../db/stream-snapshot.ts'
import { csvLine } from '../../kit/csv.ts'
import { formatMinor } from '../../kit/money.ts'
import { streamItems } from '../../money/payouts/payout.store.ts'
import type { ItemDetail } from '../../money/payouts/payout.ts'
import { type PayoutFilters, streamSummaries } from '../../money/payouts/payout-view.store.ts'

const payoutHeader = csvLine(
  'payout campaign_id campaign rail status items total currency cut_off created_at finished_at'.split(' '),
)

const payoutLine = (payout: PayoutSummary) =>
  csvLine([
    payout.id,
    payout.campaign_id,
    payout.campaign_name,
    payout.rail,
    payout.status,
    payout.item_count,
    formatMinor(payout.total_minor, payout.currency),
    payout.currency,
    payout.cut_off,
    payout.created_at,
    payout.finished_at,
  ])

export async function* csvPayouts(db: Db, accountId: number, filters: PayoutFilters): AsyncGenerator<string> {
  yield payoutHeader
  for await (const payouts of streamSnapshot(db, tx => streamSummaries(tx, accountId, filters)))
    yield payouts.map(payoutLine).join('')
}

const itemHeader = csvLine(
  'item affiliate_id name email payout_address amount currency status reason reference settled_at'.split(' '),
)

const itemLine = (item: ItemDetail) =>
  csvLine([
    item.id,
    item.affiliate_id,
    item.name,
    item.email,
    item.payout_address,
    formatMinor(item.amount_minor, item.currency),
    item.currency,
    item.status,
    item.reason,
    item.reference,
    item.settled_at,
  ])

/** The status of every payment, for records and reconciliation. Not a payment file. */
export async function* csvItems(
  db: Db,
  accountId: number,
  payoutId: number,
  query: DashboardQuery<'exportPayoutItems'>,
): AsyncGenerator<string> {
  yield itemHeader
  for await (const items of streamSnapshot(db, tx => streamItems(tx, accountId, payoutId, query)))
    yield items.map(itemLine).join('')
}
