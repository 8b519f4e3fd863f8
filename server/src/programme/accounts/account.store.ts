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
export async function insertAccount(
  tx: Tx,
  { name, slug, timeZone }: { name: string; slug: string; timeZone: string },
): Promise<number | undefined> {
  const row = await tx.first<{ id: number }>(sql`
    INSERT INTO accounts (name, slug, time_zone, checklist_dismissed, keeps_customer_emails)
    VALUES (${name}, ${slug}, ${timeZone}, false, true)
    ON CONFLICT (slug) DO NOTHING RETURNING id`)
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

export interface AccountRow {
  id: number
  name: string
  slug: string
  time_zone: string
  /** Where broken links lead; null for a campaign's destination. */
  site_url: string | null
  /** What reports convert amounts to; null to list them by currency. */
  reporting_currency: string | null
}

export function findAccount(db: Db, accountId: number): Promise<AccountRow | undefined> {
  return db.first(
    sql`SELECT id, name, slug, time_zone, site_url, reporting_currency FROM accounts WHERE id = ${accountId}`,
  )
}

/** The same, locked until the transaction ends. Rows that refer to the account can still be inserted. */
export function lockAccount(tx: Tx, accountId: number): Promise<AccountRow | undefined> {
  return tx.first(sql`
    SELECT id, name, slug, time_zone, site_url, reporting_currency FROM accounts
     WHERE id = ${accountId} FOR NO KEY UPDATE`)
}

export async function saveAccount(
  tx: Tx,
  { id, name, time_zone, site_url, reporting_currency }: Omit<AccountRow, 'slug'>,
): Promise<void> {
  await tx.many(sql`
    UPDATE accounts SET name = ${name}, time_zone = ${time_zone}, site_url = ${site_url}, reporting_currency = ${reporting_currency}
     WHERE id = ${id}`)
}

export async function saveKeepsEmails(tx: Tx, accountId: number, keeps: boolean): Promise<void> {
  await tx.many(sql`UPDATE accounts SET keeps_customer_emails = ${keeps} WHERE id = ${accountId}`)
}

/** Whether this PostgreSQL has the zone, by its exact name. */
export async function isKnownZone(db: Db, name: string): Promise<boolean> {
  return (await db.first(sql`SELECT 1 FROM pg_timezone_names z WHERE z.name = ${name}`)) !== undefined
}
