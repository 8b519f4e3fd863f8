import type { Commission } from '@tributary/contract'
import type { Tx } from '../../db/database.ts'
import { recordVoid } from '../ledger/entries.ts'
import type { SaleEntry } from '../ledger/entry.ts'
import { type Share, takeBack } from '../ledger/take-back.ts'
import { presentCommission } from './commission.presenter.ts'
import { findCommission } from './commission.store.ts'
import { settleEntry } from './settle-entry.ts'
import { writeEntry } from './write-entry.ts'

/** Claws back a share of entries that the caller has locked. Returns the voided entries and the new ones. */
export async function takeBackEntries(
  tx: Tx,
  accountId: number,
  entries: SaleEntry[],
  share: Share,
  reason: { refundId: number | null; description: string },
): Promise<Commission[]> {
  const changed: Commission[] = []
  for (const entry of entries) {
    const action = takeBack(entry, share, reason)
    if (action.kind === 'void') {
      const { adjustment } = await settleEntry(tx, accountId, entry.id, 'void')
      if (reason.refundId !== null) await recordVoid(tx, accountId, reason.refundId, entry.id)
      const voided = await findCommission(tx, accountId, entry.id)
      if (voided) changed.push(presentCommission(voided))
      if (adjustment) changed.push(adjustment)
    }
    if (action.kind === 'clawback') {
      const clawback = await writeEntry(tx, accountId, action.entry)
      if (clawback) changed.push(clawback)
    }
  }
  return changed
}
