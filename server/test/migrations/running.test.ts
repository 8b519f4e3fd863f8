/** An upgrade does not block requests, and an interrupted one leaves a version from which the next start continues. */
import type pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { migrate } from '../../src/db/migrate.ts'
import { knownMigrations, type Migration, readMigration } from '../../src/db/migration-files.ts'
import { type NewDatabase, newDatabase } from '../backup/scene.ts'
import { eventually } from '../delivery/scene.ts'

let known: Migration[]
let database: NewDatabase
beforeAll(async () => {
  known = knownMigrations()
  database = await newDatabase()
  await migrate(database.config, undefined)
})
afterAll(() => database.drop())

let session: pg.PoolClient | undefined
/** A session that holds its locks until the test ends. */
async function hold(statement: string): Promise<pg.PoolClient> {
  session = await database.owner.connect()
  await session.query(`BEGIN; ${statement}`)
  return session
}
afterEach(async () => {
  await session?.query('ROLLBACK')
  session?.release()
  session = undefined
  await database.owner.query('DELETE FROM schema_migrations WHERE version > 9000')
  await database.owner.query('DROP TABLE IF EXISTS first, second')
})

const next = (version: number, text: string) => readMigration(`${version}_extra.sql`, text)
const upgrade = (
  files: Migration[],
  options: { log?: (line: string) => void; giveUpAfterMs?: number } = {},
) => migrate(database.config, undefined, { ...options, known: [...known, ...files] })
const appliedAfter9000 = async () =>
  (
    await database.owner.query('SELECT version FROM schema_migrations WHERE version > 9000 ORDER BY 1')
  ).rows.map(({ version }) => version)

it('during a long read of a table, a migration lets requests pass and retries', async () => {
  await database.owner.query('CREATE TABLE first (id integer)')
  const reader = await hold('SELECT FROM first')
  const lines: string[] = []
  const upgrading = upgrade([next(9001, 'ALTER TABLE first ADD COLUMN more integer')], {
    log: line => lines.push(line),
  })
  await eventually(() => expect(lines.length).toBeGreaterThan(0))
  expect(lines[0]).toMatch(/^Migration 9001_extra is waiting for a lock; retrying in 1 s\./)
  // The reader still reads, the migration is not done, and a request gets through all the same.
  await database.owner.query('SELECT FROM first')
  expect(await appliedAfter9000()).toEqual([])
  await reader.query('COMMIT')
  expect(await upgrading).toEqual(['9001_extra'])
  await database.owner.query('SELECT more FROM first')
})

it('what never gets its locks says who holds them, and what was applied before it stays', async () => {
  await database.owner.query('CREATE TABLE second (id integer)')
  await hold(`SET application_name = 'a long report'; SELECT FROM second; SELECT pg_sleep(1.1)`)
  const files = [
    next(9001, 'CREATE TABLE first (id integer PRIMARY KEY)'),
    next(9002, 'ALTER TABLE second ADD COLUMN more integer'),
  ]
  await expect(upgrade(files, { giveUpAfterMs: 0 })).rejects.toThrow(
    /^Migration 9002_extra did not get its locks within 0 s\. Earlier migrations stay applied\. Oldest open transactions: \d+ \(a long report, \d+ s\)/,
  )
  expect(await appliedAfter9000()).toEqual([9001])
  await session?.query('ROLLBACK')
  expect(await upgrade(files)).toEqual(['9002_extra'])
})

it('a migration that fails is undone as a whole; the one before it stays', async () => {
  const good = next(9001, 'CREATE TABLE first (id integer PRIMARY KEY)')
  const bad = next(9002, 'CREATE TABLE second (id integer PRIMARY KEY); SELECT 1 / 0')
  await expect(upgrade([good, bad])).rejects.toThrow('division by zero')
  expect(await appliedAfter9000()).toEqual([9001])
  expect((await database.owner.query(`SELECT to_regclass('second') AS found`)).rows).toEqual([
    { found: null },
  ])
})

it('in a new database all of it is one transaction', async () => {
  const fresh = await newDatabase()
  const bad = next(9001, 'SELECT 1 / 0')
  await expect(migrate(fresh.config, undefined, { known: [...known, bad] })).rejects.toThrow(
    'division by zero',
  )
  expect(
    (await fresh.owner.query(`SELECT count(*)::integer AS tables FROM pg_tables WHERE schemaname = 'public'`))
      .rows,
  ).toEqual([{ tables: 0 }])
  await fresh.drop()
})

it('numbers may be applied out of order: what is missing is applied, whatever came after it', async () => {
  await upgrade([next(9002, 'CREATE TABLE second (id integer PRIMARY KEY)')])
  const late = next(9001, 'CREATE TABLE first (id integer PRIMARY KEY)')
  const files = [late, next(9002, 'CREATE TABLE second (id integer PRIMARY KEY)')]
  expect(await upgrade(files)).toEqual(['9001_extra'])
})

const index = next(
  9001,
  `-- Why.
-- tributary: no transaction
CREATE UNIQUE INDEX CONCURRENTLY first_by_id ON first (id);
-- A second statement.
CREATE INDEX CONCURRENTLY first_by_other
  ON first (other);
`,
)
const validIndexes = async () =>
  (
    await database.owner.query(
      `SELECT indexrelid::regclass::text AS name, indisvalid AS valid FROM pg_index
        WHERE indrelid = to_regclass('first') ORDER BY 1`,
    )
  ).rows

const both = [
  { name: 'first_by_id', valid: true },
  { name: 'first_by_other', valid: true },
]

it('an index is made without keeping writes waiting, by one of several processes that start at once', async () => {
  await database.owner.query(
    'CREATE TABLE first AS SELECT n AS id, n AS other FROM generate_series(1, 1000) n',
  )
  // Making it waits for this one, and everybody else who migrates waits for that.
  const writer = await hold('INSERT INTO first VALUES (1001, 1)')
  const upgrading = [upgrade([index]), upgrade([index]), upgrade([index])]
  await eventually(async () => expect(await validIndexes()).toMatchObject([{ valid: false }]))
  await database.owner.query('INSERT INTO first VALUES (1002, 1)')
  await writer.query('COMMIT')
  expect((await Promise.all(upgrading)).toSorted()).toEqual([[], [], ['9001_extra']])
  expect(await validIndexes()).toEqual(both)
})

it('an index whose creation was killed is rebuilt by the next start', async () => {
  await database.owner.query(
    'CREATE TABLE first AS SELECT n AS id, n AS other FROM generate_series(1, 1000) n',
  )
  const writer = await hold('INSERT INTO first VALUES (1001, 1)')
  const upgrading = upgrade([index])
  const killed = expect(upgrading).rejects.toThrow(/terminat/)
  await eventually(async () => expect(await validIndexes()).toEqual([{ name: 'first_by_id', valid: false }]))
  await database.owner.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'CREATE UNIQUE INDEX CONC%'`,
  )
  await killed
  await writer.query('COMMIT')
  expect(await validIndexes()).toEqual([{ name: 'first_by_id', valid: false }])
  expect(await upgrade([index])).toEqual(['9001_extra'])
  expect(await validIndexes()).toEqual(both)
})

it('in a transaction, as a new database and a restored one get it, the same index is made plainly', async () => {
  const fresh = await newDatabase()
  const table = next(9000, 'CREATE TABLE first (id integer, other integer)')
  await migrate(fresh.config, undefined, { known: [...known, table, index] })
  const { rows } = await fresh.owner.query(
    `SELECT count(*)::integer AS made FROM pg_index WHERE indrelid = 'first'::regclass`,
  )
  expect(rows).toEqual([{ made: 2 }])
  await fresh.drop()
})

it('an unknown declaration is rejected by name', () => {
  expect(() => next(9001, '-- tributary: no transactions\nSELECT 1')).toThrow(
    /^9001_extra\.sql declares "no transactions"\. Supported declarations:/,
  )
})

it('a migration changed after it was applied is refused, and one that only the database knows', async () => {
  await upgrade([next(9001, 'CREATE TABLE first (id integer PRIMARY KEY)')])
  await expect(upgrade([next(9001, 'CREATE TABLE first (id bigint PRIMARY KEY)')])).rejects.toThrow(
    'was changed after it was applied',
  )
  await expect(upgrade([])).rejects.toThrow('The database is newer than this version of Tributary')
})
