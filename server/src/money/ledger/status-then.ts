import { type Sql, sql } from '../../db/sql.ts'

/**
 * When the entry aliased `c`, which is approved or paid, was approved. Recorded since migration 0022. An entry without a hold was approved
 * when it was created. For older ones this is an estimate: its review in the audit log, otherwise the end of its hold, but never later than
 * the payout that contains it.
 */
const approvedAt = (
  accountId: number,
): Sql => sql`coalesce(c.approved_at, CASE WHEN c.hold_until IS NULL THEN c.created_at END,
  (SELECT min(l.created_at) FROM audit_log l
    WHERE l.account_id = ${accountId} AND l.subject_id = c.id AND l.action = 'commission.review'),
  least(greatest(c.created_at, c.hold_until), (
    SELECT b.created_at FROM pinned_commissions p
      JOIN payout_items i ON i.account_id = ${accountId} AND i.id = p.payout_item_id
      JOIN payouts b ON b.account_id = ${accountId} AND b.id = i.payout_id
     WHERE p.account_id = ${accountId} AND p.commission_id = c.id AND NOT p.released)))`

/** Whether an entry was paid at a time, by default now. It is paid when its item is settled; a payout entry is paid when it is created. */
export const wasPaid = (accountId: number, asOf: string | undefined, entry: Sql): Sql =>
  asOf === undefined
    ? sql`${entry}.status = 'paid'`
    : sql`${entry}.status = 'paid' AND (${entry}.entry_type = 'payout' OR EXISTS (
        SELECT 1 FROM pinned_commissions p
          JOIN payout_items i ON i.account_id = ${accountId} AND i.id = p.payout_item_id
         WHERE p.account_id = ${accountId} AND p.commission_id = ${entry}.id AND NOT p.released AND i.settled_at <= ${asOf}))`

/** The status of the entry aliased `c` at a time after its creation, by default now. Only pending entries are ever voided. */
export const statusThen = (accountId: number, asOf: string | undefined): Sql =>
  asOf === undefined
    ? sql`c.status`
    : sql`CASE WHEN c.status = 'void' AND c.voided_at <= ${asOf} THEN 'void'
               WHEN ${wasPaid(accountId, asOf, sql`c`)} THEN 'paid'
               WHEN c.status IN ('approved', 'paid') AND ${approvedAt(accountId)} <= ${asOf} THEN 'approved'
               ELSE 'pending' END`
