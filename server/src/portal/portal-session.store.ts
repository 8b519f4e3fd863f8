import type { Db, Tx } from '../db/database.ts'
import { sql } from '../db/sql.ts'

/** As long as an affiliate stays away at most; every visit begins it anew. */
const IDLE_DAYS = 30
/** How long after signing in an affiliate may change where the money goes. */
const FRESH_MINUTES = 15

export interface PortalSessionRow {
  affiliate_id: number
  email: string
  name: string | null
  status: 'pending' | 'approved'
  is_fresh: boolean
}

/** Uses up a sign-in link; undefined when it is used, too old, unknown, or the affiliate may not come in. One guarded statement. */
export async function takeMagicLink(
  tx: Tx,
  accountId: number,
  tokenHash: Buffer,
): Promise<number | undefined> {
  const row = await tx.first<{ affiliate_id: number }>(sql`
    UPDATE magic_links l SET used_at = now()
     WHERE l.account_id = ${accountId} AND l.token_hash = ${tokenHash} AND l.used_at IS NULL AND l.expires_at > now()
       AND EXISTS (SELECT 1 FROM affiliates a WHERE a.account_id = ${accountId} AND a.id = l.affiliate_id AND a.status <> 'rejected')
    RETURNING l.affiliate_id`)
  return row?.affiliate_id
}

export async function insertPortalSession(
  tx: Tx,
  accountId: number,
  affiliateId: number,
  tokenHash: Buffer,
): Promise<void> {
  await tx.many(sql`
    INSERT INTO portal_sessions (account_id, token_hash, affiliate_id, expires_at)
    VALUES (${accountId}, ${tokenHash}, ${affiliateId}, now() + ${IDLE_DAYS} * interval '1 day')`)
}

/** Whose session it is. Somebody who was rejected meanwhile is out at once. */
export function findPortalSession(
  db: Db,
  accountId: number,
  tokenHash: Buffer,
): Promise<PortalSessionRow | undefined> {
  return db.first(sql`
    SELECT s.affiliate_id, a.email, a.name, a.status, s.created_at > now() - ${FRESH_MINUTES} * interval '1 minute' AS is_fresh
      FROM portal_sessions s JOIN affiliates a ON a.account_id = ${accountId} AND a.id = s.affiliate_id
     WHERE s.account_id = ${accountId} AND s.token_hash = ${tokenHash} AND s.expires_at > now() AND a.status <> 'rejected'`)
}

/** Notes a visit, at most every few minutes: a write for every click would be waste. */
export async function touchPortalSession(db: Db, accountId: number, tokenHash: Buffer): Promise<void> {
  await db.many(sql`
    UPDATE portal_sessions s SET last_seen_at = now(), expires_at = now() + ${IDLE_DAYS} * interval '1 day'
     WHERE s.account_id = ${accountId} AND s.token_hash = ${tokenHash} AND s.last_seen_at < now() - interval '5 minutes'`)
}

export async function deletePortalSession(db: Db, accountId: number, tokenHash: Buffer): Promise<void> {
  await db.many(sql`
    DELETE FROM portal_sessions s WHERE s.account_id = ${accountId} AND s.token_hash = ${tokenHash}`)
}

export async function deletePortalSessionsOf(db: Db, accountId: number, affiliateId: number): Promise<void> {
  await db.many(sql`
    DELETE FROM portal_sessions s WHERE s.account_id = ${accountId} AND s.affiliate_id = ${affiliateId}`)
}
