import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { migrationsFolder } from '../paths.ts'
import type { Db } from './database.ts'
import { grantTo, hasRights } from './grants.ts'
import { sql } from './sql.ts'
import { withConnection } from './with-connection.ts'

export interface Migration {
  version: number
  name: string
  text: string
  checksum: string
}

export class MigrationError extends Error {
  override readonly name = 'MigrationError'
}

export async function knownMigrations(): Promise<Migration[]> {
  const files = (await readdir(migrationsFolder)).filter(file => /^\d{4}_.*\.sql$/.test(file)).sort()
  return Promise.all(
    files.map(async file => {
      const text = await readFile(join(migrationsFolder, file), 'utf8')
      const checksum = createHash('sha256').update(text).digest('hex')
      return { version: Number(file.slice(0, 4)), name: file.slice(5, -4), text, checksum }
    }),
  )
}

/** Throws where the database has a migration that this program does not know, or knows by other words. */
export function assertCompatible(known: Migration[], applied: { version: number; checksum: string }[]): void {
  for (const { version, checksum } of applied) {
    const migration = known.find(candidate => candidate.version === version)
    if (!migration)
      throw new MigrationError(
        `The database is newer than this program: it has migration ${version}, and the newest known here is ` +
          `${known.at(-1)?.version ?? 0}. Run the version of Tributary that made it, or a later one.`,
      )
    if (migration.checksum !== checksum)
      throw new MigrationError(
        `Migration ${version} (${migration.name}) was changed after it was applied. Restore the file: ` +
          'a change of the schema is a new migration.',
      )
  }
}

/** Several processes may start at once: one migrates, the others wait here and then find nothing left to do. */
export async function lockMigrations(client: pg.ClientBase): Promise<void> {
  await client.query(`SELECT pg_advisory_xact_lock(hashtextextended('tributary migrations', 0))`)
}

/** Applies what is missing of the given migrations, in the caller's transaction; returns what that was. */
export async function applyMigrations(client: pg.ClientBase, known: Migration[]): Promise<Migration[]> {
  await client.query(`CREATE TABLE IF NOT EXISTS schema_migrations (
    version integer PRIMARY KEY, name text NOT NULL, checksum text NOT NULL,
    applied_at timestamptz(3) NOT NULL DEFAULT now())`)
  const { rows: applied } = await client.query(
    'SELECT version, checksum FROM schema_migrations ORDER BY version',
  )
  assertCompatible(known, applied)
  const missing = known.filter(({ version }) => !applied.some(row => row.version === version))
  for (const { version, name, text, checksum } of missing) {
    await client.query(text)
    await client.query('INSERT INTO schema_migrations (version, name, checksum) VALUES ($1, $2, $3)', [
      version,
      name,
      checksum,
    ])
  }
  return missing
}

const isMissing = (error: unknown) =>
  error instanceof pg.DatabaseError && (error.code === '42P01' || error.code === '42501')

/** Whether there is nothing to migrate and nothing to grant. Any role may ask, and most starts need nothing more. */
export async function isUpToDate(db: Db, serviceRole: string | undefined): Promise<boolean> {
  const known = await knownMigrations()
  try {
    const rows = await db.many<{ version: number; checksum: string; has_rights: boolean }>(sql`
      SELECT version, checksum, ${serviceRole === undefined ? sql`true` : hasRights(serviceRole)} AS has_rights
        FROM schema_migrations`)
    assertCompatible(known, rows)
    return rows.length === known.length && rows.every(row => row.has_rights)
  } catch (error) {
    // A new database, or one that this role has not been let into yet.
    if (isMissing(error)) return false
    throw error
  }
}

/**
 * Brings the database to the newest schema and lets the service role use it. All of it is one transaction: a failure
 * leaves the database as it was. Returns the names of what was applied.
 */
export async function migrate(owner: pg.ClientConfig, serviceRole: string | undefined): Promise<string[]> {
  const known = await knownMigrations()
  return withConnection(owner, async client => {
    await client.query('BEGIN')
    await lockMigrations(client)
    const missing = await applyMigrations(client, known)
    if (serviceRole) await grantTo(client, serviceRole)
    await client.query('COMMIT')
    return missing.map(({ version, name }) => `${String(version).padStart(4, '0')}_${name}`)
  })
}
