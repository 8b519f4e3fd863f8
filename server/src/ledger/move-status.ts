import type { Commission } from '@tributary/contract'
import type { Tx } from '../db/database.ts'
import { type Sql, sql } from '../db/sql.ts'

type Settled = Extract<Commission['status'], 'approved' | 'void'>

/**
 * Locks an entry and then its clawbacks, lowest id first; given a clawback, its entry and all of that one's. Whoever writes or moves a
 * clawback holds the lock of its entry, in this order, so a decision about either sees what the one before it has left. Each lock is
 * a statement of its own: under READ COMMITTED a statement that waited still sees its old snapshot in everything but the row it
 * waited for. `clawback_of` never changes, so reading it beside the lock is safe.
 */
async function lockWithClawbacks(tx: Tx, accountId: number, id: number): Promise<void> {
  const entry: Sql = sql`(
    SELECT coalesce(x.clawback_of, x.id) FROM commissions x WHERE x.account_id = ${accountId} AND x.id = ${id})`
  await Promise.all([
    tx.many(sql`
      SELECT c.id FROM commissions c WHERE c.account_id = ${accountId} AND c.id = ${entry} FOR NO KEY UPDATE`),
    tx.many(sql`
      SELECT c.id FROM commissions c WHERE c.account_id = ${accountId} AND c.clawback_of = ${entry}
       ORDER BY c.id FOR NO KEY UPDATE`),
  ])
}

/** Moves the pending clawbacks of an entry, which the caller has locked, to a status. Returns their ids. */
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
 * Approves or voids a pending entry, so that of two requests at once only one can win. Its pending clawbacks move along, so that
 * neither ever counts without the other. Returns the ids that moved: none when this request lost.
 */
export async function settlePendingEntry(
  tx: Tx,
  accountId: number,
  id: number,
  status: Settled,
): Promise<number[]> {
  const [, moved] = await Promise.all([
    lockWithClawbacks(tx, accountId, id),
    tx.first(sql`
      UPDATE commissions c SET status = ${status}
       WHERE c.account_id = ${accountId} AND c.id = ${id} AND c.status = 'pending' RETURNING c.id`),
  ])
  return moved ? [id, ...(await moveClawbacks(tx, accountId, id, status))] : []
}
