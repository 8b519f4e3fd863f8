/** A standby is good for backups, and for nothing that the service does. */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough, type Writable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { chooseServerUser } from '@tributary/embedded-postgres/unprivileged-user'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { Network } from '../../testing/network.ts'
import { temporaryRoot } from '../../testing/temporary-root.ts'
import { Database } from '../src/db/database.ts'
import { migrate } from '../src/db/migrate.ts'
import { sql } from '../src/db/sql.ts'
import { withConnection } from '../src/db/with-connection.ts'
import { writeBackup } from '../src/tools/backup/write-backup.ts'
import { everyRow, newDatabase, restore, secrets } from './backup/scene.ts'
import { type Cluster, connectWhenReady, createCluster, startCluster, stopCluster } from './start-postgres.ts'

const SETTINGS = ['fsync=off', 'listen_addresses=', 'wal_level=replica', 'hot_standby=on']

let cluster: Cluster
let server: ChildProcess
let rows: Record<string, string[]>
const at = (database: string) => ({
  host: cluster.home,
  port: 5432,
  database,
  user: 'postgres',
  password: '',
})

async function start(): Promise<void> {
  server = startCluster(cluster, SETTINGS)
  await (await connectWhenReady(at('postgres'))).end()
}

/** A primary with a database that was stopped, and goes on as a standby, which replays whatever may follow. */
beforeAll(async () => {
  const bin = await withConnection(inject('postgres').admin, async client => {
    const { rows } = await client.query(`SELECT setting FROM pg_config WHERE name = 'BINDIR'`)
    return rows[0].setting as string
  })
  const home = await mkdtemp(join(temporaryRoot, 'tributary-standby-'))
  const user = await chooseServerUser(join(home, 'data'))
  if (user) await chown(home, user.uid, user.gid)
  cluster = { bin, home, user }
  await createCluster(cluster)
  await start()
  await withConnection(at('postgres'), async client => {
    await client.query('CREATE DATABASE tributary')
    await client.query(`CREATE ROLE ${inject('postgres').service.user} LOGIN`)
  })
  await migrate(at('tributary'), inject('postgres').service.user)
  await withConnection(at('tributary'), client =>
    client.query(
      `INSERT INTO accounts (name, slug) SELECT md5(n::text), 'account-' || n FROM generate_series(1, 20000) n`,
    ),
  )
  // A pool would report itself closed before its connection is: the server would be the one that ends it.
  rows = await withConnection(at('tributary'), everyRow)
  await stopCluster(server)
  await writeFile(join(home, 'data', 'standby.signal'), '')
  await start()
})
afterAll(async () => {
  await stopCluster(server)
  await rm(cluster.home, { recursive: true })
})

const backUpTo = (sink: Writable, { user } = at('tributary')) =>
  withConnection({ ...at('tributary'), user }, client =>
    writeBackup(client, sink, { secrets, version: '0.0.0-test' }),
  )

it('a backup has every row of the primary', async () => {
  const sink = new PassThrough()
  const [file] = await Promise.all([buffer(sink), backUpTo(sink)])
  const restored = await newDatabase()
  try {
    await restore(restored.name, file)
    expect(await everyRow(restored.owner)).toEqual(rows)
  } finally {
    await restored.drop()
  }
})

it('refuses a backup by the role of the service, which may not read every sequence', async () => {
  const sink = new PassThrough()
  const backup = backUpTo(sink.resume(), inject('postgres').service)
  await expect(backup).rejects.toThrow(
    /^A backup needs the role that owns the tables: this one can't read the sequence \w+_id_seq\. Set TRIBUTARY_MIGRATION/,
  )
})

it('a backup holds every table from the start, so that none is rewritten under it', async () => {
  const sink = new PassThrough()
  const writing = backUpTo(sink)
  // It goes no further than its first table until more is read.
  await Promise.race([once(sink, 'readable'), writing])
  const locked = await withConnection(at('tributary'), async client => {
    const { rows } = await client.query(
      `SELECT DISTINCT c.relname AS name FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
        WHERE l.mode = 'AccessShareLock' AND l.pid <> pg_backend_pid()`,
    )
    return rows.map(({ name }) => name)
  })
  expect(locked).toEqual(expect.arrayContaining(['accounts', 'clicks', 'sales', 'webhook_endpoints']))
  await Promise.all([buffer(sink), writing])
})

it('a connection to it ends once new ones reach the primary, however much it is used', async () => {
  const { service } = inject('postgres')
  const network = await Network.to({ path: `${cluster.home}/.s.PGSQL.5432` })
  const { port } = network
  const db = new Database({ ...service, host: '127.0.0.1', port, database: 'postgres' }, () => undefined)
  const isStandby = sql`SELECT pg_is_in_recovery() AS is_standby`
  const reads = async () => JSON.stringify(await Promise.all([db.many(isStandby), db.quick.many(isStandby)]))
  try {
    expect(await reads()).toBe('[[{"is_standby":true}],[{"is_standby":true}]]')
    network.leadTo({ path: `${service.host}/.s.PGSQL.${service.port}` })
    // What was under way when they were closed fails.
    await expect.poll(() => reads().catch(String)).toBe('[[{"is_standby":false}],[{"is_standby":false}]]')
  } finally {
    await db.close()
    await network.close()
  }
})
