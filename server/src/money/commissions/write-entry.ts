import type { Commission } from '@tributary/contract'
import type { Tx } from '../../db/database.ts'
import { recordNotices } from '../../mail/notices/record-notices.ts'
import { recordEvent } from '../../webhooks/outbox/record-event.ts'
import { insertEntry } from '../ledger/entries.ts'
import type { NewEntry } from '../ledger/entry.ts'
import { presentCommission } from './commission.presenter.ts'

/** Writes a ledger entry and its event in the same transaction. Undefined if the sale already has this entry. */
export async function writeEntry(
  tx: Tx,
  accountId: number,
  entry: NewEntry,
): Promise<Commission | undefined> {
  const written = await insertEntry(tx, accountId, entry)
  if (!written) return undefined
  const commission = presentCommission(written)
  if (written.is_first && written.entry_type === 'earned' && written.beneficiary !== 'referee')
    await recordNotices(tx, accountId, [
      { kind: 'first_commission', affiliateId: written.affiliate_id, details: { commission_id: written.id } },
    ])
  recordEvent(tx, accountId, 'commission.created', commission)
  return commission
}
