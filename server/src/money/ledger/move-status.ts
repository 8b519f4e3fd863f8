import type { Commission } from '@tributary/contract'
import type { Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'

type Settled = Extract<Commission['status'], 'approved' | 'void'>

/**
 * Locks the entries of these commissions, lowest id first: their own rows, or the entries that they take back. Whoever writes or moves a
 * clawback holds the lock of its entry, so nobody decides on a clawback while a rejection or repair counts what it takes. In a
 * statement of its own: under READ COMMITTED a statement that waited still sees its old snapshot in everything but the row it waited
 * for. `clawback_of` never changes, so reading it beside the lock is safe.
 */
export async function lockEntriesOf(tx: Tx, accountId: number, ids: number[]): Promise<void> {
  await tx.many(sql`
    SELECT c.id FROM commissions c
     WHERE c.account_id = ${accountId} AND c.id IN (
             SELECT coalesce(x.clawback_of, x.id) FROM commissions x
              WHERE x.account_id = ${accountId} AND x.id = ANY (${ids}::bigint[]))
     ORDER BY c.id FOR NO KEY UPDATE`)
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
  const [, moved] = await tx.inOrder(
    () => lockEntriesOf(tx, accountId, [id]),
    () =>
      tx.first<{ id: number }>(sql`
        UPDATE commissions c SET status = ${status}
         WHERE c.account_id = ${accountId} AND c.id = ${id} AND c.status = 'pending' RETURNING c.id`),
  )
  return moved ? [id, ...(await moveClawbacks(tx, accountId, id, status))] : []
}
