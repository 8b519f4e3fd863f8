import type { Db } from '../../db/database.ts'
import { readSnapshot } from '../../db/snapshot.ts'
import { type PayableRow, type PayableSummary, streamPayable } from '../ledger/payable.ts'
import { PayableSum } from './payable-sum.ts'
import { type PayoutRequest, type PayoutScope, payoutScope } from './payout-scope.ts'

export interface PayoutPreview extends PayableSummary, PayoutScope {}

/**
 * The dry run: what a payout created now would contain, and why the other affiliates are excluded. `read` receives the affiliates
 * a page at a time; the totals and the digest are computed from the same rows.
 */
export function previewPayout(
  db: Db,
  accountId: number,
  request: PayoutRequest,
  read: (page: PayableRow[], scope: PayoutScope) => Promise<void> | void,
): Promise<PayoutPreview> {
  return readSnapshot(db, async tx => {
    const scope = await payoutScope(tx, accountId, request)
    const sum = new PayableSum(scope)
    for await (const rows of streamPayable(tx, accountId, scope)) {
      for (const row of rows) sum.add(row)
      await read(
        rows.map(({ content, ...row }) => row),
        scope,
      )
    }
    return { ...scope, ...sum.summary() }
  })
}
