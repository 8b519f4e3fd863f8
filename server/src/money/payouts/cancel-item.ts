import type { Db } from '../../db/database.ts'
import { DomainError, invalidState, notFound } from '../../kit/domain-error.ts'
import type { ItemReport } from '../rails/rail.ts'
import { hearReports } from './ask-rails.ts'
import { OpenRails } from './open-rails.ts'
import { accountChanged, isSameAccount } from './paying-account.ts'
import { findHead } from './payout.store.ts'
import { settlePayout } from './settle-payout.ts'
import { findSubmittedItem } from './submission.store.ts'

/** Somebody waits for the answer in front of a page. */
const TIMEOUT_MS = 10_000

/** Takes back a payment that its receiver has not claimed. Where it has been meanwhile, that is what is recorded. */
export async function cancelItem(
  db: Db,
  rails: OpenRails,
  accountId: number,
  payoutId: number,
  itemId: number,
): Promise<void> {
  const state = await takeBack(db, rails, accountId, payoutId, itemId)
  await settlePayout(db, accountId, payoutId)
  if (state !== 'canceled') throw invalidState(`PayPal did not cancel it: the item is ${state}.`)
}

/**
 * The same, as far as writing down what PayPal says: the service books it. It holds no lock while PayPal is asked, and should
 * what it writes down be lost, the service hears the same when it next asks about the batch.
 */
export async function askToTakeBack(
  services: ConstructorParameters<typeof OpenRails>[0],
  accountId: number,
  payoutId: number,
  itemId: number,
): Promise<ItemReport['state']> {
  const rails = new OpenRails(services, TIMEOUT_MS)
  try {
    return await takeBack(services.db, rails, accountId, payoutId, itemId)
  } finally {
    await rails.close()
  }
}

async function takeBack(
  db: Db,
  rails: OpenRails,
  accountId: number,
  payoutId: number,
  itemId: number,
): Promise<ItemReport['state']> {
  if (!(await findHead(db, accountId, payoutId))) throw notFound('payout')
  const item = await findSubmittedItem(db, accountId, payoutId, itemId)
  const rail = await rails.paypal(accountId)
  if (!item?.external_id || !rail)
    throw invalidState('Only an item that PayPal holds for its receiver can be canceled alone.')
  if (!(await isSameAccount(db, item, rail))) throw invalidState(accountChanged(item.sender_batch_id))
  const report = await rail.cancel(item.external_id).catch(error => {
    const message = `PayPal did not say whether it took the payment back: ${error.message}. It is asked again later.`
    throw new DomainError('unavailable', message, { cause: error })
  })
  await db.transaction(tx => hearReports(tx, accountId, item.submission_id, [report]))
  return report.state
}
