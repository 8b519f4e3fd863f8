import type { Db } from '../../db/database.ts'
import { invalidState, notFound } from '../../kit/domain-error.ts'
import type { SecretBox } from '../../kit/secret-box.ts'
import { randomBase62 } from '../../kit/tokens.ts'
import { PAYPAL_BATCH_ITEMS } from '../rails/paypal-status.ts'
import { lockPayout, startProcessing } from './payout.store.ts'
import { payPalCredentials } from './rail-credentials.ts'
import { insertSubmission } from './submission.store.ts'

/**
 * Gives a payout to PayPal: the calls to be made are written down, and the service makes them. The random part of a name keeps
 * apart two installations that pay from one PayPal account.
 */
export function handOverPayout(
  db: Db,
  secrets: SecretBox,
  accountId: number,
  id: number,
  mostItems = PAYPAL_BATCH_ITEMS,
): Promise<void> {
  return db.transaction(async tx => {
    const payout = await lockPayout(tx, accountId, id)
    if (!payout) throw notFound('payout')
    if (payout.rail !== 'paypal') throw invalidState(`This payout is ${payout.rail}, not for PayPal.`)
    if (payout.status !== 'pending') throw invalidState(`The payout is ${payout.status}.`)
    if (!(await payPalCredentials(tx, secrets, accountId)))
      throw invalidState('The account has no PayPal credentials yet: `tributary rail paypal` sets them.')
    for (let part = 1; ; part++) {
      const name = `T${id}-${part}-${randomBase62(8)}`
      const items = await insertSubmission(tx, accountId, id, name, mostItems)
      if (part === 1 && items === 0) throw invalidState('The payout is canceled.')
      if (items < mostItems) break
    }
    await startProcessing(tx, accountId, id)
  })
}
