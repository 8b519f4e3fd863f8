import type { Db, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'

export interface MailServerRow {
  account_id: number
  from_address: string
  sealed: Buffer
  updated_at: string
}

export function findMailServer(db: Db, accountId: number): Promise<MailServerRow | undefined> {
  return db.first(sql`
    SELECT s.account_id, s.from_address, s.sealed, s.updated_at FROM mail_servers s WHERE s.account_id = ${accountId}`)
}

/** Emails about a user's own sign-in belong to no account. If there is only one, its server sends them. */
export function findOnlyMailServer(db: Db): Promise<MailServerRow | undefined> {
  return db.first(sql`
    /* every account */ SELECT s.account_id, s.from_address, s.sealed, s.updated_at FROM mail_servers s
     WHERE (SELECT count(*) FROM (SELECT 1 FROM accounts LIMIT 2) a) = 1`)
}

/** Locks the account until the transaction ends, which serializes changes of its server, including the first one. */
export async function lockMailServer(tx: Tx, accountId: number): Promise<void> {
  const key = `mail server ${accountId}`
  await tx.many(sql`SELECT pg_advisory_xact_lock(hashtextextended(${key}, 0))`)
}

export async function upsertMailServer(
  tx: Tx,
  accountId: number,
  { from, sealed }: { from: string; sealed: Buffer },
): Promise<void> {
  await tx.many(sql`
    INSERT INTO mail_servers (account_id, from_address, sealed) VALUES (${accountId}, ${from}, ${sealed})
    ON CONFLICT (account_id) DO UPDATE
      SET from_address = excluded.from_address, sealed = excluded.sealed, updated_at = now()`)
}

export async function deleteMailServer(tx: Tx, accountId: number): Promise<boolean> {
  const deleted = await tx.first(sql`
    DELETE FROM mail_servers s WHERE s.account_id = ${accountId} RETURNING s.account_id`)
  return deleted !== undefined
}
