import type { Db, Tx } from '../../db/database.ts'
import { recordNotices } from '../../mail/notices/record-notices.ts'
import { recordEvent, recordEvents } from '../../webhooks/outbox/record-event.ts'
import { presentCommission } from '../commissions/commission.presenter.ts'
import { payPinned, releasePinned } from '../ledger/pins.ts'
import { failpoint } from './failpoint.ts'
import { itemsToSettle, markSettled, payoutsToSettle } from './payment-outcome.store.ts'
import { presentPayout } from './payout.presenter.ts'
import { findPayout, finishPayout, lockPayout } from './payout.store.ts'

/** Items per transaction: enough for throughput, few enough to release the locks quickly. */
const BATCH_SIZE = 500

/**
 * Settles every item that has an outcome: paid ones are booked in the ledger, the others release their commissions. The payout
 * becomes final with its last item, and its event commits in the same transaction. Idempotent, and safe to run concurrently.
 */
export async function settlePayout(db: Db, accountId: number, payoutId: number): Promise<void> {
  for (let settled = BATCH_SIZE; settled === BATCH_SIZE; failpoint('items settled'))
    settled = await db.transaction(tx => settleBatch(tx, accountId, payoutId))
  failpoint('payout finished')
}

async function settleBatch(tx: Tx, accountId: number, payoutId: number): Promise<number> {
  await lockPayout(tx, accountId, payoutId)
  const items = await itemsToSettle(tx, accountId, payoutId, BATCH_SIZE)
  if (items.length === 0) return 0
  const idsOf = (isPaid: boolean) =>
    items.filter(({ outcome }) => (outcome === 'paid') === isPaid).map(({ id }) => id)
  const entries = await payPinned(tx, accountId, idsOf(true))
  recordEvents(tx, accountId, 'commission.created', entries.map(presentCommission))
  await releasePinned(tx, accountId, idsOf(false))
  await markSettled(
    tx,
    accountId,
    items.map(({ id }) => id),
  )
  await recordNotices(
    tx,
    accountId,
    items
      .filter(({ outcome }) => outcome !== 'canceled')
      .map(({ id, affiliate_id, outcome }) => ({
        kind: outcome === 'paid' ? 'payout_sent' : 'payout_failed',
        affiliateId: affiliate_id,
        details: { item_id: id },
      })),
  )
  const status = await finishPayout(tx, accountId, payoutId)
  if (status === 'paid' || status === 'partially_paid') {
    const payout = await findPayout(tx, accountId, payoutId)
    if (payout) recordEvent(tx, accountId, 'payout.paid', presentPayout(payout))
  }
  failpoint('ledger moved')
  return items.length
}

/** Finishes what a crashed process left unsettled. A payout that fails to settle does not block the others. */
export async function settleAllPayouts(db: Db): Promise<void> {
  const failures: unknown[] = []
  for (const { account_id, payout_id } of await payoutsToSettle(db))
    await settlePayout(db, account_id, payout_id).catch(error => failures.push(error))
  if (failures.length > 0) throw new AggregateError(failures, 'Some payouts could not be settled.')
}
