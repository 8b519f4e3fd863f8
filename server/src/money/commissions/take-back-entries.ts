import type { Commission } from '@tributary/contract'
import type { Tx } from '../../db/database.ts'
import { recordVoid } from '../ledger/entries.ts'
import type { SaleEntry } from '../ledger/entry.ts'
import { type Share, takeBack } from '../ledger/take-back.ts'
import { presentCommission } from './commission.presenter.ts'
import { findCommission } from './commission.store.ts'
import { settleEntry } from './settle-entry.ts'
import { writeEntry } from './write-entry.ts'

/** Voids an entry, because of these refunds if any. Returns it, and the adjustment that balances its clawbacks. */
async function voidEntry(tx: Tx, accountId: number, id: number, refundIds: number[]): Promise<Commission[]> {
  const { adjustment } = await settleEntry(tx, accountId, id, 'void')
  for (const refundId of refundIds) await recordVoid(tx, accountId, refundId, id)
  const voided = await findCommission(tx, accountId, id)
  return [...(voided ? [presentCommission(voided)] : []), ...(adjustment ? [adjustment] : [])]
}

/**
 * Claws back a share of entries that the caller has locked. Returns the voided entries and the new ones. `refundIds` are several refunds
 * that take it together, where it is not a single one.
 */
export async function takeBackEntries(
  tx: Tx,
  accountId: number,
  entries: SaleEntry[],
  share: Share,
  reason: { refundId: number | null; refundIds?: number[]; description: string },
): Promise<Commission[]> {
  const changed: Commission[] = []
  const refundIds = reason.refundIds ?? (reason.refundId === null ? [] : [reason.refundId])
  for (const entry of entries) {
    const action = takeBack(entry, share, reason)
    if (action.kind === 'nothing') continue
    const voided = action.kind === 'void' ? [entry.id] : action.kind === 'void given back' ? action.ids : []
    for (const id of voided) changed.push(...(await voidEntry(tx, accountId, id, refundIds)))
    const written = action.kind !== 'void' && action.entry && (await writeEntry(tx, accountId, action.entry))
    if (written) changed.push(written)
  }
  return changed
}
