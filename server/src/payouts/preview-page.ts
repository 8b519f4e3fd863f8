import type { Exclusion, PreviewRow } from '@tributary/contract/dashboard'
import type { Db } from '../db/database.ts'
import type { PayableRow } from '../ledger/payable.ts'
import type { PayoutRequest } from './payout-scope.ts'
import { type PayoutPreview, previewPayout } from './preview-payout.ts'

const PAGE_ROWS = 50

/** Which affiliates of a dry run are wanted. */
export interface WantedRows {
  only?: 'all' | 'paid' | 'excluded'
  reason?: Exclusion
  /** Those whose id is greater. */
  after?: number
  limit?: number
}

/** Whether this row is wanted, whatever page it is on. */
export const isWanted = (row: PayableRow, { only = 'all', reason }: Pick<WantedRows, 'only' | 'reason'>) =>
  (only === 'all' || (only === 'paid') === (row.reason === null)) &&
  (reason === undefined || row.reason === reason)

const presentRow = (row: PayableRow): PreviewRow => ({
  id: row.affiliate_id,
  email: row.email,
  name: row.name,
  item:
    row.reason === null
      ? { amount_minor: row.payable_minor, payout_address: row.paypal_email, entries: row.entries }
      : null,
  reason: row.reason,
  balance_minor: row.balance_minor,
  payable_minor: row.payable_minor,
  on_hold_minor: row.on_hold_minor,
  in_payout_minor: row.in_payout_minor,
})

/**
 * A dry run over everybody, of which one page of affiliates is kept: the totals and the digest need all of them, the memory of
 * the service does not.
 */
export async function previewPage(
  db: Db,
  accountId: number,
  request: PayoutRequest,
  { after = 0, limit = PAGE_ROWS, ...wanted }: WantedRows,
): Promise<{ preview: PayoutPreview; data: PreviewRow[]; next: number | null }> {
  const rows: PreviewRow[] = []
  const preview = await previewPayout(db, accountId, request, page => {
    // One more than the page holds tells that another one follows.
    for (const row of page)
      if (rows.length <= limit && row.affiliate_id > after && isWanted(row, wanted))
        rows.push(presentRow(row))
  })
  const data = rows.slice(0, limit)
  return { preview, data, next: rows.length > limit ? (data.at(-1)?.id ?? null) : null }
}
