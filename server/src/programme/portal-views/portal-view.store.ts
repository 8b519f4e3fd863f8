import type { Role } from '@tributary/contract/dashboard'
import type { Db, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { LookupKey } from '../../kit/shared-lookup.ts'

export interface PortalViewRow {
  affiliate_id: number
  email: string
  status: 'pending' | 'approved'
  user_id: number
  viewer: string
  /** The viewer's current role in the account; null if they left the team. */
  role: Role | null
  expires_at: string
}

export async function insertPortalView(
  tx: Tx,
  accountId: number,
  view: { affiliateId: number; userId: number; linkHash: Buffer; linkSeconds: number },
): Promise<void> {
  await tx.many(sql`
    INSERT INTO portal_views (account_id, link_hash, affiliate_id, user_id, expires_at)
    VALUES (${accountId}, ${view.linkHash}, ${view.affiliateId}, ${view.userId}, now() + ${view.linkSeconds} * interval '1 second')`)
}

/** The valid links among these. Changes nothing. */
export async function findOpenViews(
  db: Db,
  lookups: LookupKey[],
): Promise<{ digest: Buffer; found: { account_id: number } }[]> {
  const rows = await db.many<{ link_hash: Buffer; account_id: number }>(sql`
    /* every account */ SELECT v.link_hash, v.account_id
      FROM unnest(${lookups.map(({ slug }) => slug)}::text[], ${lookups.map(({ digest }) => digest)}::bytea[]) AS wanted (slug, digest)
      JOIN accounts c ON c.slug = wanted.slug
      JOIN portal_views v ON v.account_id = c.id AND v.link_hash = wanted.digest AND v.session_hash IS NULL AND v.expires_at > now()`)
  return rows.map(({ link_hash, account_id }) => ({ digest: link_hash, found: { account_id } }))
}

/** Replaces a link by a session in one guarded statement: of two requests with the same link, one succeeds. */
export async function takePortalView(
  tx: Tx,
  accountId: number,
  view: { linkHash: Buffer; sessionHash: Buffer; sessionSeconds: number },
): Promise<boolean> {
  const taken = await tx.first(sql`
    UPDATE portal_views v SET session_hash = ${view.sessionHash}, expires_at = now() + ${view.sessionSeconds} * interval '1 second'
     WHERE v.account_id = ${accountId} AND v.link_hash = ${view.linkHash} AND v.session_hash IS NULL AND v.expires_at > now()
    RETURNING v.affiliate_id`)
  return taken !== undefined
}

export function findPortalView(
  db: Db,
  accountId: number,
  sessionHash: Buffer,
): Promise<PortalViewRow | undefined> {
  return db.first(sql`
    SELECT v.affiliate_id, a.email, a.status, v.user_id, u.email AS viewer, m.role, v.expires_at
      FROM portal_views v
      JOIN affiliates a ON a.account_id = ${accountId} AND a.id = v.affiliate_id
      JOIN users u ON u.id = v.user_id
      LEFT JOIN memberships m ON m.account_id = ${accountId} AND m.user_id = v.user_id
     WHERE v.account_id = ${accountId} AND v.session_hash = ${sessionHash} AND v.expires_at > now() AND a.status <> 'rejected'`)
}

export async function deletePortalView(db: Db, accountId: number, sessionHash: Buffer): Promise<void> {
  await db.many(sql`
    DELETE FROM portal_views v WHERE v.account_id = ${accountId} AND v.session_hash = ${sessionHash}`)
}
