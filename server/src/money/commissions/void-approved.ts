import type { Tx } from '../../db/database.ts'
import { invalidState } from '../../kit/domain-error.ts'
import { lockEntry } from '../ledger/entries.ts'
import { payoutOfEntry } from '../ledger/pins.ts'
import { everything } from '../ledger/take-back.ts'
import { takeBackEntries } from './take-back-entries.ts'

/**
 * Voids an approved commission that is in no payout, at a person's request. Its row stays as it was: a clawback takes back what is left of
 * it, as when its referral is rejected. The caller has locked the campaign's payouts, so that none takes the commission in meanwhile.
 */
export async function voidApproved(
  tx: Tx,
  accountId: number,
  id: number,
  description: string,
): Promise<void> {
  const entry = await lockEntry(tx, accountId, id)
  if (!entry)
    throw invalidState(
      "The entry is approved and not a commission, so it can't be voided. Correct it with an adjustment of the balance.",
    )
  const payoutId = await payoutOfEntry(tx, accountId, id)
  if (payoutId !== undefined)
    throw invalidState(
      `The commission is in payout ${payoutId}. Cancel that payout first, or adjust the balance after it.`,
    )
  const changed = await takeBackEntries(tx, accountId, [entry], everything, { refundId: null, description })
  if (changed.length === 0) throw invalidState('The commission has been clawed back in full already.')
}
