import pg from 'pg'
import {
  applyInTransaction,
  applyMigrations,
  applyWithoutTransaction,
  missingMigrations,
} from './apply-migrations.ts'
import type { Db } from './database.ts'
import { grantTo, hasGrants } from './grants.ts'
import { assertCompatible, fullName, knownMigrations, type Migration } from './migration-files.ts'
import {
  acquireMigrationLock,
  assertDirectConnection,
  inTransaction,
  type LockRetryOptions,
  lockMigrations,
  releaseMigrationLock,
  withLockRetries,
  withLockTimeout,
} from './migration-locks.ts'
import { awaitOlderProcesses, type OlderProcessOptions } from './older-processes.ts'
import { sql } from './sql.ts'
import { withConnection } from './with-connection.ts'

export interface MigrateOptions extends LockRetryOptions {
  known?: Migration[]
  /** How to find connected processes of older versions; not checked if left out. */
  olderProcesses?: OlderProcessOptions & { db: Db }
}

const isMissing = (error: unknown) =>
  error instanceof pg.DatabaseError && (error.code === '42P01' || error.code === '42501')

/** Whether there is nothing to migrate and nothing to grant. Any role may run it, and most starts need nothing else. */
export async function isUpToDate(db: Db, serviceRole: string | undefined): Promise<boolean> {
  const known = knownMigrations()
  try {
    const rows = await db.many<{ version: number; checksum: string; has_grants: boolean }>(sql`
      SELECT version, checksum, ${serviceRole === undefined ? sql`true` : hasGrants(serviceRole)} AS has_grants
        FROM schema_migrations`)
    assertCompatible(known, rows)
    return rows.length === known.length && rows.every(row => row.has_grants)
  } catch (error) {
    // A new database, or one that this role has no privileges in yet.
    if (isMissing(error)) return false
    throw error
  }
}

async function isNew(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query(`SELECT to_regclass('schema_migrations') IS NULL AS absent`)
  return rows[0].absent || (await client.query('SELECT 1 FROM schema_migrations LIMIT 1')).rows.length === 0
}

/** Migrates a database that may be in use, one migration at a time. */
async function applyOneByOne(
  client: pg.ClientBase,
  known: Migration[],
  options: MigrateOptions,
): Promise<Migration[]> {
  const missing = await missingMigrations(client, known)
  const level = Math.max(...known.filter(each => !missing.includes(each)).map(({ version }) => version))
  const { olderProcesses } = options
  const check = async (migration: Migration, without?: { waitMs: 0 }) => {
    if (olderProcesses)
      await awaitOlderProcesses(olderProcesses.db, migration, level, { ...olderProcesses, ...without })
  }
  // Checked for all migrations before the first one runs, so that a start that fails leaves the database unchanged.
  for (const migration of missing) await check(migration)
  const apply = async (migration: Migration) => {
    await applyInTransaction(client, migration)
    // Again with its locks held: older processes may have started while it waited. Behind a pooler this check takes seconds.
    if (!olderProcesses?.isPooled) await check(migration, { waitMs: 0 })
  }
  for (const migration of missing)
    await withLockRetries(client, `Migration ${fullName(migration)}`, options, async () => {
      await check(migration)
      if (migration.outsideTransaction) await applyWithoutTransaction(client, migration)
      else await withLockTimeout(client, () => apply(migration))
    })
  return missing
}

/**
 * Migrates the database to the latest schema and grants the service role its privileges. Returns the names of the applied migrations.
 * A new database is migrated in one transaction. For one in use, each migration commits separately: a failure leaves the database at
 * the previous version, and the next start continues from there.
 */
export async function migrate(
  owner: pg.ClientConfig,
  serviceRole: string | undefined,
  options: MigrateOptions = {},
): Promise<string[]> {
  const known = options.known ?? knownMigrations()
  return withConnection(owner, async client => {
    const { rows: me } = await client.query<{ role: string }>('SELECT current_user AS role')
    const grant = async () => {
      // The owner has all privileges already; granting it these would revoke the others.
      if (serviceRole && serviceRole !== me[0]?.role) await grantTo(client, serviceRole)
    }
    if (await isNew(client)) {
      const applied = await inTransaction(client, async () => {
        await lockMigrations(client)
        const missing = (await isNew(client)) ? await applyMigrations(client, known) : undefined
        if (missing) await grant()
        return missing
      })
      if (applied) return applied.map(fullName)
    }
    if ((await missingMigrations(client, known)).length === 0) {
      await withLockRetries(client, 'Granting', options, () => withLockTimeout(client, grant))
      return []
    }
    await assertDirectConnection(client, owner)
    await acquireMigrationLock(client, options)
    try {
      const applied = await applyOneByOne(client, known, options)
      await withLockRetries(client, 'Granting', options, () => withLockTimeout(client, grant))
      return applied.map(fullName)
    } finally {
      await releaseMigrationLock(client)
    }
  })
}
