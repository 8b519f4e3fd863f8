import type { Commission } from '@tributary/contract'
import type { Tx } from '../../db/database.ts'
import { recordVoid } from '../ledger/entries.ts'
import type { SaleEntry } from '../ledger/entry.ts'
import { type Share, takeBack } from '../ledger/take-back.ts'
import { presentCommission } from './commission.presenter.ts'
import { findCommission } from './commission.store.ts'
import { settleEntry } from './settle-entry.ts'
import { writeEntry } from './write-entry.ts'

/** Why it's taken back. `refundIds` are several refunds that take it together, where it is not a single one. */
interface Reason {
  refundId: number | null
  refundIds?: number[]
  description: string
}

/** Voids an entry. Returns it, and the adjustment that balances its clawbacks. */
async function voidEntry(
  tx: Tx,
  accountId: number,
  id: number,
  { refundId, refundIds = refundId === null ? [] : [refundId] }: Reason,
): Promise<Commission[]> {
  const { adjustment } = await settleEntry(tx, accountId, id, 'void', refundId)
  for (const each of refundIds) await recordVoid(tx, accountId, each, id)
  const voided = await findCommission(tx, accountId, id)
  return [...(voided ? [presentCommission(voided)] : []), ...(adjustment ? [adjustment] : [])]
}

/** Claws back a share of entries that the caller has locked. Returns the voided entries and the new ones, in the order of their ids. */
export async function takeBackEntries(
  tx: Tx,
  accountId: number,
  entries: SaleEntry[],
  share: Share,
  reason: Reason,
): Promise<Commission[]> {
  const changed: Commission[] = []
  for (const entry of entries) {
    const action = takeBack(entry, share, reason)
    if (action.kind === 'nothing') continue
    const voided = action.kind === 'void' ? [entry.id] : action.kind === 'void given back' ? action.ids : []
    for (const id of voided) changed.push(...(await voidEntry(tx, accountId, id, reason)))
    const written = action.kind !== 'void' && action.entry && (await writeEntry(tx, accountId, action.entry))
    if (written) changed.push(written)
  }
  return changed.sort((a, b) => a.id - b.id)
}
