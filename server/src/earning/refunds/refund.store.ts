import type { Db, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'

export interface RefundRow {
  id: number
  sale_id: number
  amount_minor: number
}

export function findRefund(db: Db, accountId: number, externalId: string): Promise<RefundRow | undefined> {
  return db.first(sql`
    SELECT f.id, f.sale_id, f.amount_minor FROM refunds f
     WHERE f.account_id = ${accountId} AND f.external_id = ${externalId}`)
}

/** Stores a refund; undefined if its external id is taken, even by a concurrent report. */
export function insertRefund(
  tx: Tx,
  accountId: number,
  refund: { externalId: string; saleId: number; amountMinor: number; occurredAt: string },
): Promise<RefundRow | undefined> {
  return tx.first(sql`
    INSERT INTO refunds AS f (account_id, external_id, sale_id, amount_minor, occurred_at)
    VALUES (${accountId}, ${refund.externalId}, ${refund.saleId}, ${refund.amountMinor}, ${refund.occurredAt})
    ON CONFLICT ON CONSTRAINT refunds_external_id_known DO NOTHING
    RETURNING f.id, f.sale_id, f.amount_minor`)
}

/** Marks a refund as one that did not happen after all; false if it was marked before. */
export async function markReversed(tx: Tx, accountId: number, id: number): Promise<boolean> {
  const row = await tx.first(sql`
    UPDATE refunds f SET reversed_at = now()
     WHERE f.account_id = ${accountId} AND f.id = ${id} AND f.reversed_at IS NULL RETURNING f.id`)
  return row !== undefined
}
