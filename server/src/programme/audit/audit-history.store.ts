import type { Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'

/** Stages entries in a temporary table until the transaction writes them as history: see `money/ledger/history.ts`. */
export async function stageAuditHistory(tx: Tx): Promise<void> {
  await tx.many(
    sql`CREATE TEMPORARY TABLE audit_log (LIKE public.audit_log INCLUDING ALL EXCLUDING IDENTITY) ON COMMIT DROP`,
  )
  await tx.many(
    sql`ALTER TABLE pg_temp.audit_log ALTER id SET DEFAULT nextval(pg_get_serial_sequence('public.audit_log', 'id'))`,
  )
}

/** Writes an account's staged entries to the audit log. */
export async function writeAuditHistory(tx: Tx, accountId: number): Promise<void> {
  await tx.many(sql`
    INSERT INTO public.audit_log (account_id, id, actor_kind, actor_id, actor_name, address, action, subject_id, details, created_at)
    OVERRIDING SYSTEM VALUE
    SELECT l.account_id, l.id, l.actor_kind, l.actor_id, l.actor_name, l.address, l.action, l.subject_id, l.details, l.created_at
      FROM pg_temp.audit_log l WHERE l.account_id = ${accountId} ORDER BY l.id`)
  await tx.many(sql`DROP TABLE pg_temp.audit_log`)
}
