import type { Db, Tx } from '../../db/database.ts'
import { recordNotices } from '../../mail/notices/record-notices.ts'
import { recordEvent, recordEvents } from '../../webhooks/outbox/record-event.ts'
import { presentCommission } from '../commissions/commission.presenter.ts'
import { payPinned, releasePinned } from '../ledger/pins.ts'
import { failpoint } from './failpoint.ts'
import { presentPayout } from './payout.presenter.ts'
import { findPayout, finishPayout, lockPayout } from './payout.store.ts'
import { decidedItems, markSettled, payoutsToSettle } from './verdict.store.ts'

/** A transaction settles so many items: enough to be fast, few enough to hold its locks for a moment only. */
const ITEMS_AT_ONCE = 500

/**
 * Moves the ledger for every item whose outcome is known: what was paid is booked, what was not is released. A payout ends with
 * its last item, and its event is written in the same moment. Safe to run anywhere, any number of times.
 */
export async function settlePayout(db: Db, accountId: number, payoutId: number): Promise<void> {
  for (let settled = ITEMS_AT_ONCE; settled === ITEMS_AT_ONCE; failpoint('items settled'))
    settled = await db.transaction(tx => settleSome(tx, accountId, payoutId))
  failpoint('payout finished')
}

async function settleSome(tx: Tx, accountId: number, payoutId: number): Promise<number> {
  await lockPayout(tx, accountId, payoutId)
  const items = await decidedItems(tx, accountId, payoutId, ITEMS_AT_ONCE)
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

/** Takes up what another process left half done. One that cannot be settled does not keep the others waiting. */
export async function settleAllPayouts(db: Db): Promise<void> {
  const failures: unknown[] = []
  for (const { account_id, payout_id } of await payoutsToSettle(db))
    await settlePayout(db, account_id, payout_id).catch(error => failures.push(error))
  if (failures.length > 0) throw new AggregateError(failures, 'Some payouts could not be settled.')
}
