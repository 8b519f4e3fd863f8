import { createHmac, type Hmac } from 'node:crypto'
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import pg from 'pg'
import { copyOut } from '../../db/pg-adapter.ts'
import type { SecretBox } from '../../kit/secret-box.ts'
import { assertSequencesReadable, prepareSession, readCatalogue } from './backup-catalogue.ts'
import {
  BackupError,
  type BackupHeader,
  type BackupTable,
  cannotWrite,
  END_OF_TABLE,
  FORMAT,
} from './backup-format.ts'

export interface BackupSummary {
  createdAt: string
  tables: number
  rows: number
}

/** The fastest level: on our tables, slower ones save 5 % of the size for twice the time. */
const COMPRESSION_LEVEL = 1

const line = (value: unknown) => Buffer.from(`${JSON.stringify(value)}\n`)

/** The first query of the transaction takes the snapshot for all later ones. */
async function describe(client: pg.Client, secrets: SecretBox, version: string): Promise<BackupHeader> {
  const moment = await client.query<{ at: string }>(
    `SELECT to_char(statement_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS at`,
  )
  const check = secrets.check()
  const { rows: keys } = await client.query<{ secret_key_check: Buffer }>(
    'SELECT secret_key_check FROM installation',
  )
  if (keys.some(({ secret_key_check }) => !secret_key_check.equals(check)))
    throw new BackupError(
      'TRIBUTARY_SECRET_KEY does not match the key that this database was encrypted with, which is needed to sign the backup.',
    )
  const { rows: migrations } = await client.query<BackupHeader['migrations'][number]>(
    'SELECT version, checksum FROM schema_migrations ORDER BY version',
  )
  return {
    tributary_backup: FORMAT,
    version,
    created_at: moment.rows[0]?.at as string,
    secret_key_check: check.toString('hex'),
    migrations,
    ...(await readCatalogue(client)),
  }
}

/** A partitioned table can only be copied as a query. */
function copyStatement({ name, columns }: BackupTable): string {
  return `COPY (SELECT ${columns.map(pg.escapeIdentifier).join(', ')} FROM ${pg.escapeIdentifier(name)}) TO STDOUT`
}

async function* contentOf(
  client: pg.Client,
  header: BackupHeader,
  hmac: Hmac,
  counts: Record<string, number>,
): AsyncGenerator<Buffer> {
  const signed = (chunk: Buffer) => {
    hmac.update(chunk)
    return chunk
  }
  yield signed(line(header))
  const copied = new Map<string, { rowCount: number }>()
  for (const table of header.tables) {
    yield signed(line({ table: table.name }))
    const rows = copyOut(client, copyStatement(table))
    for await (const chunk of rows) yield signed(chunk)
    copied.set(table.name, rows)
    yield signed(END_OF_TABLE)
  }
  // The server reports the row count after the last row.
  await client.query('SELECT')
  for (const [table, { rowCount }] of copied) counts[table] = rowCount
  yield line({ rows: counts, hmac_sha256: hmac.digest('hex') })
}

/**
 * What keeps migrations from rewriting tables, which would break the snapshot: it would find them empty. A standby allows no lock that a
 * migration waits for; it ends the backup instead before it rewrites a table that is locked.
 */
async function findLock(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ is_standby: boolean }>('SELECT pg_is_in_recovery() AS is_standby')
  if (!rows[0]?.is_standby) return 'LOCK TABLE schema_migrations IN SHARE MODE'
  const { tables } = await readCatalogue(client)
  return `LOCK TABLE ${tables.map(({ name }) => pg.escapeIdentifier(name)).join(', ')} IN ACCESS SHARE MODE`
}

/** Writes a consistent snapshot of the whole database while the service keeps running. Only migrations have to wait. */
export async function writeBackup(
  client: pg.Client,
  sink: Writable,
  { secrets, version, signal }: { secrets: SecretBox; version: string; signal?: AbortSignal },
): Promise<BackupSummary> {
  await prepareSession(client)
  const { rows: found } = await client.query(`SELECT to_regclass('schema_migrations') IS NOT NULL AS present`)
  if (!found[0]?.present) throw new BackupError('Nothing to back up: this database has never been used.')
  await assertSequencesReadable(client)
  const lock = await findLock(client)
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
  // Before the first query, so that the snapshot includes a migration that this lock waited for.
  await client.query(lock)
  const header = await describe(client, secrets, version)
  const counts: Record<string, number> = {}
  const content = contentOf(client, header, createHmac('sha256', secrets.key('backup')), counts)
  let unwritten: Error | undefined
  sink.once('error', error => {
    unwritten = error
  })
  await pipeline(content, createGzip({ level: COMPRESSION_LEVEL }), sink, signal ? { signal } : {}).catch(
    error => {
      throw unwritten ? cannotWrite(unwritten) : error
    },
  )
  await client.query('COMMIT')
  const rows = Object.values(counts).reduce((sum, count) => sum + count, 0)
  return { createdAt: header.created_at, tables: header.tables.length, rows }
}
