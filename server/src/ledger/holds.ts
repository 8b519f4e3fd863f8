import type { Db, Tx } from '../db/database.ts'
import { sql } from '../db/sql.ts'

/**
 * Approves what has been held long enough, over all accounts: entries whose hold has passed and whose referral is approved. In
 * batches, skipping rows that another process is releasing or a request is changing at this moment. What was taken back of an
 * entry is released with it. Returns how many.
 */
export async function releaseHolds(db: Db): Promise<number> {
  const released = await db.many(sql`
    /* every account */
    WITH due AS (
      SELECT c.account_id, c.id FROM commissions c
        JOIN referrals r ON r.account_id = c.account_id AND r.id = c.referral_id
       WHERE c.status = 'pending' AND c.hold_until <= now() AND r.status = 'approved'
       ORDER BY c.hold_until LIMIT 1000 FOR UPDATE OF c SKIP LOCKED
    ), moving AS (
      -- Two lookups, each by its index: as one condition with OR it read the whole ledger for every entry.
      SELECT account_id, id FROM due
      UNION ALL
      SELECT c.account_id, c.id FROM due JOIN commissions c ON c.account_id = due.account_id AND c.clawback_of = due.id
    )
    UPDATE commissions c SET status = 'approved' FROM moving
     WHERE c.account_id = moving.account_id AND c.id = moving.id AND c.status = 'pending'
    RETURNING c.id`)
  return released.length
}

/** Approves the entries of a referral that wait for nothing any more, without waiting for the next release. */
export async function approveFreeEntries(tx: Tx, accountId: number, referralId: number): Promise<void> {
  await tx.many(sql`
    UPDATE commissions c SET status = 'approved'
     WHERE c.account_id = ${accountId} AND c.referral_id = ${referralId} AND c.status = 'pending' AND c.hold_until <= now()`)
}
