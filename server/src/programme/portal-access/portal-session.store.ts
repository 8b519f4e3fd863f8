import type { Db, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { LookupKey } from '../../kit/shared-lookup.ts'

/** The maximum time between visits; renewed by every visit. */
const IDLE_DAYS = 30
/** How long after signing in an affiliate may change the payout address. */
const FRESH_MINUTES = 15

export interface PortalSessionRow {
  affiliate_id: number
  email: string
  name: string | null
  status: 'pending' | 'approved'
  is_fresh: boolean
}

/** The valid links among these. Changes nothing. */
export async function findOpenLinks(
  db: Db,
  lookups: LookupKey[],
): Promise<{ digest: Buffer; found: { account_id: number } }[]> {
  const rows = await db.many<{ token_hash: Buffer; account_id: number }>(sql`
    /* every account */ SELECT l.token_hash, l.account_id
      FROM unnest(${lookups.map(({ slug }) => slug)}::text[], ${lookups.map(({ digest }) => digest)}::bytea[]) AS wanted (slug, digest)
      JOIN accounts c ON c.slug = wanted.slug
      JOIN magic_links l ON l.account_id = c.id AND l.token_hash = wanted.digest AND l.used_at IS NULL AND l.expires_at > now()
      JOIN affiliates a ON a.account_id = l.account_id AND a.id = l.affiliate_id AND a.status <> 'rejected'`)
  return rows.map(({ token_hash, account_id }) => ({ digest: token_hash, found: { account_id } }))
}

/**
 * Consumes a sign-in link; undefined when it is used, expired or unknown, or the affiliate is rejected. The affiliate is locked
 * before the link is consumed: a change of email or a rejection takes the same lock before it ends links and sessions, so it
 * either finds the session that starts here, or leaves no link to consume.
 */
export async function takeMagicLink(
  tx: Tx,
  accountId: number,
  tokenHash: Buffer,
): Promise<number | undefined> {
  const link = await tx.first<{ affiliate_id: number }>(sql`
    SELECT l.affiliate_id FROM magic_links l WHERE l.account_id = ${accountId} AND l.token_hash = ${tokenHash}`)
  if (!link) return undefined
  const affiliate = await tx.first<{ status: string }>(sql`
    SELECT a.status FROM affiliates a WHERE a.account_id = ${accountId} AND a.id = ${link.affiliate_id} FOR SHARE`)
  if (!affiliate || affiliate.status === 'rejected') return undefined
  const taken = await tx.first<{ affiliate_id: number }>(sql`
    UPDATE magic_links l SET used_at = now()
     WHERE l.account_id = ${accountId} AND l.token_hash = ${tokenHash} AND l.used_at IS NULL AND l.expires_at > now()
    RETURNING l.affiliate_id`)
  return taken?.affiliate_id
}

/** How many of the links that have not expired were used. */
export async function countUsedLinksOf(db: Db, accountId: number, affiliateId: number): Promise<number> {
  const row = await db.first<{ count: number }>(sql`
    SELECT count(*)::integer AS count FROM magic_links l
     WHERE l.account_id = ${accountId} AND l.affiliate_id = ${affiliateId} AND l.used_at IS NOT NULL AND l.expires_at > now()`)
  return row?.count ?? 0
}

/** Deletes the links that have not expired. */
export async function deleteOpenLinksOf(db: Db, accountId: number, affiliateId: number): Promise<void> {
  await db.many(sql`
    DELETE FROM magic_links l
     WHERE l.account_id = ${accountId} AND l.affiliate_id = ${affiliateId} AND l.used_at IS NULL AND l.expires_at > now()`)
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

/** The session and its affiliate. A rejected affiliate's session is invalid immediately. */
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

/** Records a visit, at most every few minutes to save writes; whether it has. */
export async function touchPortalSession(db: Db, accountId: number, tokenHash: Buffer): Promise<boolean> {
  const touched = await db.many(sql`
    UPDATE portal_sessions s SET last_seen_at = now(), expires_at = now() + ${IDLE_DAYS} * interval '1 day'
     WHERE s.account_id = ${accountId} AND s.token_hash = ${tokenHash} AND s.last_seen_at < now() - interval '5 minutes'
    RETURNING s.affiliate_id`)
  return touched.length > 0
}

export async function deletePortalSession(db: Db, accountId: number, tokenHash: Buffer): Promise<void> {
  await db.many(sql`
    DELETE FROM portal_sessions s WHERE s.account_id = ${accountId} AND s.token_hash = ${tokenHash}`)
}

export async function deletePortalSessionsOf(db: Db, accountId: number, affiliateId: number): Promise<void> {
  await db.many(sql`
    DELETE FROM portal_sessions s WHERE s.account_id = ${accountId} AND s.affiliate_id = ${affiliateId}`)
}
