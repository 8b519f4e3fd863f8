import type { Commission } from '@tributary/contract'
import type { Tx } from '../../db/database.ts'
import { noted } from '../../mail/notices/notice.store.ts'
import { recordNotices } from '../../mail/notices/record-notices.ts'
import { recordEvent } from '../../webhooks/outbox/record-event.ts'
import {
  type DrawnEntries,
  type DrawnEntry,
  insertDrawnEntries,
  insertDrawnEntry,
} from '../ledger/drawn-entries.ts'
import { insertEntry } from '../ledger/entries.ts'
import type { NewEntry } from '../ledger/entry.ts'
import { presentCommission } from './commission.presenter.ts'

const FIRST_COMMISSION = 'first_commission'

/** Writes a ledger entry and its event in the same transaction. Undefined if the sale already has this entry. */
export async function writeEntry(
  tx: Tx,
  accountId: number,
  entry: NewEntry,
): Promise<Commission | undefined> {
  const written = await insertEntry(tx, accountId, entry)
  if (!written) return undefined
  const commission = presentCommission(written)
  if (written.is_first)
    await recordNotices(tx, accountId, [
      { kind: FIRST_COMMISSION, affiliateId: written.affiliate_id, details: { commission_id: written.id } },
    ])
  recordEvent(tx, accountId, 'commission.created', commission)
  return commission
}

const insertWithNotices = (tx: Tx, accountId: number, entries: DrawnEntry[]): void =>
  insertDrawnEntries(tx, accountId, entries, noted(accountId, FIRST_COMMISSION))

/** The same for a sale that this transaction has inserted, without waiting for the database. */
export async function writeDrawnEntry(
  tx: Tx,
  accountId: number,
  entry: NewEntry,
  drawn: DrawnEntries,
): Promise<Commission | undefined> {
  const written = await insertDrawnEntry(tx, accountId, entry, drawn, insertWithNotices)
  if (!written) return writeEntry(tx, accountId, entry)
  const commission = presentCommission(written)
  recordEvent(tx, accountId, 'commission.created', commission)
  return commission
}
