/** Clicks are filed by month, so that old ones go a table at a time; none is lost where its month is missing. */
import pino from 'pino'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { pastMidnight } from '../../../testing/past-midnight.ts'
import { readSettings } from '../../src/config.ts'
import { type Sql, sql } from '../../src/db/sql.ts'
import { SecretBox } from '../../src/kit/secret-box.ts'
import { OpenRails } from '../../src/money/payouts/open-rails.ts'
import { routinesOf } from '../../src/runtime/background/routines.ts'
import { createDatabase, type TestDatabase } from '../harness.ts'
import { beacon, clickRow, follow, linkOf, useTracking } from './scene.ts'

await pastMidnight()

const DAY_MS = 86_400_000
const RETENTION_DAYS = 400

/** The first moment of a month in UTC, counted from the current one. */
const monthStart = (offset: number, from = new Date()) =>
  new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + offset))
const tableOf = (month: Date) => `clicks_${month.toISOString().slice(0, 7).replace('-', '_')}`

async function months({ owner }: TestDatabase): Promise<string[]> {
  const { rows } = await owner.query(
    "SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'clicks'::regclass ORDER BY 1",
  )
  return rows.map(({ name }) => name)
}

const thisAndTheNextTwo = () => [...[0, 1, 2].map(offset => tableOf(monthStart(offset))), 'clicks_unfiled']

async function insertAt({ owner }: TestDatabase, createdAt: Date): Promise<string> {
  const { rows } = await owner.query(
    'INSERT INTO clicks (account_id, campaign_id, affiliate_id, is_bot, created_at) VALUES (1, 1, 1, false, $1) RETURNING tableoid::regclass::text AS name',
    [createdAt.toISOString()],
  )
  return rows[0].name
}

async function createMonth({ owner }: TestDatabase, month: Date): Promise<string> {
  const end = monthStart(1, month)
  await owner.query(
    `CREATE TABLE ${tableOf(month)} PARTITION OF clicks FOR VALUES FROM ('${month.toISOString()}') TO ('${end.toISOString()}')`,
  )
  return tableOf(month)
}

/** The routine as the service runs it, with the service's rights. */
const routine = ({ db }: TestDatabase, name: string, env: NodeJS.ProcessEnv = {}) => {
  const settings = readSettings(env)
  const secrets = new SecretBox('no secret is sealed here')
  const rails = new OpenRails({ db, secrets, settings })
  const found = routinesOf(db, settings, secrets, rails, 'http://localhost', pino({ level: 'silent' })).find(
    one => one.name === name,
  )
  if (!found) throw new Error(`There is no routine "${name}".`)
  return found.run(new AbortController().signal)
}
const prepare = (database: TestDatabase) => routine(database, 'create click partitions')
const drop = (database: TestDatabase) => routine(database, 'drop old clicks')

/** Lets two processes come to the same point before either can change a table, and then both go on. */
async function twoAtOnce(database: TestDatabase, run: (database: TestDatabase) => Promise<unknown>) {
  const holder = await database.owner.connect()
  let both: Promise<unknown>
  try {
    await holder.query('BEGIN; LOCK TABLE clicks IN SHARE MODE')
    both = Promise.all([run(database), run(database)])
    // A failure is reported where both are awaited.
    both.catch(() => undefined)
    await vi.waitFor(
      async () => {
        const { rows } = await database.owner.query(`
        SELECT DISTINCT pid FROM pg_locks WHERE NOT granted
           AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`)
        expect(rows).toHaveLength(2)
      },
      { timeout: 25_000 },
    )
  } finally {
    await holder.query('ROLLBACK')
    holder.release()
  }
  await both
}

describe('preparing', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await createDatabase()
  })
  afterAll(() => database.drop())

  it('two processes at once make this month and the next two, and neither fails', async () => {
    expect(await months(database)).toEqual(['clicks_unfiled'])
    await twoAtOnce(database, prepare)
    expect(await months(database)).toEqual(thisAndTheNextTwo())
  })

  it('again changes nothing', async () => {
    const before = await insertAt(database, monthStart(1))
    await prepare(database)
    expect(await months(database)).toEqual(thisAndTheNextTwo())
    expect(before).toBe(tableOf(monthStart(1)))
  })

  it('a month begins and ends in UTC, to the millisecond', async () => {
    const next = monthStart(1)
    expect(await insertAt(database, next)).toBe(tableOf(next))
    expect(await insertAt(database, new Date(next.getTime() - 1))).toBe(tableOf(monthStart(0)))
    expect(await insertAt(database, monthStart(3))).toBe('clicks_unfiled')
  })
})

describe('dropping', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await createDatabase()
    await prepare(database)
  })
  afterAll(() => database.drop())

  it('takes only months that are old to their last day, and old unfiled clicks', async () => {
    const edge = new Date(Date.now() - RETENTION_DAYS * DAY_MS)
    const begun = monthStart(0, edge)
    const gone = await Promise.all(
      [-1, -2, -14].map(offset => createMonth(database, monthStart(offset, edge))),
    )
    const kept = await createMonth(database, begun)
    for (const offset of [-1, -2, -14]) await insertAt(database, monthStart(offset, edge))
    expect(await insertAt(database, begun)).toBe(kept)
    const unfiled = [monthStart(-3, edge), new Date(edge.getTime() + 40 * DAY_MS)]
    for (const moment of unfiled) expect(await insertAt(database, moment)).toBe('clicks_unfiled')
    expect(await months(database)).toEqual(expect.arrayContaining(gone))

    await drop(database)
    expect(await months(database)).toEqual([kept, ...thisAndTheNextTwo()].toSorted())
    const { rows } = await database.owner.query('SELECT created_at FROM clicks ORDER BY created_at')
    expect(rows.map(row => row.created_at.getTime())).toEqual([begun.getTime(), unfiled[1]?.getTime()])
  })

  it('goes by the setting', async () => {
    await routine(database, 'drop old clicks', { TRIBUTARY_CLICK_RETENTION_DAYS: '30' })
    expect(await months(database)).toEqual(thisAndTheNextTwo())
    const { rows } = await database.owner.query('SELECT 1 FROM clicks')
    expect(rows).toEqual([])
  })

  it('two processes at once agree, and neither fails', async () => {
    const old = await createMonth(database, monthStart(-20))
    await twoAtOnce(database, drop)
    expect(await months(database)).not.toContain(old)
  })

  it('gives up soon during a long read, so that visitors do not wait', async () => {
    const old = await createMonth(database, monthStart(-20))
    await database.owner.query(`DROP TABLE ${tableOf(monthStart(2))}`)
    const reader = await database.owner.connect()
    try {
      await reader.query('BEGIN; LOCK TABLE clicks IN ACCESS SHARE MODE')
      const results = await Promise.allSettled([prepare(database), drop(database)])
      expect(results.map(result => result.status === 'rejected' && String(result.reason))).toEqual([
        expect.stringContaining('lock timeout'),
        expect.stringContaining('lock timeout'),
      ])
    } finally {
      await reader.query('ROLLBACK')
      reader.release()
    }
    await prepare(database)
    await drop(database)
    expect(await months(database)).toEqual(thisAndTheNextTwo())
    expect(await months(database)).not.toContain(old)
  })

  it.each<[string, Sql]>([
    ['make a table', sql`CREATE TABLE mine (id bigint)`],
    [
      'make a month',
      sql`CREATE TABLE clicks_1999_01 PARTITION OF clicks FOR VALUES FROM ('1999-01-01') TO ('1999-02-01')`,
    ],
    ['drop the clicks', sql`DROP TABLE clicks`],
    ['drop the unfiled', sql`DROP TABLE clicks_unfiled`],
    ['empty them', sql`TRUNCATE clicks`],
    ['delete one', sql`DELETE FROM clicks`],
    ['give one to another affiliate', sql`UPDATE clicks SET affiliate_id = 2`],
    ['move one in time', sql`UPDATE clicks SET created_at = now()`],
  ])('the service itself cannot %s', async (_, statement) => {
    await expect(database.db.many(statement)).rejects.toMatchObject({ code: '42501' })
  })
})

describe('a click', () => {
  const scene = useTracking()

  it('whose month is missing is kept unfiled and found; then its month stays so', async () => {
    const { clickId } = await follow(scene, linkOf(scene))
    expect((await clickRow(scene, clickId)).partition).toBe('clicks_unfiled')
    const sent = { account: scene.account.slug, visitor_id: 'visitor-0123456789', click_id: clickId }
    expect((await beacon(scene, sent)).body.click_id).toBe(clickId)
    await prepare(scene.database)
    expect(await months(scene.database)).toEqual(thisAndTheNextTwo().slice(1))
    expect((await clickRow(scene, (await follow(scene, linkOf(scene))).clickId)).partition).toBe(
      'clicks_unfiled',
    )
  })

  it('is otherwise filed in its month', async () => {
    await scene.database.owner.query('DELETE FROM clicks_unfiled')
    await prepare(scene.database)
    const { clickId } = await follow(scene, linkOf(scene))
    expect((await clickRow(scene, clickId)).partition).toBe(tableOf(monthStart(0)))
  })
})
