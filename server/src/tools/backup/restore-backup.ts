import type { Readable } from 'node:stream'
import pg from 'pg'
import { applyMigrations } from '../../db/apply-migrations.ts'
import { assertCompatible, knownMigrations, type Migration } from '../../db/migration-files.ts'
import { lockMigrations } from '../../db/migration-locks.ts'
import { copyIn } from '../../db/pg-adapter.ts'
import type { SecretBox } from '../../kit/secret-box.ts'
import { prepareSession, readCatalogue } from './backup-catalogue.ts'
import { BackupError, type BackupHeader, type BackupTable, damaged } from './backup-format.ts'
import { BackupReader } from './backup-reader.ts'
import { deferConstraints } from './defer-constraints.ts'
import type { BackupSummary } from './write-backup.ts'

const quote = pg.escapeIdentifier

/** Tables that a start writes to before the service has been used. */
const WRITTEN_BY_A_START = ['installation', 'schema_migrations', 'setup_codes', 'fx_rates']

const elsewhere = 'Restore into an empty TRIBUTARY_DATA_DIR, or into a new database in your own PostgreSQL.'

/** The migrations that the backup includes. */
function migrationsOf(header: BackupHeader, known: Migration[]): Migration[] {
  const last = header.migrations.at(-1)?.version ?? 0
  const newest = known.at(-1)?.version ?? 0
  if (last > newest)
    throw new BackupError(
      `The backup is newer than this program: it needs migration ${last}, but the newest one here is ${newest}. ` +
        `Restore it with Tributary ${header.version} or later.`,
    )
  assertCompatible(known, header.migrations)
  return known.filter(({ version }) => header.migrations.some(one => one.version === version))
}

/** Rejects a database that is not empty, and locks it against new accounts during the restore. */
async function assertUnused(client: pg.Client, migrations: Migration[]): Promise<void> {
  const { rows: found } = await client.query(`SELECT to_regclass('schema_migrations') IS NOT NULL AS present`)
  if (!found[0].present) return
  await client.query('LOCK TABLE accounts IN ACCESS EXCLUSIVE MODE')
  const used: string[] = []
  for (const { name } of (await readCatalogue(client)).tables) {
    // With TRIBUTARY_FX_URL, a start fetches rates; a person has set those that are manual.
    const written = name === 'fx_rates' ? `source = 'manual'` : String(!WRITTEN_BY_A_START.includes(name))
    const { rows } = await client.query(`SELECT EXISTS (SELECT FROM ${quote(name)} WHERE ${written}) AS used`)
    if (rows[0].used) used.push(name)
  }
  if (used.includes('accounts')) throw new BackupError(`This database already has accounts. ${elsewhere}`)
  if (used.length > 0)
    throw new BackupError(`This database already has rows in ${used.join(', ')}. ${elsewhere}`)
  const { rows: applied } = await client.query<{ version: number }>('SELECT version FROM schema_migrations')
  if (applied.some(({ version }) => !migrations.some(one => one.version === version)))
    throw new BackupError(
      `This database was set up by a later version of Tributary than the backup. ${elsewhere} The backup is migrated there.`,
    )
}

/** Skips those of the operator's tables, which are not restored. */
async function createPartitions(
  client: pg.Client,
  { partitions }: BackupHeader,
  ours: string[],
): Promise<void> {
  for (const { name, parent, from, to } of partitions.filter(({ parent }) => ours.includes(parent)))
    await client.query(
      `CREATE TABLE IF NOT EXISTS ${quote(name)} PARTITION OF ${quote(parent)}
         FOR VALUES FROM (${pg.escapeLiteral(from)}) TO (${pg.escapeLiteral(to)})`,
    )
}

async function loadTable(
  client: pg.Client,
  file: BackupReader,
  { name, columns }: BackupTable,
): Promise<number> {
  return copyIn(
    client,
    `COPY ${quote(name)} (${columns.map(quote).join(', ')}) FROM STDIN`,
    file.rowsOf(name),
  )
}

/** Loads the tables in file order. Returns the row count of each, skipping tables that are not Tributary's. */
async function loadTables(
  client: pg.Client,
  file: BackupReader,
  { tables }: BackupHeader,
  ours: string[],
): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  try {
    await deferConstraints(client, ours.map(quote), async () => {
      for (const table of tables)
        if (ours.includes(table.name)) counts.set(table.name, await loadTable(client, file, table))
        else for await (const _ of file.rowsOf(table.name));
    })
  } catch (error) {
    // Invalid values or constraint violations cannot come from a real database: the file is damaged.
    if (error instanceof pg.DatabaseError && /^2[23]/.test(error.code ?? '')) throw damaged(error)
    throw error
  }
  return counts
}

/** Continues ids where they left off. */
async function setSequences(client: pg.Client, { sequences }: BackupHeader): Promise<void> {
  await client.query(
    `SELECT setval(c.oid, given.value) FROM pg_class c
       JOIN unnest($1::text[], $2::bigint[]) AS given (name, value) ON c.relname = given.name
      WHERE c.relkind = 'S' AND c.relnamespace = 'public'::regnamespace`,
    [sequences.map(({ name }) => name), sequences.map(({ value }) => value)],
  )
}

export interface RestoreSummary extends BackupSummary {
  /** Tables that the operator added: no migration creates them, so their rows are skipped. */
  leftOut: string[]
}

/**
 * Loads a backup into an empty database and migrates it to the newest schema, in one transaction, which commits once the whole file has
 * been read and verified: a failure leaves the database unchanged.
 */
export async function restoreBackup(
  client: pg.Client,
  source: Readable,
  secrets: SecretBox,
): Promise<RestoreSummary> {
  const file = new BackupReader(source, secrets)
  const header = await file.header()
  const known = knownMigrations()
  const migrations = migrationsOf(header, known)
  await prepareSession(client)
  await client.query('BEGIN')
  await lockMigrations(client)
  await assertUnused(client, migrations)
  await applyMigrations(client, migrations)
  const ours = (await readCatalogue(client)).tables.map(({ name }) => name)
  await client.query(`TRUNCATE ${ours.filter(name => WRITTEN_BY_A_START.includes(name)).join(', ')}`)
  await createPartitions(client, header, ours)
  const counts = await loadTables(client, file, header, ours)
  const trailer = await file.trailer()
  if ([...counts].some(([name, count]) => trailer.rows[name] !== count)) throw damaged()
  await setSequences(client, header)
  // The first queries should not have to wait for autovacuum to collect statistics.
  await client.query(`ANALYZE ${[...counts.keys()].map(quote).join(', ')}`)
  await applyMigrations(client, known)
  await client.query('COMMIT')
  return {
    createdAt: header.created_at,
    tables: counts.size,
    rows: [...counts.values()].reduce((sum, count) => sum + count, 0),
    leftOut: header.tables.map(({ name }) => name).filter(name => !counts.has(name)),
  }
}
