import type { Db, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import { emailKey } from '../../kit/email.ts'
import type { UserRow } from '../accounts/account.store.ts'

export async function findPasswordHash(db: Db, userId: number): Promise<string | undefined> {
  const row = await db.first<{ password_hash: string }>(
    sql`SELECT password_hash FROM users WHERE id = ${userId}`,
  )
  return row?.password_hash
}

export async function findUserEmail(db: Db, userId: number): Promise<string | undefined> {
  const row = await db.first<{ email: string }>(sql`SELECT email FROM users WHERE id = ${userId}`)
  return row?.email
}

export async function setPassword(tx: Tx, userId: number, passwordHash: string): Promise<void> {
  await tx.many(sql`UPDATE users SET password_hash = ${passwordHash} WHERE id = ${userId}`)
}

/** Compare-and-set: replaces the password hash; false if it has changed. */
export async function replacePassword(
  tx: Tx,
  userId: number,
  before: string,
  passwordHash: string,
): Promise<boolean> {
  const row = await tx.first(sql`
    UPDATE users SET password_hash = ${passwordHash} WHERE id = ${userId} AND password_hash = ${before} RETURNING id`)
  return row !== undefined
}

export async function setUserName(tx: Tx, userId: number, name: string): Promise<void> {
  await tx.many(sql`UPDATE users SET name = ${name} WHERE id = ${userId} AND name IS NULL`)
}

/** The user with this email, locked against concurrent changes of the password and requests for reset links. */
export function lockUser(tx: Tx, email: string): Promise<(UserRow & { email: string }) | undefined> {
  return tx.first(sql`
    SELECT u.id, u.email, u.password_hash FROM users u WHERE u.email_key = ${emailKey(email)} FOR NO KEY UPDATE`)
}

export async function countResets(tx: Tx, userId: number): Promise<number> {
  const row = await tx.first<{ count: number }>(sql`
    SELECT count(*)::integer AS count FROM password_resets WHERE user_id = ${userId} AND expires_at > now()`)
  return row?.count ?? 0
}

export async function insertReset(tx: Tx, userId: number, tokenHash: Buffer, minutes: number): Promise<void> {
  await tx.many(sql`
    INSERT INTO password_resets (token_hash, user_id, expires_at)
    VALUES (${tokenHash}, ${userId}, now() + ${minutes} * interval '1 minute')`)
}

/** The valid links among these. Changes nothing. */
export async function findResets(db: Db, digests: Buffer[]): Promise<{ digest: Buffer; found: true }[]> {
  const rows = await db.many<{ token_hash: Buffer }>(sql`
    SELECT token_hash FROM password_resets WHERE token_hash = ANY (${digests}::bytea[]) AND expires_at > now()`)
  return rows.map(({ token_hash }) => ({ digest: token_hash, found: true }))
}

export async function deleteResetsOf(tx: Tx, userId: number): Promise<void> {
  await tx.many(sql`DELETE FROM password_resets WHERE user_id = ${userId}`)
}

/** Consumes a reset link in one statement: of two concurrent requests, one finds it. */
export async function takeReset(tx: Tx, tokenHash: Buffer): Promise<number | undefined> {
  const row = await tx.first<{ user_id: number }>(sql`
    DELETE FROM password_resets WHERE token_hash = ${tokenHash} AND expires_at > now() RETURNING user_id`)
  return row?.user_id
}

export async function insertSetupCode(db: Db, codeHash: Buffer): Promise<void> {
  await db.many(sql`INSERT INTO setup_codes (code_hash) VALUES (${codeHash})`)
}

/** Consumes the code and deletes all others: there is only one first account. */
export async function takeSetupCode(tx: Tx, codeHash: Buffer): Promise<boolean> {
  const row = await tx.first(sql`DELETE FROM setup_codes WHERE code_hash = ${codeHash} RETURNING code_hash`)
  if (row) await tx.many(sql`DELETE FROM setup_codes`)
  return row !== undefined
}
