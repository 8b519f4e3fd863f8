import type pg from 'pg'
import { assertCompatible, type Migration } from './migration-files.ts'

/** Makes the table of what was applied, and returns what the database lacks. */
export async function missingMigrations(client: pg.ClientBase, known: Migration[]): Promise<Migration[]> {
  await client.query(`CREATE TABLE IF NOT EXISTS schema_migrations (
    version integer PRIMARY KEY, name text NOT NULL, checksum text NOT NULL,
    applied_at timestamptz(3) NOT NULL DEFAULT now())`)
  const { rows: applied } = await client.query(
    'SELECT version, checksum FROM schema_migrations ORDER BY version',
  )
  assertCompatible(known, applied)
  return known.filter(({ version }) => !applied.some(row => row.version === version))
}

/** Notes a migration as applied; false where somebody else has done so meanwhile. */
async function noteApplied(client: pg.ClientBase, { version, name, checksum }: Migration): Promise<boolean> {
  const { rowCount } = await client.query(
    'INSERT INTO schema_migrations (version, name, checksum) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
    [version, name, checksum],
  )
  return rowCount === 1
}

/** Within a transaction nobody else sees the table, so there is nobody whom a plain CREATE INDEX could hold up. */
const withoutConcurrently = (text: string) => text.replaceAll(/\bCONCURRENTLY\b/g, '')

/**
 * Applies what is missing of the given migrations in the caller's transaction, for a database that nobody else uses: a new one, or
 * one that a backup is restored into. Returns what that was.
 */
export async function applyMigrations(client: pg.ClientBase, known: Migration[]): Promise<Migration[]> {
  const missing = await missingMigrations(client, known)
  for (const migration of missing) {
    const { text, outsideTransaction } = migration
    await client.query(outsideTransaction ? withoutConcurrently(text) : text)
    await noteApplied(client, migration)
  }
  return missing
}

/** One migration in a transaction of its own. Noted first: a backup holds that lock for long, and nothing else is locked yet. */
export async function applyInside(client: pg.ClientBase, migration: Migration): Promise<void> {
  if (await noteApplied(client, migration)) await client.query(migration.text)
}

/** Such files hold plain statements only, each ending with a line; a test sees to it. */
const statementsOf = (text: string) =>
  text
    .replaceAll(/^\s*--.*$/gm, '')
    .split(/;\s*$/m)
    .map(statement => statement.trim())
    .filter(statement => statement !== '')

const CREATE_INDEX = /^CREATE\s+(?:UNIQUE\s+)?INDEX\s+CONCURRENTLY\s+(?:IF\s+NOT\s+EXISTS\s+)?(\w+)\s+ON\b/i

/** Whether the index stands already. One that an interrupted start left half made is dropped, to be made again. */
async function hasIndex(client: pg.ClientBase, name: string): Promise<boolean> {
  const { rows } = await client.query<{ valid: boolean }>(
    'SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass($1)',
    [name],
  )
  if (rows[0]?.valid === false) await client.query(`DROP INDEX CONCURRENTLY ${name}`)
  return rows[0]?.valid === true
}

/**
 * One migration whose statements cannot run in a transaction. They wait for as long as it takes: an index that is made concurrently
 * waits for transactions that are older than itself, and keeps neither reads nor writes waiting. After an interruption it begins anew and
 * finds what is done.
 */
export async function applyOutside(client: pg.ClientBase, migration: Migration): Promise<void> {
  await client.query('SET lock_timeout = 0; SET statement_timeout = 0')
  for (const statement of statementsOf(migration.text)) {
    const index = CREATE_INDEX.exec(statement)?.[1]
    if (index === undefined || !(await hasIndex(client, index))) await client.query(statement)
  }
  await noteApplied(client, migration)
}
