import type { Commission } from '@tributary/contract'
import type { Db } from '../db/database.ts'
import { sql } from '../db/sql.ts'

/**
 * Approves or voids a pending entry in one guarded statement, so that of two requests at once only one can win. What has been
 * taken back of it and is pending too moves along, so that neither ever counts without the other. Returns whether this one won.
 */
export async function settlePendingEntry(
  db: Db,
  accountId: number,
  id: number,
  status: Extract<Commission['status'], 'approved' | 'void'>,
): Promise<boolean> {
  const moved = await db.first(sql`
    WITH moved AS (
      UPDATE commissions c SET status = ${status}
       WHERE c.account_id = ${accountId} AND c.id = ${id} AND c.status = 'pending' RETURNING c.id
    ), along AS (
      UPDATE commissions c SET status = ${status} FROM moved
       WHERE c.account_id = ${accountId} AND c.clawback_of = moved.id AND c.status = 'pending'
    )
    SELECT id FROM moved`)
  return moved !== undefined
}
