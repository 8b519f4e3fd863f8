import type { Db, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import { emailKey } from '../../kit/email.ts'

export interface UserRow {
  id: number
  password_hash: string
}

export async function findAccountSlug(db: Db, accountId: number): Promise<string | undefined> {
  const row = await db.first<{ slug: string }>(sql`SELECT slug FROM accounts WHERE id = ${accountId}`)
  return row?.slug
}

export async function findAccountBySlug(db: Db, slug: string): Promise<number | undefined> {
  const row = await db.first<{ id: number }>(sql`SELECT id FROM accounts WHERE slug = ${slug}`)
  return row?.id
}

export async function anyAccountExists(db: Db): Promise<boolean> {
  return (await db.first(sql`SELECT 1 FROM accounts LIMIT 1`)) !== undefined
}

export async function listSomeSlugs(db: Db, most: number): Promise<string[]> {
  const rows = await db.many<{ slug: string }>(sql`SELECT slug FROM accounts LIMIT ${most}`)
  return rows.map(row => row.slug)
}

/** Inserts an account; undefined when the slug is taken. */
export async function insertAccount(tx: Tx, name: string, slug: string): Promise<number | undefined> {
  const row = await tx.first<{ id: number }>(sql`
    INSERT INTO accounts (name, slug) VALUES (${name}, ${slug}) ON CONFLICT (slug) DO NOTHING RETURNING id`)
  return row?.id
}

export function findUserByEmail(db: Db, email: string): Promise<UserRow | undefined> {
  return db.first(sql`SELECT id, password_hash FROM users WHERE email_key = ${emailKey(email)}`)
}

/** Inserts a user; undefined when the email is taken. */
export async function insertUser(tx: Tx, email: string, passwordHash: string): Promise<number | undefined> {
  const row = await tx.first<{ id: number }>(sql`
    INSERT INTO users (email, email_key, password_hash) VALUES (${email}, ${emailKey(email)}, ${passwordHash})
    ON CONFLICT (email_key) DO NOTHING RETURNING id`)
  return row?.id
}

export async function insertOwner(tx: Tx, accountId: number, userId: number): Promise<void> {
  await tx.many(
    sql`INSERT INTO memberships (account_id, user_id, role) VALUES (${accountId}, ${userId}, 'owner')`,
  )
}

export function findAccount(
  db: Db,
  accountId: number,
): Promise<{ id: number; name: string; slug: string } | undefined> {
  return db.first(sql`SELECT id, name, slug FROM accounts WHERE id = ${accountId}`)
}

export async function renameAccount(db: Db, accountId: number, name: string): Promise<void> {
  await db.many(sql`UPDATE accounts SET name = ${name} WHERE id = ${accountId}`)
}
