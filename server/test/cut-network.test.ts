/** A network that loses packets without a word, as when a server loses power, ends no connection: TCP alone would try for 15 minutes. */
import type { Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it, type TestContext } from 'vitest'
import { Network } from '../../testing/network.ts'
import { Database, type Tx } from '../src/db/database.ts'
import { isUnavailable } from '../src/db/failures.ts'
import { LISTENER_NAME, Listener } from '../src/db/listener.ts'
import { LostConnections } from '../src/db/lost-connections.ts'
import { sql } from '../src/db/sql.ts'
import { createLog } from '../src/kit/log.ts'
import { createDatabase, type TestDatabase } from './harness.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createDatabase()
})
afterAll(() => database.drop())

/** Far below what TCP takes, and far above what this takes on any machine. */
const SOON_MS = 60_000

async function overNetwork(
  { onTestFinished }: TestContext,
  name: string,
  more: pg.ClientConfig & { giveUpMs?: number } = {},
) {
  const { host, port } = database.service
  const network = await Network.to({ path: `${host}/.s.PGSQL.${port}` })
  const db = new Database(
    { ...database.service, host: '127.0.0.1', port: network.port, application_name: name, ...more },
    () => undefined,
  )
  let isClosed = false
  const close = async () => {
    if (!isClosed) await db.close()
    isClosed = true
  }
  onTestFinished(async () => {
    await network.close()
    await close()
  })
  return { network, db, close }
}

async function asAdmin(...statements: string[]): Promise<void> {
  const admin = new pg.Client({ ...inject('postgres').admin, database: database.service.database })
  await admin.connect()
  for (const statement of statements) await admin.query(statement)
  await admin.end()
}

/** As a server that has lost power: it has no connections, and closes none. */
const forgetConnections = (name: string) =>
  asAdmin(`SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE application_name = '${name}'`)

const one = sql`SELECT 1 AS one`
/** How many sessions of a name are in the middle of a transaction. */
const inTransaction = (name: string) =>
  database.db.first<{ sessions: number }>(
    sql`SELECT count(*)::integer AS sessions FROM pg_stat_activity WHERE application_name = ${name} AND state LIKE 'idle in %'`,
  )

/** The reason why it failed, or undefined. */
const failure = (work: Promise<unknown>) =>
  Promise.race([
    work.then(
      () => undefined,
      (error: unknown) => error,
    ),
    sleep(SOON_MS, 'nothing, for as long as the test waited', { ref: false }),
  ])

/** Statements of every kind that wait for an answer, which a cut network keeps from them: what they failed with. */
async function interrupted(db: Database, cut: () => Promise<unknown>): Promise<unknown[]> {
  const begun = Promise.all([db.many(one), db.quick.many(one)])
  const begins = db.transaction(async (tx: Tx) => {
    await tx.many(one)
    await begun
    await cut()
    return tx.many(one)
  })
  const transaction = failure(begins)
  await begun
  await cut()
  return Promise.all([transaction, failure(db.many(one)), failure(db.quick.many(one))])
}

describe.concurrent('when PostgreSQL is silent', () => {
  it('because it is gone: what waits fails soon, and later statements are carried out', async context => {
    const { network, db } = await overNetwork(context, 'gone')
    let isCut = false
    const failures = await interrupted(db, async () => {
      if (isCut) return
      isCut = true
      network.cut()
      await forgetConnections('gone')
      network.leadTo()
    })
    expect(failures.map(isUnavailable), String(failures)).toEqual([true, true, true])
    expect(await Promise.all([db.many(one), db.quick.many(one)])).toEqual([[{ one: 1 }], [{ one: 1 }]])
  })

  it('because nothing reaches it: what waits fails soon, and the session that waits for us ends', async context => {
    const { network, db } = await overNetwork(context, 'waiting')
    const failures = await interrupted(db, async () => {
      network.cut()
      network.leadTo()
    })
    expect(failures.map(isUnavailable), String(failures)).toEqual([true, true, true])
    // It would hold its locks for a minute.
    await context.expect.poll(() => inTransaction('waiting'), { timeout: 20_000 }).toEqual({ sessions: 0 })
    expect(await Promise.all([db.many(one), db.quick.many(one)])).toEqual([[{ one: 1 }], [{ one: 1 }]])
  })

  it('because the network was cut for longer: what waits fails once the server can be reached', async context => {
    const { network, db } = await overNetwork(context, 'long')
    await db.quick.many(one)
    network.cut()
    const waiting = failure(db.quick.many(one))
    await sleep(8_000)
    network.leadTo()
    expect(isUnavailable(await waiting)).toBe(true)
    expect(await db.quick.many(one)).toEqual([{ one: 1 }])
  })

  it('because no server can be reached: what waits fails in the end', async context => {
    const { network, db } = await overNetwork(context, 'unreachable', { giveUpMs: 5_000 })
    const failures = await interrupted(db, async () => network.cut())
    expect(failures.map(isUnavailable), String(failures)).toEqual([true, true, true])
    network.leadTo()
    await context.expect.poll(() => db.quick.many(one).catch(String)).toEqual([{ one: 1 }])
  })

  it('because the network is cut: a process that stops does not wait for it', async context => {
    const { network, db, close } = await overNetwork(context, 'stopping')
    const reached: string[] = []
    const listener = new Listener(
      { ...database.service, host: '127.0.0.1', port: network.port },
      'cut_network',
      payload => reached.push(payload),
      createLog('silent', 2),
    )
    await Promise.all([db.many(one), db.quick.many(one)])
    await context.expect.poll(() => reached).toEqual([''])
    network.cut()
    expect(await failure(Promise.all([close(), listener.stop()]))).toBe(undefined)
  })

  it('because a statement was lost in its middle: it fails soon, and the session that waits for the rest ends', async context => {
    const { network, db } = await overNetwork(context, 'middle')
    const large = 'x'.repeat(200_000)
    const begun = db.transaction(async tx => {
      await tx.many(one)
      network.loseAfter(8192)
      return tx.many(sql`SELECT length(${large}) AS length`)
    })
    const waiting = failure(begun)
    await context.expect.poll(() => network.lost).toBe(1)
    network.loseAfter(Number.POSITIVE_INFINITY)
    expect(isUnavailable(await waiting)).toBe(true)
    await context.expect
      .poll(() =>
        database.db.many(
          sql`SELECT FROM pg_stat_activity WHERE application_name = 'middle' AND xact_start IS NOT NULL`,
        ),
      )
      .toEqual([])
  })

  it('because LISTEN was lost: a process that stops does not wait for it', async context => {
    const { network } = await overNetwork(context, 'listening')
    const config = { ...database.service, host: '127.0.0.1', port: network.port }
    const first = new pg.Client({ ...config, application_name: LISTENER_NAME })
    await first.connect()
    // All that a connection sends before its first statement.
    const { bytesWritten } = (first as unknown as { connection: { stream: Socket } }).connection.stream
    await first.end()
    network.loseAfter(bytesWritten)
    const listener = new Listener(config, 'cut_network', () => undefined, createLog('silent', 2))
    await context.expect.poll(() => network.lost).toBe(1)
    expect(await failure(listener.stop())).toBe(undefined)
  })

  const slow = sql`SELECT pg_sleep(11) IS NULL AS slept`
  const whatIsSlow = ({ db }: { db: Database }) => Promise.all([db.many(slow), db.quick.many(slow)])
  const slept = [[{ slept: false }], [{ slept: false }]]

  it('because a statement takes long: it is left alone, also after the zone of the server has changed', async context => {
    const place = await overNetwork(context, 'zone')
    await Promise.all([place.db.many(one), place.db.quick.many(one)])
    await asAdmin(`ALTER DATABASE ${database.service.database} SET timezone = 'Asia/Tokyo'`)
    expect(await whatIsSlow(place)).toEqual(slept)
  })

  it('because a statement takes long: it is left alone, also if the role does not see its sessions', async context => {
    const { user } = database.service
    await asAdmin('CREATE ROLE acts_for_it', `GRANT acts_for_it TO ${user}`)
    context.onTestFinished(() => asAdmin('DROP ROLE acts_for_it'))
    const place = await overNetwork(context, 'hidden', { options: '-c role=acts_for_it' })
    expect(await whatIsSlow(place)).toEqual(slept)
  })
})

it('a role that may not look at sessions is served, unwatched', async context => {
  const looking = 'EXECUTE ON FUNCTION pg_stat_get_activity'
  await asAdmin(`REVOKE ${looking} FROM PUBLIC`)
  const { db } = await overNetwork(context, 'unwatched')
  expect(await Promise.all([db.many(one), db.quick.many(one)])).toEqual([[{ one: 1 }], [{ one: 1 }]])
  await asAdmin(`GRANT ${looking} TO PUBLIC`)
})

it('a connection behind a pooler that was not declared is not watched: its process is another client’s at the next moment', async context => {
  const { network } = await overNetwork(context, 'undeclared')
  const config = { ...database.service, host: '127.0.0.1', port: network.port }
  const lost = new LostConnections(database.service)
  const connect = async (toldBy: (pid: number) => number) => {
    const client = new pg.Client({ ...config, application_name: 'undeclared' })
    client.on('error', () => undefined)
    await client.connect()
    const told = client as unknown as { processID: number }
    told.processID = toldBy(told.processID)
    await lost.watch(client)
    return client
  }
  const [direct, pooled] = [await connect(pid => pid), await connect(pid => pid + 1)]
  network.cut()
  await forgetConnections('undeclared')
  let isOver = false
  const waiting = failure(pooled.query('SELECT')).finally(() => {
    isOver = true
  })
  expect(isUnavailable(await failure(direct.query('SELECT')))).toBe(true)
  // The same check would have closed both.
  await nextTurn()
  expect(isOver).toBe(false)
  // When the process stops, nothing waits for it either.
  lost.closeAll()
  expect(isUnavailable(await waiting)).toBe(true)
  await lost.stop()
})
