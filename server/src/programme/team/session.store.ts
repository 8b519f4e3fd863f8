import type { Role, SessionInfo } from '@tributary/contract/dashboard'
import type { Db } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { UserRow } from '../accounts/account.store.ts'

/** Longer than a holiday; renewed by every visit. */
const IDLE_DAYS = 30

export interface SessionRow {
  user_id: number
  email: string
  name: string | null
  /** The user's role in the requested account; null if there is none. */
  role: Role | null
}

/**
 * Starts a session if the user still has the password hash that was verified; false otherwise. The user is locked: a new password
 * either finds this session and ends it, or is waited for and found here.
 */
export async function insertSession(
  db: Db,
  user: UserRow,
  session: { tokenHash: Buffer; address: string; userAgent: string | null },
): Promise<boolean> {
  const row = await db.first(sql`
    INSERT INTO sessions (token_hash, user_id, address, user_agent, expires_at)
    SELECT ${session.tokenHash}, u.id, ${session.address}, ${session.userAgent}, now() + ${IDLE_DAYS} * interval '1 day'
      FROM users u WHERE u.id = ${user.id} AND u.password_hash = ${user.password_hash} FOR SHARE OF u
    RETURNING user_id`)
  return row !== undefined
}

/** The session's user and their role in an account, in one query; null for no account. */
export function findSession(
  db: Db,
  tokenHash: Buffer,
  accountId: number | null,
): Promise<SessionRow | undefined> {
  return db.first(sql`
    SELECT s.user_id, u.email, u.name, m.role
      FROM sessions s JOIN users u ON u.id = s.user_id
      LEFT JOIN memberships m ON m.account_id = ${accountId} AND m.user_id = s.user_id
     WHERE s.token_hash = ${tokenHash} AND s.expires_at > now()`)
}

/** Records a visit, at most every few minutes to save writes; whether it has. */
export async function touchSession(db: Db, tokenHash: Buffer): Promise<boolean> {
  const touched = await db.many(sql`
    UPDATE sessions SET last_seen_at = now(), expires_at = now() + ${IDLE_DAYS} * interval '1 day'
     WHERE token_hash = ${tokenHash} AND last_seen_at < now() - interval '5 minutes' RETURNING user_id`)
  return touched.length > 0
}

export async function deleteSession(db: Db, tokenHash: Buffer): Promise<void> {
  await db.many(sql`DELETE FROM sessions WHERE token_hash = ${tokenHash}`)
}

export async function deleteSessionsOf(db: Db, userId: number): Promise<void> {
  await db.many(sql`DELETE FROM sessions WHERE user_id = ${userId}`)
}

export function accountsOf(db: Db, userId: number): Promise<SessionInfo['accounts']> {
  return db.many(sql`
    /* every account */ SELECT a.id, a.name, a.slug, a.time_zone, m.role FROM memberships m JOIN accounts a ON a.id = m.account_id
     WHERE m.user_id = ${userId} ORDER BY a.name, a.id`)
}
