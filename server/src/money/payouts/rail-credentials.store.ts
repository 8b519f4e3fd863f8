import type { Db } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'

export async function upsertCredentials(
  db: Db,
  accountId: number,
  rail: 'paypal',
  sealed: Buffer,
): Promise<void> {
  await db.many(sql`
    INSERT INTO rail_credentials (account_id, rail, sealed) VALUES (${accountId}, ${rail}, ${sealed})
    ON CONFLICT (account_id, rail) DO UPDATE SET sealed = excluded.sealed, updated_at = now()`)
}

export async function findCredentials(
  db: Db,
  accountId: number,
  rail: 'paypal',
): Promise<Buffer | undefined> {
  const row = await db.first<{ sealed: Buffer }>(sql`
    SELECT c.sealed FROM rail_credentials c WHERE c.account_id = ${accountId} AND c.rail = ${rail}`)
  return row?.sealed
}

export async function credentialsChangedAt(
  db: Db,
  accountId: number,
  rail: 'paypal',
): Promise<string | undefined> {
  const row = await db.first<{ updated_at: string }>(sql`
    SELECT c.updated_at FROM rail_credentials c WHERE c.account_id = ${accountId} AND c.rail = ${rail}`)
  return row?.updated_at
}
