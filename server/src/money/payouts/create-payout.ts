import type { Db } from '../../db/database.ts'
import { conflict, invalidState } from '../../kit/domain-error.ts'
import { insertPayout, type PayableSummary } from '../ledger/payable.ts'
import { failpoint } from './failpoint.ts'
import { lockCampaignPayouts } from './payout.store.ts'
import { type PayoutRequest, payoutScope } from './payout-scope.ts'

/**
 * Fixes a payout: who gets how much for which entries. Payouts of one campaign are made one after the other, so that each sees
 * what the one before has taken. With the digest of a preview it is made only if it would be exactly that.
 */
export async function createPayout(
  db: Db,
  accountId: number,
  request: PayoutRequest & { digest?: string | undefined },
): Promise<PayableSummary & { id: number }> {
  const created = await db.transaction(async tx => {
    const scope = await payoutScope(tx, accountId, request)
    await lockCampaignPayouts(tx, accountId, request.campaignId)
    const { payout_id: id, ...made } = await insertPayout(tx, accountId, { ...scope, digest: request.digest })
    if (made.items === 0) throw invalidState(nothingToPay(made))
    if (id === null)
      throw conflict(
        `The content has changed since the preview: its digest is now ${made.digest}. Look at it again.`,
      )
    failpoint('payout inserted')
    return { ...made, id }
  })
  failpoint('payout created')
  return created
}

function nothingToPay({ excluded }: PayableSummary): string {
  const reasons = Object.entries(excluded).map(([reason, affiliates]) => `${affiliates} × ${reason}`)
  return `There is nothing to pay${reasons.length > 0 ? `: ${reasons.join(', ')}` : ''}.`
}
