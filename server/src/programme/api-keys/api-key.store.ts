import type { Db } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'

export interface ApiKey {
  id: number
  name: string
  /** The user who created it, null if unknown. A key belongs to the account and outlives its creator's membership. */
  created_by: string | null
  last_four: string
  created_at: string
  last_used_at: string | null
  revoked_at: string | null
}

export async function insertApiKey(
  db: Db,
  accountId: number,
  key: { name: string; hash: Buffer; lastFour: string },
): Promise<number> {
  const row = await db.first<{ id: number }>(sql`
    INSERT INTO api_keys (account_id, name, key_hash, last_four)
    VALUES (${accountId}, ${key.name}, ${key.hash}, ${key.lastFour}) RETURNING id`)
  return (row as { id: number }).id
}

export function listApiKeys(db: Db, accountId: number): Promise<ApiKey[]> {
  return db.many(sql`
    SELECT k.id, k.name, k.last_four, k.created_at, k.last_used_at, k.revoked_at,
           (SELECT l.actor_name FROM audit_log l
             WHERE l.account_id = ${accountId} AND l.action = 'api_key.create' AND l.subject_id = k.id
             ORDER BY l.id LIMIT 1) AS created_by
      FROM api_keys k WHERE k.account_id = ${accountId} ORDER BY k.id DESC`)
}

/** Revokes the key; a revoked key keeps its first date. Undefined if there is no such key. */
export function revokeApiKey(
  db: Db,
  accountId: number,
  id: number,
): Promise<Omit<ApiKey, 'created_by'> | undefined> {
  return db.first(sql`
    UPDATE api_keys SET revoked_at = coalesce(revoked_at, now())
    WHERE account_id = ${accountId} AND id = ${id}
    RETURNING id, name, last_four, created_at, last_used_at, revoked_at`)
}
