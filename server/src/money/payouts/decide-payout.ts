import type { Payout } from '@tributary/contract'
import type { Db } from '../../db/database.ts'
import { invalid, invalidState, notFound } from '../../kit/domain-error.ts'
import { failpoint } from './failpoint.ts'
import { lockPayout, startProcessing } from './payout.store.ts'
import type { Verdict } from './payout.ts'
import { settlePayout } from './settle-payout.ts'
import { recordVerdict } from './verdict.store.ts'

const LONGEST_NOTE = 1000

/**
 * A person says what became of a payout or of single items of it. It is written down first and booked after: should the machine
 * stop in between, the service finishes the booking.
 */
export async function decidePayout(
  db: Db,
  accountId: number,
  id: number,
  verdict: Verdict,
  itemIds?: number[],
): Promise<void> {
  await recordDecision(db, accountId, id, verdict, itemIds)
  await bookDecision(db, accountId, id)
}

/** Books what was written down of a payout, in as many transactions as that takes. */
export async function bookDecision(db: Db, accountId: number, id: number): Promise<void> {
  failpoint('outcomes recorded')
  await settlePayout(db, accountId, id)
}

/** Writes it down and leaves the booking to the service. Returns how many items it is about. */
export async function recordDecision(
  db: Db,
  accountId: number,
  id: number,
  verdict: Verdict,
  itemIds?: number[],
): Promise<number> {
  for (const [field, text] of Object.entries({ reason: verdict.reason, reference: verdict.reference }))
    if (text !== null && (text.length < 1 || text.length > LONGEST_NOTE))
      throw invalid(field, `must have 1 to ${LONGEST_NOTE} characters`)
  return db.transaction(async tx => {
    const payout = await lockPayout(tx, accountId, id)
    if (!payout) throw notFound('payout')
    assertOpen(payout.status)
    if (payout.rail !== 'manual' && payout.status === 'pending')
      throw invalidState(`This payout has not been sent to ${payout.rail} yet; it can be sent or canceled.`)
    const decided = await recordVerdict(tx, accountId, id, itemIds, verdict)
    const missing = itemIds?.filter(itemId => !decided.includes(itemId)) ?? []
    if (missing.length > 0)
      throw invalidState(
        `Of payout ${id}, ${missing.join(', ')} cannot be decided by hand: no item of it, decided already, or its rail decides.`,
      )
    if (decided.length === 0 && payout.rail !== 'manual')
      throw invalidState(`The items of this payout are in the hands of ${payout.rail}.`)
    // Whatever else is said of an item sends the payout: one that is pending and has nothing left to say was canceled.
    if (decided.length === 0 && payout.status === 'pending') throw invalidState('The payout is canceled.')
    await startProcessing(tx, accountId, id)
    failpoint('outcomes received')
    return decided.length
  })
}

export function assertOpen(status: Payout['status']): void {
  if (status !== 'pending' && status !== 'processing') throw invalidState(`The payout is ${status}.`)
}
