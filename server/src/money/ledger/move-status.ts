import type { Commission } from '@tributary/contract'
import type { Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'

type Settled = Extract<Commission['status'], 'approved' | 'void'>

/**
 * Locks the entries of these commissions in id order: their own rows, or for clawbacks the entries they belong to. Every write to a
 * clawback takes its entry's lock, so no clawback changes while a rejection or repair sums them up. In a separate statement: under READ
 * COMMITTED, a statement that waited for a lock keeps its old snapshot of everything but the locked row. `clawback_of` never changes, so
 * reading it in the locking statement is safe.
 */
export async function lockEntriesOf(tx: Tx, accountId: number, ids: number[]): Promise<void> {
  await tx.many(sql`
    SELECT c.id FROM commissions c
     WHERE c.account_id = ${accountId} AND c.id = ANY (ARRAY(
             SELECT coalesce(x.clawback_of, x.id) FROM commissions x
              WHERE x.account_id = ${accountId} AND x.id = ANY (${ids}::bigint[])))
     ORDER BY c.id FOR NO KEY UPDATE`)
}

/** Sets the status of an entry's pending clawbacks; the caller has locked the entry. Returns their ids. */
export async function moveClawbacks(
  tx: Tx,
  accountId: number,
  entryId: number,
  status: Settled,
): Promise<number[]> {
  const moved = await tx.many<{ id: number }>(sql`
    UPDATE commissions c SET status = ${status}
     WHERE c.account_id = ${accountId} AND c.clawback_of = ${entryId} AND c.status = 'pending' RETURNING c.id`)
  return moved.map(({ id }) => id)
}

/**
 * Approves or voids a pending entry; of two concurrent requests only one succeeds. Its pending clawbacks change with it, so that neither
 * ever counts without the other. Returns the ids that changed: none if another request was first.
 */
export async function settlePendingEntry(
  tx: Tx,
  accountId: number,
  id: number,
  status: Settled,
): Promise<number[]> {
  const [, moved] = await tx.inOrder(
    () => lockEntriesOf(tx, accountId, [id]),
    () =>
      tx.first<{ id: number }>(sql`
        UPDATE commissions c SET status = ${status}
         WHERE c.account_id = ${accountId} AND c.id = ${id} AND c.status = 'pending' RETURNING c.id`),
  )
  return moved ? [id, ...(await moveClawbacks(tx, accountId, id, status))] : []
}
