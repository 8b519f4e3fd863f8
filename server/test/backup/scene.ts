import { PassThrough, Readable, type Writable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { gunzipSync, gzipSync } from 'node:zlib'
import pg from 'pg'
import { inject } from 'vitest'
import { withConnection } from '../../src/db/with-connection.ts'
import { SecretBox } from '../../src/kit/secret-box.ts'
import type { BackupHeader } from '../../src/tools/backup/backup-format.ts'
import { type RestoreSummary, restoreBackup } from '../../src/tools/backup/restore-backup.ts'
import { writeBackup } from '../../src/tools/backup/write-backup.ts'
import { TEST_SECRET_KEY } from '../harness.ts'

export const secrets = new SecretBox(TEST_SECRET_KEY)

export const backUpTo = (sink: Writable, database: string, signal?: AbortSignal) =>
  withConnection({ ...inject('postgres').owner, database }, client =>
    writeBackup(client, sink, { secrets, version: '0.0.0-test', ...(signal && { signal }) }),
  )

export async function backUp(database: string): Promise<Buffer> {
  const sink = new PassThrough()
  const [file] = await Promise.all([buffer(sink), backUpTo(sink, database)])
  return file
}

export const restore = (database: string, file: Buffer, box = secrets): Promise<RestoreSummary> =>
  withConnection({ ...inject('postgres').owner, database }, client =>
    // In pieces, as a file arrives.
    restoreBackup(client, Readable.from(pieces(file)), box),
  )

function* pieces(file: Buffer): Generator<Buffer> {
  for (let at = 0; at < file.length; at += 10_000) yield file.subarray(at, at + 10_000)
}

export interface NewDatabase {
  name: string
  config: pg.ClientConfig
  owner: pg.Pool
  drop(): Promise<void>
}

/** An empty database without migrations, or a copy of one with migrations only. */
export async function newDatabase(template = 'template1'): Promise<NewDatabase> {
  const { admin, owner } = inject('postgres')
  const name = `test_${process.pid}_${Math.random().toString(36).slice(2)}`
  await withConnection(admin, client =>
    client.query(`CREATE DATABASE ${name} TEMPLATE ${template} OWNER ${owner.user} STRATEGY FILE_COPY`),
  )
  const config = { ...owner, database: name }
  const pool = new pg.Pool({ ...config, max: 4 })
  return {
    name,
    config,
    owner: pool,
    async drop() {
      await pool.end()
      await withConnection(admin, client => client.query(`DROP DATABASE ${name}`))
    },
  }
}

/** Every row of every table as text, sorted: a table has no order, and COPY puts a short row where an earlier page has room for it. */
export async function everyRow(owner: pg.ClientBase | pg.Pool): Promise<Record<string, string[]>> {
  const { rows: tables } = await owner.query(
    `SELECT relname AS name FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition AND relnamespace = 'public'::regnamespace`,
  )
  const { rows } = await owner.query(
    tables
      .map(
        ({ name }) => `SELECT '${name}' AS name, tableoid::regclass::text || t::text AS row FROM ${name} t`,
      )
      .join(' UNION ALL '),
  )
  const content: Record<string, string[]> = Object.fromEntries(tables.map(({ name }) => [name, []]))
  for (const { name, row } of rows) content[name]?.push(row)
  for (const held of Object.values(content)) held.sort()
  return content
}

/** The same backup with other words in it. */
export const edited = (file: Buffer, edit: (text: string) => string) =>
  gzipSync(edit(gunzipSync(file).toString('utf8')))

export const headerOf = (file: Buffer): BackupHeader =>
  JSON.parse(gunzipSync(file).toString('utf8').split('\n')[0] as string)

export const withHeader = (file: Buffer, change: (header: BackupHeader) => object) =>
  edited(file, text => text.replace(/^.*\n/, line => `${JSON.stringify(change(JSON.parse(line)))}\n`))
