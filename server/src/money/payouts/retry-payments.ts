import type { Db, Tx } from '../../db/database.ts'
import { invalidState, notFound } from '../../kit/domain-error.ts'
import { type FailedItem, failedItems, insertPayoutOfFailed } from '../ledger/failed-items.ts'
import { lockCampaignPayouts } from '../ledger/pins.ts'
import { createPayout } from './create-payout.ts'
import { recordManualOutcome } from './mark-payments.ts'
import { findHead } from './payout.store.ts'
import type { PayoutHead } from './payout.ts'

/**
 * The failed payments to act on. Payouts of the campaign are locked first, so that of two people, or of a retry and a new payout, the
 * second sees that the commissions are taken. Only a payment that has failed can be retried: any other may still be paid.
 */
async function lockFailed(
  tx: Tx,
  accountId: number,
  payoutId: number,
  itemIds: number[] | undefined,
): Promise<{ payout: PayoutHead; items: FailedItem[] }> {
  const payout = await findHead(tx, accountId, payoutId)
  if (!payout) throw notFound('payout')
  await lockCampaignPayouts(tx, accountId, payout.campaign_id)
  const failed = await failedItems(tx, accountId, payoutId, itemIds)
  const others = itemIds?.filter(id => failed.every(item => item.id !== id)) ?? []
  if (others.length > 0)
    throw invalidState(
      `These payments of payout ${payoutId} have not failed: ${others.join(', ')}. A payment whose outcome is unknown may still be paid.`,
    )
  const items = failed.filter(item => item.is_still_owed)
  const taken = failed.filter(item => !item.is_still_owed).map(({ id }) => id)
  if (items.length === 0 || (itemIds && taken.length > 0))
    throw invalidState(
      failed.length === 0
        ? `Payout ${payoutId} has no failed payments.`
        : `The commissions of these payments are already in another payout: ${taken.join(', ')}.`,
    )
  return { payout, items }
}

/**
 * Creates a payout over the same rail for the affiliates of failed payments: what is payable to them now, less refunds since. Nothing
 * is sent before a person sends it.
 */
export function retryPayments(
  db: Db,
  accountId: number,
  payoutId: number,
  itemIds?: number[],
): Promise<{ id: number; items: number; total_minor: number }> {
  return db.transaction(async tx => {
    const { payout, items } = await lockFailed(tx, accountId, payoutId, itemIds)
    const { id, ...made } = await createPayout(tx, accountId, {
      campaignId: payout.campaign_id,
      rail: payout.rail,
      affiliateIds: items.map(({ affiliate_id }) => affiliate_id),
    })
    return { id, items: made.items, total_minor: made.total_minor }
  })
}

/** Books failed payments that a person has made since, as a separate manual payout of the same commissions. Settling is left to the service. */
export function recordFailedAsPaid(
  db: Db,
  accountId: number,
  payoutId: number,
  itemIds: number[],
  reference: string | null,
): Promise<{ id: number; items: number }> {
  return db.transaction(async tx => {
    const { items } = await lockFailed(tx, accountId, payoutId, itemIds)
    const ids = items.map(({ id }) => id)
    const id = await insertPayoutOfFailed(tx, accountId, payoutId, ids)
    const paid = { outcome: 'paid', reason: null, reference } as const
    return { id, items: await recordManualOutcome(tx, accountId, id, paid) }
  })
}
