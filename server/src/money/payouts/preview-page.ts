import type { PreviewRow } from '@tributary/contract/dashboard'
import type { Db } from '../../db/database.ts'
import { readSnapshot } from '../../db/snapshot.ts'
import { type PayableRow, readPayable, type WantedRows } from '../ledger/payable.ts'
import { type PayoutRequest, payoutScope } from './payout-scope.ts'
import type { PayoutPreview } from './preview-payout.ts'

const PAGE_ROWS = 50

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
  in_review_minor: row.in_review_minor,
  in_payout_minor: row.in_payout_minor,
})

/** One page of a dry run. Its totals and digest cover all affiliates. */
export function previewPage(
  db: Db,
  accountId: number,
  request: PayoutRequest,
  { after = 0, limit = PAGE_ROWS, ...wanted }: WantedRows & { after?: number; limit?: number },
): Promise<{ preview: PayoutPreview; data: PreviewRow[]; next: number | null }> {
  return readSnapshot(db, async tx => {
    const scope = await payoutScope(tx, accountId, request)
    // One extra row shows whether there is a next page.
    const { rows, ...summary } = await readPayable(tx, accountId, scope, {
      ...wanted,
      after,
      limit: limit + 1,
    })
    const data = rows.slice(0, limit).map(presentRow)
    const next = rows.length > limit ? (data.at(-1)?.id ?? null) : null
    return { preview: { ...scope, ...summary }, data, next }
  })
}
