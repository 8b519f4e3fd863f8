import type { SaleEntry } from '../../money/ledger/entry.ts'
import type { SaleRow } from '../sales/sale.store.ts'

/**
 * Whether something is left of an entry that can be taken back: a refund or a person may have taken everything. Not if a person waived a
 * refund of it either: what is earned anew would be less that refund.
 */
const isOpen = ({ status, amount_minor, clawed_minor, forgiven_minor }: SaleEntry) =>
  (status === 'pending' || status === 'approved') && amount_minor > clawed_minor && forgiven_minor === 0

/**
 * Which sales of a referral are earned anew when it is reassigned, the entries that are taken back for it, and those that stay. A sale
 * stays as a whole if any part of it is paid, in a payout, void, taken back or has a waived refund: someone settled it, and it must not earn twice.
 */
export function partSales(
  sales: SaleRow[],
  entries: SaleEntry[],
  inPayouts: Set<number>,
): { moving: SaleRow[]; open: SaleEntry[]; kept: SaleEntry[] } {
  const moving = sales.filter(
    ({ id }) => !inPayouts.has(id) && entries.filter(({ sale_id }) => sale_id === id).every(isOpen),
  )
  const ids = new Set<number | null>(moving.map(({ id }) => id))
  return {
    moving,
    open: entries.filter(({ sale_id }) => ids.has(sale_id)),
    kept: entries.filter(({ sale_id }) => !ids.has(sale_id)),
  }
}
