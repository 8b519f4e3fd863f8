import type pg from 'pg'
import { assertCompatible, type Migration } from './migration-files.ts'

/** Creates the table of applied migrations if needed, and returns the migrations that are missing. */
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

/** Records a migration as applied; false if another process already has. */
async function recordApplied(
  client: pg.ClientBase,
  { version, name, checksum }: Migration,
): Promise<boolean> {
  const { rowCount } = await client.query(
    'INSERT INTO schema_migrations (version, name, checksum) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
    [version, name, checksum],
  )
  return rowCount === 1
}

/** CONCURRENTLY can't run in a transaction, and is not needed in a database without other sessions. */
const withoutConcurrently = (text: string) => text.replaceAll(/\bCONCURRENTLY\b/g, '')

/**
 * Applies the missing migrations in the caller's transaction, for a database without other sessions: a new one, or one that a
 * backup is restored into. Returns the applied ones.
 */
export async function applyMigrations(client: pg.ClientBase, known: Migration[]): Promise<Migration[]> {
  const missing = await missingMigrations(client, known)
  for (const migration of missing) {
    const { text, outsideTransaction } = migration
    await client.query(outsideTransaction ? withoutConcurrently(text) : text)
    await recordApplied(client, migration)
  }
  return missing
}

/** Recorded before it runs: a backup may hold that table's lock for a long time, and at this point nothing else is locked yet. */
export async function applyInTransaction(client: pg.ClientBase, migration: Migration): Promise<void> {
  if (await recordApplied(client, migration)) await client.query(migration.text)
}

/** A test ensures that these files contain plain statements only, each ending at the end of a line. */
const statementsOf = (text: string) =>
  text
    .replaceAll(/^\s*--.*$/gm, '')
    .split(/;\s*$/m)
    .map(statement => statement.trim())
    .filter(statement => statement !== '')

const CREATE_INDEX = /^CREATE\s+(?:UNIQUE\s+)?INDEX\s+CONCURRENTLY\s+(?:IF\s+NOT\s+EXISTS\s+)?(\w+)\s+ON\b/i

/** Whether the index exists. An invalid one, left by an interrupted start, is dropped so that it is built again. */
async function hasIndex(client: pg.ClientBase, name: string): Promise<boolean> {
  const { rows } = await client.query<{ valid: boolean }>(
    'SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass($1)',
    [name],
  )
  if (rows[0]?.valid === false) await client.query(`DROP INDEX CONCURRENTLY ${name}`)
  return rows[0]?.valid === true
}

/**
 * Runs a migration whose statements can't run in a transaction, without a timeout: CREATE INDEX CONCURRENTLY waits for older
 * transactions but blocks neither reads nor writes. After an interruption it starts over and skips the indexes that exist.
 */
export async function applyWithoutTransaction(client: pg.ClientBase, migration: Migration): Promise<void> {
  await client.query('SET lock_timeout = 0; SET statement_timeout = 0')
  for (const statement of statementsOf(migration.text)) {
    const index = CREATE_INDEX.exec(statement)?.[1]
    if (index === undefined || !(await hasIndex(client, index))) await client.query(statement)
  }
  await recordApplied(client, migration)
}
