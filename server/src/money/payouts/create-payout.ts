import type { Db } from '../../db/database.ts'
import { conflict, invalidState } from '../../kit/domain-error.ts'
import { insertPayout, type PayableSummary } from '../ledger/payable.ts'
import { lockCampaignPayouts } from '../ledger/pins.ts'
import { failpoint } from './failpoint.ts'
import { type PayoutRequest, payoutScope } from './payout-scope.ts'

/**
 * Creates a payout: its items, their amounts and their entries. Payouts of one campaign are serialized, so that each sees the
 * entries the previous one has taken. With a preview's digest it is created only if its content is exactly that preview.
 */
export async function createPayout(
  db: Db,
  accountId: number,
  request: PayoutRequest & { digest?: string | undefined },
): Promise<PayableSummary & { id: number; cutOff: string }> {
  const created = await db.transaction(async tx => {
    const scope = await payoutScope(tx, accountId, request)
    await lockCampaignPayouts(tx, accountId, request.campaignId)
    const { payout_id: id, ...inserted } = await insertPayout(tx, accountId, {
      ...scope,
      digest: request.digest,
    })
    if (inserted.items === 0) throw invalidState(nothingToPay(inserted))
    if (id === null)
      throw conflict(
        `The content has changed since the preview: its digest is now ${inserted.digest}. Preview it again.`,
      )
    failpoint('payout inserted')
    return { ...inserted, id, cutOff: scope.cutOff }
  })
  failpoint('payout created')
  return created
}

function nothingToPay({ excluded }: PayableSummary): string {
  const reasons = Object.entries(excluded).map(([reason, affiliates]) => `${affiliates} × ${reason}`)
  return `There is nothing to pay${reasons.length > 0 ? `: ${reasons.join(', ')}` : ''}.`
}
