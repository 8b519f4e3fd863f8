import type { Invitation, Member, Role } from '@tributary/contract/dashboard'
import type { Db, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import { emailKey } from '../../kit/email.ts'

export function listMembers(db: Db, accountId: number): Promise<Member[]> {
  return db.many(sql`
    SELECT u.id, u.email, u.name, m.role, m.created_at FROM memberships m JOIN users u ON u.id = m.user_id
     WHERE m.account_id = ${accountId} ORDER BY m.created_at, u.id`)
}

export function listInvitations(
  db: Db,
  accountId: number,
): Promise<(Invitation & { inviter_role: Role | null })[]> {
  return db.many(sql`
    SELECT i.id, i.email, i.role, i.expires_at, i.created_at, m.role AS inviter_role FROM invitations i
      LEFT JOIN memberships m ON m.account_id = ${accountId} AND m.user_id = i.invited_by
     WHERE i.account_id = ${accountId} AND i.expires_at > now() ORDER BY i.id`)
}

/**
 * The inviter's role, with a row lock: a concurrent removal or demotion waits for this transaction, then finds the invitation and
 * withdraws it.
 */
export async function lockRole(tx: Tx, accountId: number, userId: number): Promise<Role | undefined> {
  const row = await tx.first<{ role: Role }>(sql`
    SELECT m.role FROM memberships m WHERE m.account_id = ${accountId} AND m.user_id = ${userId} FOR SHARE`)
  return row?.role
}

/** Withdraws all invitations by a user. */
export async function deleteInvitationsBy(tx: Tx, accountId: number, userId: number): Promise<string[]> {
  const rows = await tx.many<{ email: string }>(sql`
    DELETE FROM invitations WHERE account_id = ${accountId} AND invited_by = ${userId} RETURNING email`)
  return rows.map(({ email }) => email)
}

/** All memberships of an account, locked, so that concurrent changes can't remove the last owner. */
export function lockMembers(
  tx: Tx,
  accountId: number,
): Promise<{ user_id: number; email: string; role: Role }[]> {
  return tx.many(sql`
    SELECT m.user_id, u.email, m.role FROM memberships m JOIN users u ON u.id = m.user_id
     WHERE m.account_id = ${accountId} ORDER BY m.user_id FOR UPDATE OF m`)
}

export async function setRole(tx: Tx, accountId: number, userId: number, role: Role): Promise<void> {
  await tx.many(sql`
    UPDATE memberships SET role = ${role} WHERE account_id = ${accountId} AND user_id = ${userId}`)
}

/** If they didn't want the digest, that is remembered for the case that they come back. */
export async function deleteMember(tx: Tx, accountId: number, userId: number): Promise<void> {
  await tx.many(sql`
    WITH gone AS (DELETE FROM memberships WHERE account_id = ${accountId} AND user_id = ${userId} RETURNING wants_digest)
    INSERT INTO digest_refusals (account_id, user_id) SELECT ${accountId}, ${userId} FROM gone WHERE NOT gone.wants_digest
    ON CONFLICT (account_id, user_id) DO NOTHING`)
}

export async function isMember(db: Db, accountId: number, email: string): Promise<boolean> {
  const row = await db.first(sql`
    SELECT 1 FROM memberships m JOIN users u ON u.id = m.user_id
     WHERE m.account_id = ${accountId} AND u.email_key = ${emailKey(email)}`)
  return row !== undefined
}

export async function insertMember(tx: Tx, accountId: number, userId: number, role: Role): Promise<void> {
  await tx.many(sql`
    WITH refused AS (DELETE FROM digest_refusals WHERE account_id = ${accountId} AND user_id = ${userId} RETURNING 1)
    INSERT INTO memberships (account_id, user_id, role, wants_digest)
    VALUES (${accountId}, ${userId}, ${role}, NOT EXISTS (SELECT 1 FROM refused))
    ON CONFLICT (account_id, user_id) DO NOTHING`)
}

/** A second invitation of the same person replaces the first, whose link becomes invalid. */
export async function insertInvitation(
  tx: Tx,
  accountId: number,
  invitation: { email: string; role: Role; tokenHash: Buffer; invitedBy: number; days: number },
): Promise<number> {
  await tx.many(sql`
    DELETE FROM invitations WHERE account_id = ${accountId} AND email_key = ${emailKey(invitation.email)}`)
  const row = await tx.first<{ id: number }>(sql`
    INSERT INTO invitations (account_id, email, email_key, role, token_hash, invited_by, expires_at)
    VALUES (${accountId}, ${invitation.email}, ${emailKey(invitation.email)}, ${invitation.role}, ${invitation.tokenHash},
            ${invitation.invitedBy}, now() + ${invitation.days} * interval '1 day')
    RETURNING id`)
  return (row as { id: number }).id
}

/** Consumes an invitation in one statement: of two concurrent requests, one finds it. */
export function deleteInvitation(
  db: Db,
  accountId: number,
  id: number,
): Promise<{ email: string; role: Role } | undefined> {
  return db.first(sql`
    DELETE FROM invitations WHERE account_id = ${accountId} AND id = ${id} RETURNING email, role`)
}

export interface OpenInvitation {
  account_id: number
  account_name: string
  id: number
  email: string
  role: Role
  invited_by: number
  inviter_role: Role | null
}

/** The open invitations among these. The token is sufficient proof, whatever account it belongs to. */
export async function findInvitations(
  db: Db,
  digests: Buffer[],
): Promise<{ digest: Buffer; found: OpenInvitation }[]> {
  const rows = await db.many<OpenInvitation & { token_hash: Buffer }>(sql`
    /* every account */ SELECT i.token_hash, i.account_id, a.name AS account_name, i.id, i.email, i.role, i.invited_by,
           m.role AS inviter_role
      FROM invitations i JOIN accounts a ON a.id = i.account_id
      LEFT JOIN memberships m ON m.account_id = i.account_id AND m.user_id = i.invited_by
     WHERE i.token_hash = ANY (${digests}::bytea[]) AND i.expires_at > now()`)
  return rows.map(({ token_hash, ...found }) => ({ digest: token_hash, found }))
}
