import pg from 'pg'
import { applyInside, applyMigrations, applyOutside, missingMigrations } from './apply-migrations.ts'
import type { Db } from './database.ts'
import { grantTo, hasRights } from './grants.ts'
import { assertCompatible, fullName, knownMigrations, type Migration } from './migration-files.ts'
import {
  assertOwnSession,
  briefly,
  endTurn,
  inTransaction,
  lockMigrations,
  type Patience,
  takeTurn,
  withPatience,
} from './migration-locks.ts'
import { awaitOlderGone, type BesideOptions } from './older-processes.ts'
import { sql } from './sql.ts'
import { withConnection } from './with-connection.ts'

export interface MigrateOptions extends Patience {
  known?: Migration[]
  /** How to see who else is connected; without it nobody is looked for. */
  beside?: BesideOptions & { db: Db }
}

const isMissing = (error: unknown) =>
  error instanceof pg.DatabaseError && (error.code === '42P01' || error.code === '42501')

/** Whether there is nothing to migrate and nothing to grant. Any role may ask, and most starts need nothing more. */
export async function isUpToDate(db: Db, serviceRole: string | undefined): Promise<boolean> {
  const known = knownMigrations()
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

async function isNew(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query(`SELECT to_regclass('schema_migrations') IS NULL AS absent`)
  return rows[0].absent || (await client.query('SELECT 1 FROM schema_migrations LIMIT 1')).rows.length === 0
}

/** Brings a database that may be in use up to date, one migration after the other. */
async function applyOneByOne(
  client: pg.ClientBase,
  known: Migration[],
  options: MigrateOptions,
): Promise<Migration[]> {
  const missing = await missingMigrations(client, known)
  const level = Math.max(...known.filter(each => !missing.includes(each)).map(({ version }) => version))
  // Nothing is begun that somebody connected is not fit for: a start that refuses leaves the database as it was.
  if (options.beside)
    for (const migration of missing) await awaitOlderGone(options.beside.db, migration, level, options.beside)
  for (const migration of missing)
    await withPatience(client, `Migration ${fullName(migration)}`, options, () =>
      migration.outsideTransaction
        ? applyOutside(client, migration)
        : briefly(client, () => applyInside(client, migration)),
    )
  return missing
}

/**
 * Brings the database to the newest schema and lets the service role use it; returns the names of what was applied. A new database gets
 * all of it in one transaction. One that is in use gets one migration after the other, each committed by itself: what fails leaves the
 * database at the version before it, which the next start goes on from.
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
      // An owner has every right already; granting it some would take the others away.
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
      await withPatience(client, 'Granting', options, () => briefly(client, grant))
      return []
    }
    await assertOwnSession(client, owner)
    await takeTurn(client, options)
    try {
      const applied = await applyOneByOne(client, known, options)
      await withPatience(client, 'Granting', options, () => briefly(client, grant))
      return applied.map(fullName)
    } finally {
      await endTurn(client)
    }
  })
}
