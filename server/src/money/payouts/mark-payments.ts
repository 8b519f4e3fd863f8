import type { Payout } from '@tributary/contract'
import type { Db } from '../../db/database.ts'
import { conflict, invalid, invalidState, notFound } from '../../kit/domain-error.ts'
import { failpoint } from './failpoint.ts'
import { recordOutcome } from './payment-outcome.store.ts'
import { lockPayout, startProcessing } from './payout.store.ts'
import type { ReportedOutcome } from './payout.ts'
import { settlePayout } from './settle-payout.ts'

const MAX_NOTE_LENGTH = 1000

/**
 * A person marks a payout, or some of its payments, paid or failed. The outcome is committed before it is settled: after a crash
 * in between, the service settles it.
 */
export async function markPayments(
  db: Db,
  accountId: number,
  id: number,
  reported: ReportedOutcome,
  itemIds?: number[],
): Promise<void> {
  await recordManualOutcome(db, accountId, id, reported, { itemIds })
  await settleManualOutcome(db, accountId, id)
}

/** Settles the recorded outcomes, in as many transactions as it takes. */
export async function settleManualOutcome(db: Db, accountId: number, id: number): Promise<void> {
  failpoint('outcomes recorded')
  await settlePayout(db, accountId, id)
}

/** The payments that an outcome is for: the given ones, or all that allow it, of which a person may have seen a number. */
interface MarkedPayments {
  itemIds?: number[] | undefined
  expected?: number | undefined
}

/** Records the outcome and leaves settling it to the service. Returns the number of items. */
export async function recordManualOutcome(
  db: Db,
  accountId: number,
  id: number,
  reported: ReportedOutcome,
  { itemIds, expected }: MarkedPayments = {},
): Promise<number> {
  for (const [field, text] of Object.entries({ reason: reported.reason, reference: reported.reference }))
    if (text !== null && (text.length < 1 || text.length > MAX_NOTE_LENGTH))
      throw invalid(field, `must have 1 to ${MAX_NOTE_LENGTH} characters`)
  return db.transaction(async tx => {
    const payout = await lockPayout(tx, accountId, id)
    if (!payout) throw notFound('payout')
    assertOpen(payout.status)
    if (payout.rail !== 'manual' && payout.status === 'pending')
      throw invalidState(`This payout has not been sent to ${payout.rail} yet; send it or cancel it.`)
    const marked = await recordOutcome(tx, accountId, id, itemIds, reported)
    const missing = itemIds?.filter(itemId => !marked.includes(itemId)) ?? []
    if (missing.length > 0)
      throw invalidState(
        `These items of payout ${id} can't be marked manually: ${missing.join(', ')}. They don't exist, already have an outcome, or are being processed by ${payout.rail}.`,
      )
    if (marked.length === 0 && payout.rail !== 'manual')
      throw invalidState(`The items of this payout are being processed by ${payout.rail}.`)
    // Any other outcome moves the payout to processing: a pending one with no items left to mark was canceled.
    if (marked.length === 0 && payout.status === 'pending') throw invalidState('The payout is canceled.')
    if (expected !== undefined && marked.length !== expected)
      throw conflict(
        `The payout has changed: ${marked.length} payments can be marked ${reported.outcome} now instead of ${expected}. Reload the page and check them again.`,
      )
    await startProcessing(tx, accountId, id)
    failpoint('outcomes received')
    return marked.length
  })
}

export function assertOpen(status: Payout['status']): void {
  if (status !== 'pending' && status !== 'processing') throw invalidState(`The payout is ${status}.`)
}
