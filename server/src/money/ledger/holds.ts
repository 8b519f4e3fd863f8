import { NOW } from '../../db/current-time.ts'
import type { Db, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'

interface EntryKey {
  account_id: number
  id: number
}

/**
 * Approves pending entries that the caller has locked, and their clawbacks. These are read after the lock is taken, so that the writes of
 * a refund that held it before are seen.
 */
async function approveLocked(tx: Tx, entries: EntryKey[]): Promise<number> {
  if (entries.length === 0) return 0
  const [accountIds, ids] = [entries.map(entry => entry.account_id), entries.map(entry => entry.id)]
  const moved = await tx.many(sql`
    /* every account */
    WITH moving AS (
      SELECT e.account_id, e.id FROM unnest(${accountIds}::bigint[], ${ids}::bigint[]) AS e (account_id, id)
      UNION ALL
      -- Two index lookups: as one condition with OR, it scanned the whole ledger for every entry.
      SELECT c.account_id, c.id FROM unnest(${accountIds}::bigint[], ${ids}::bigint[]) AS e (account_id, id)
        JOIN commissions c ON c.account_id = e.account_id AND c.clawback_of = e.id
    )
    UPDATE commissions c SET status = 'approved' FROM moving
     WHERE c.account_id = moving.account_id AND c.id = moving.id AND c.status = 'pending'
    RETURNING c.id`)
  return moved.length
}

/**
 * Approves entries, of all accounts, whose hold has passed and whose referral is approved. Works in batches and skips rows locked by
 * another process or request. A clawback is released together with its entry, never before it. Returns how many.
 */
export function releaseHolds(db: Db): Promise<number> {
  return db.transaction(async tx =>
    approveLocked(
      tx,
      await tx.many<EntryKey>(sql`
        /* every account */
        SELECT c.account_id, c.id FROM commissions c
          JOIN referrals r ON r.account_id = c.account_id AND r.id = c.referral_id
         WHERE c.status = 'pending' AND c.clawback_of IS NULL AND c.hold_until <= ${NOW} AND r.status = 'approved'
         ORDER BY c.hold_until LIMIT 1000 FOR NO KEY UPDATE OF c SKIP LOCKED`),
    ),
  )
}

/** Approves the entries of a referral whose hold has passed, without waiting for the next release. */
export async function approveReleasableEntries(tx: Tx, accountId: number, referralId: number): Promise<void> {
  await approveLocked(
    tx,
    await tx.many<EntryKey>(sql`
      SELECT c.account_id, c.id FROM commissions c
       WHERE c.account_id = ${accountId} AND c.referral_id = ${referralId} AND c.status = 'pending' AND c.clawback_of IS NULL
         AND c.hold_until <= ${NOW}
       ORDER BY c.id FOR NO KEY UPDATE`),
  )
}
