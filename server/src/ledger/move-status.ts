import type { Commission } from '@tributary/contract'
import type { Db } from '../db/database.ts'
import { sql } from '../db/sql.ts'

/**
 * Approves or voids a pending entry in one guarded statement, so that of two requests at once only one can win.
 * Returns whether this one did.
 */
export async function settlePendingEntry(
  db: Db,
  accountId: number,
  id: number,
  status: Extract<Commission['status'], 'approved' | 'void'>,
): Promise<boolean> {
  const moved = await db.first(sql`
    UPDATE commissions SET status = ${status}
    WHERE account_id = ${accountId} AND id = ${id} AND status = 'pending' RETURNING id`)
  return moved !== undefined
}
