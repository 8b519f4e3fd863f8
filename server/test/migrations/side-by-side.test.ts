/** Protects an upgrade beside the version before: what old code cannot live with does not happen while old code is connected. */
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readSettings } from '../../src/config.ts'
import { applyMigrations } from '../../src/db/apply-migrations.ts'
import { Database } from '../../src/db/database.ts'
import { LISTENER_NAME, Listener } from '../../src/db/listener.ts'
import { migrate } from '../../src/db/migrate.ts'
import { knownMigrations, type Migration, readMigration, schemaLevel } from '../../src/db/migration-files.ts'
import { processName } from '../../src/db/older-processes.ts'
import { openDatabase } from '../../src/db/open-database.ts'
import { sql } from '../../src/db/sql.ts'
import { createLog } from '../../src/kit/log.ts'
import { type NewDatabase, newDatabase } from '../backup/scene.ts'

let database: NewDatabase
let known: Migration[]
const connected: Database[] = []
beforeEach(async () => {
  known = knownMigrations()
  database = await newDatabase()
})
afterEach(async () => {
  await leave()
  await database.drop()
})
const leave = () => Promise.all(connected.splice(0).map(each => each.close()))

const upTo = (level: number) => known.filter(({ version }) => version <= level)

async function migrateTo(level: number): Promise<void> {
  const client = await database.owner.connect()
  await applyMigrations(client, upTo(level))
  client.release()
}

/** A process of some version, as PostgreSQL sees it. */
async function connect(application_name: string): Promise<Database> {
  const process = new Database({ ...database.config, application_name }, () => undefined)
  connected.push(process)
  await process.many(sql`SELECT 1`)
  return process
}

const upgrade = async (to: Migration[], waitMs = 0, isPooled = false) =>
  migrate(database.config, undefined, {
    known: to,
    olderProcesses: { db: await connect(processName(to.at(-1)?.version as number)), isPooled, waitMs },
  })

const level = async () =>
  (await database.owner.query('SELECT max(version) AS level FROM schema_migrations')).rows[0].level

it.each(['tributary', 'tributary/18'])(
  'leases move to their column (0019) only when %s is gone: it would resend deliveries in flight',
  async name => {
    await migrateTo(18)
    const old = await connect(name)
    await expect(upgrade(upTo(19))).rejects.toThrow(
      /^Migration 0019_leases must not run alongside processes of an older version\. These are connected:\n {2}(an earlier version|a version of migration 18): 1 connection from this machine \(PostgreSQL process \d+\)\nStop all of them/,
    )
    expect(await level()).toBe(18)
    connected.splice(connected.indexOf(old), 1)
    await old.close()
    expect(await upgrade(upTo(19))).toEqual(['0019_leases'])
  },
)

it('a sale may earn again (0114) only when the latest version that can write without it is gone, whichever migrations that has', async () => {
  const before = 111
  const latest = upTo(before).at(-1)?.version as number
  await migrateTo(before)
  const old = await connect(processName(latest))
  await expect(upgrade(upTo(114))).rejects.toThrow(/^Migration 0114_not_once_per_sale must not run alongside/)
  expect(await level()).toBe(latest)
  connected.splice(connected.indexOf(old), 1)
  await old.close()
  expect(await upgrade(upTo(114))).toEqual([
    '0112_reassigned_referrals',
    '0113_once_per_assignment',
    '0114_not_once_per_sale',
  ])
})

it('waits for a process that is just stopping', async () => {
  await migrateTo(18)
  const old = await connect('tributary')
  const upgrading = upgrade(upTo(19), 20_000)
  connected.splice(connected.indexOf(old), 1)
  await old.close()
  expect(await upgrading).toEqual(['0019_leases'])
})

const plain = readMigration('9001_plain.sql', 'CREATE TABLE extra (id integer PRIMARY KEY)')
const contract = readMigration(
  '9002_contract.sql',
  '-- tributary: not beside processes older than 9001\nALTER TABLE campaigns DROP COLUMN destination_url',
)

it('what only adds runs beside every version; what takes away names the oldest that it may run beside', async () => {
  await migrateTo(19)
  await connect('tributary')
  expect(await upgrade([...upTo(19), plain])).toEqual(['9001_plain'])
  // The database has been migrated since, the unversioned process has not.
  await expect(upgrade([...upTo(19), plain, contract])).rejects.toThrow('an earlier version: 1 connection')
  await leave()
  await connect('tributary/19')
  await expect(upgrade([...upTo(19), plain, contract])).rejects.toThrow('a version of migration 19')
  await leave()
  await connect('tributary/9001')
  expect(await upgrade([...upTo(19), plain, contract])).toEqual(['9002_contract'])
})

it('refuses before it begins: of several that are missing, none is applied', async () => {
  await migrateTo(19)
  await connect('tributary/19')
  await expect(upgrade([...upTo(19), plain, contract])).rejects.toThrow('must not run alongside')
  expect(await level()).toBe(19)
})

it('refuses if an older process starts while the migration waits for a lock', async () => {
  await migrateTo(19)
  const reader = await database.owner.connect()
  await reader.query('BEGIN; LOCK TABLE campaigns IN ACCESS SHARE MODE')
  const upgrading = upgrade([...upTo(19), plain, contract])
  const refused = expect(upgrading).rejects.toThrow('a version of migration 19: 1 connection')
  const isWaiting = async () =>
    (await database.owner.query('SELECT FROM pg_locks WHERE NOT granted')).rowCount === 1
  await expect.poll(isWaiting).toBe(true)
  await connect('tributary/19')
  await reader.query('ROLLBACK')
  reader.release()
  await refused
  expect(await level()).toBe(9001)
})

it('behind a pooler, a connection counts by who uses it: a stale name does not block', async () => {
  await migrateTo(18)
  const old = await connect('tributary')
  expect(await upgrade(upTo(18), 0, true)).toEqual([])
  const asking = setInterval(() => void old.many(sql`SELECT 1`), 50)
  await expect(upgrade(upTo(19), 0, true)).rejects.toThrow('must not run alongside')
  clearInterval(asking)
  expect(await upgrade(upTo(19), 0, true)).toEqual(['0019_leases'])
})

it('processes are found by their own names, whatever their URLs say', async () => {
  const { host, port, user } = database.config
  const url = `postgres://localhost/${database.name}?host=${host}&port=${port}&user=${user}&application_name=app`
  const settings = readSettings({
    DATABASE_URL: url,
    TRIBUTARY_MIGRATION_DATABASE_URL: `${url}&fallback_application_name=app`,
  })
  const log = createLog('silent', 2)
  const opened = await openDatabase(settings, log)
  const owner = opened.connectOwner('tributary owner')
  const listener = new Listener(opened.listening ?? {}, 'test', () => undefined, log)
  try {
    await Promise.all([opened.ready, owner.many(sql`SELECT 1`)])
    const names = () =>
      database.owner
        .query(
          `SELECT DISTINCT application_name AS name FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid()`,
        )
        .then(({ rows }) => rows.map(({ name }) => name).filter(name => name !== ''))
    const ours = [processName(schemaLevel()), LISTENER_NAME, 'tributary owner']
    await expect.poll(names).toEqual(expect.arrayContaining(ours))
    expect(await names()).not.toContain('app')
  } finally {
    await listener.stop()
    await owner.close()
    await opened.close()
  }
})
