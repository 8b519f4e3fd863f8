import { type Sql, sql } from '../../db/sql.ts'

/**
 * When the entry that the statement calls `c` was approved; meant for one that is approved or paid. Moves since migration 0022 are
 * recorded. An entry without a hold was approved from the start. For older ones it is the best that is known: a review of it in the
 * audit log, otherwise the end of its hold, but never after the payout that took it up.
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

/** An entry is paid with the item that it is in, and a payout entry from the start. */
const isPaid = (accountId: number, asOf: string): Sql => sql`(c.entry_type = 'payout' OR EXISTS (
  SELECT 1 FROM pinned_commissions p
    JOIN payout_items i ON i.account_id = ${accountId} AND i.id = p.payout_item_id
   WHERE p.account_id = ${accountId} AND p.commission_id = c.id AND NOT p.released AND i.settled_at <= ${asOf}))`

/** The status that the entry called `c` had at a time after it was made; now, where none is named. Only pending entries are voided. */
export const statusThen = (accountId: number, asOf: string | undefined): Sql =>
  asOf === undefined
    ? sql`c.status`
    : sql`CASE WHEN c.status = 'void' AND c.voided_at <= ${asOf} THEN 'void'
               WHEN c.status = 'paid' AND ${isPaid(accountId, asOf)} THEN 'paid'
               WHEN c.status IN ('approved', 'paid') AND ${approvedAt(accountId)} <= ${asOf} THEN 'approved'
               ELSE 'pending' END`
