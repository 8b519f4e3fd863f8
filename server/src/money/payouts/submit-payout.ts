import type { Db } from '../../db/database.ts'
import { invalidState, notFound } from '../../kit/domain-error.ts'
import type { SecretBox } from '../../kit/secret-box.ts'
import { randomBase62 } from '../../kit/tokens.ts'
import { PAYPAL_BATCH_ITEMS } from '../rails/paypal-status.ts'
import { lockPayout, startProcessing } from './payout.store.ts'
import { payPalCredentials } from './rail-credentials.ts'
import { insertSubmission } from './submission.store.ts'

/**
 * Queues a payout for PayPal: the submissions are stored, and the service sends them. The random part of a batch id avoids
 * collisions between two installations that pay from one PayPal account. Returns the number of items.
 */
export function submitPayout(
  db: Db,
  secrets: SecretBox,
  accountId: number,
  id: number,
  maxItems = PAYPAL_BATCH_ITEMS,
): Promise<number> {
  return db.transaction(async tx => {
    const payout = await lockPayout(tx, accountId, id)
    if (!payout) throw notFound('payout')
    if (payout.rail !== 'paypal') throw invalidState(`This payout's rail is ${payout.rail}, not PayPal.`)
    if (payout.status !== 'pending')
      throw invalidState(`The payout is ${payout.status}; only a pending payout can be sent to PayPal.`)
    if (!(await payPalCredentials(tx, secrets, accountId)))
      throw invalidState('The account has no PayPal credentials. Set them with `tributary rail paypal`.')
    let sent = 0
    for (let part = 1; ; part++) {
      const senderBatchId = `T${id}-${part}-${randomBase62(8)}`
      const items = await insertSubmission(tx, accountId, id, senderBatchId, maxItems)
      if (part === 1 && items === 0) throw invalidState('The payout is canceled.')
      sent += items
      if (items < maxItems) break
    }
    await startProcessing(tx, accountId, id)
    return sent
  })
}
