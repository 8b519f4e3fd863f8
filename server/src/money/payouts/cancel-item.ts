import type { Db } from '../../db/database.ts'
import { DomainError, invalidState, notFound } from '../../kit/domain-error.ts'
import type { ItemReport } from '../rails/rail.ts'
import { OpenRails } from './open-rails.ts'
import { accountChanged, isSameAccount } from './paying-account.ts'
import { findHead } from './payout.store.ts'
import { receiveReports } from './process-submissions.ts'
import { settlePayout } from './settle-payout.ts'
import { findSubmittedItem } from './submission.store.ts'

/** A user is waiting for the response. */
const TIMEOUT_MS = 10_000

/** Cancels a payment that its recipient has not claimed. If it has been claimed in the meantime, that outcome is recorded. */
export async function cancelItem(
  db: Db,
  rails: OpenRails,
  accountId: number,
  payoutId: number,
  itemId: number,
): Promise<void> {
  const outcome = await cancelAtPayPal(db, rails, accountId, payoutId, itemId)
  await settlePayout(db, accountId, payoutId)
  if (outcome !== 'canceled')
    throw invalidState(`PayPal did not cancel the payment: it is ${outcome ?? 'processing'}.`)
}

/**
 * The same without settling, which is left to the service. It holds no lock during the call to PayPal; if the outcome fails to be
 * recorded, the next poll of the batch reports it again.
 */
export async function recordItemCancellation(
  services: ConstructorParameters<typeof OpenRails>[0],
  accountId: number,
  payoutId: number,
  itemId: number,
): Promise<ItemReport['outcome']> {
  const rails = new OpenRails(services, TIMEOUT_MS)
  try {
    return await cancelAtPayPal(services.db, rails, accountId, payoutId, itemId)
  } finally {
    await rails.close()
  }
}

async function cancelAtPayPal(
  db: Db,
  rails: OpenRails,
  accountId: number,
  payoutId: number,
  itemId: number,
): Promise<ItemReport['outcome']> {
  if (!(await findHead(db, accountId, payoutId))) throw notFound('payout')
  const item = await findSubmittedItem(db, accountId, payoutId, itemId)
  const rail = await rails.paypal(accountId)
  if (!item?.external_id || !rail)
    throw invalidState(
      'Only a payment that its recipient has not claimed at PayPal can be canceled individually.',
    )
  if (!(await isSameAccount(db, item, rail))) throw invalidState(accountChanged(item.sender_batch_id))
  const report = await rail.cancel(item.external_id).catch(error => {
    const message = `PayPal did not confirm the cancellation: ${error.message}. We will check again automatically.`
    throw new DomainError('unavailable', message, { cause: error })
  })
  await db.transaction(tx => receiveReports(tx, accountId, item.submission_id, [report]))
  return report.outcome
}
