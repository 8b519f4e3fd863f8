import type { TemplateKind } from '@tributary/contract/dashboard'
import type { Db, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'

export interface MailTemplateRow {
  kind: string
  subject: string
  body: string
  updated_at: string
}

export function findTemplate(
  db: Db,
  accountId: number,
  kind: string,
): Promise<{ subject: string; body: string } | undefined> {
  return db.first(sql`
    SELECT t.subject, t.body FROM mail_templates t WHERE t.account_id = ${accountId} AND t.kind = ${kind}`)
}

export function listTemplates(db: Db, accountId: number): Promise<MailTemplateRow[]> {
  return db.many(sql`
    SELECT t.kind, t.subject, t.body, t.updated_at FROM mail_templates t WHERE t.account_id = ${accountId}`)
}

export async function upsertTemplate(
  tx: Tx,
  accountId: number,
  { kind, subject, body }: { kind: TemplateKind; subject: string; body: string },
): Promise<void> {
  await tx.many(sql`
    INSERT INTO mail_templates (account_id, kind, subject, body) VALUES (${accountId}, ${kind}, ${subject}, ${body})
    ON CONFLICT (account_id, kind) DO UPDATE
      SET subject = excluded.subject, body = excluded.body, updated_at = now()`)
}

export async function deleteTemplate(tx: Tx, accountId: number, kind: TemplateKind): Promise<void> {
  await tx.many(sql`DELETE FROM mail_templates t WHERE t.account_id = ${accountId} AND t.kind = ${kind}`)
}
