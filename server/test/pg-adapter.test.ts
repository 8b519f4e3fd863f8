/** Says what the adapter expects of pg and pg-copy-streams. An upgrade that changes it fails here, and not with money under way. */
import type { EventEmitter } from 'node:events'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { setImmediate as otherWork } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { isUnavailable } from '../src/db/failures.ts'
import {
  bytesMoved,
  closeAsLost,
  coalesceWrites,
  copyIn,
  copyOut,
  isPrepared,
  isWaiting,
  PIPELINED,
  sendBatch,
} from '../src/db/pg-adapter.ts'
import { sql } from '../src/db/sql.ts'
import { projectRoot } from '../src/paths.ts'
import { createDatabase, type TestDatabase } from './harness.ts'
import { whileHeld } from './interleave.ts'

/** The versions that the adapter was tried with. */
const TRIED_WITH = { pg: '8.23.1', 'pg-copy-streams': '7.0.0' }

let database: TestDatabase
beforeAll(async () => {
  database = await createDatabase()
  await database.owner.query('CREATE TABLE copied (id bigint PRIMARY KEY, words text NOT NULL)')
})
afterAll(() => database.drop())

async function connect(config: pg.ClientConfig = {}): Promise<pg.Client> {
  const client = new pg.Client({ ...database.owner.options, ...config })
  client.on('error', () => undefined)
  await client.connect()
  onTestFinished(async () => client.end())
  return client
}

const socketOf = (client: pg.Client) =>
  (client as unknown as { connection: { stream: Socket } }).connection.stream

it.each(Object.entries(TRIED_WITH))('%s is the version that was tried', (name, version) => {
  const { dependencies } = JSON.parse(readFileSync(join(projectRoot, 'server/package.json'), 'utf8'))
  const installed = createRequire(join(projectRoot, 'server/src/db/pg-adapter.ts')).resolve(name)
  const root = installed.slice(0, installed.lastIndexOf(`node_modules/${name}/`))
  const { version: found } = JSON.parse(readFileSync(join(root, `node_modules/${name}/package.json`), 'utf8'))
  expect([dependencies[name], found]).toEqual([version, version])
})

describe('statements that are sent together', () => {
  it('leave in one write, when it is time', async () => {
    const client = await connect(PIPELINED)
    const socket = socketOf(client)
    const written: number[] = []
    const { _writev: write } = socket as unknown as { _writev: Socket['_writev'] }
    Object.assign(socket, {
      _writev(chunks: unknown[], done: () => void) {
        written.push(chunks.length)
        return write?.call(socket, chunks as never, done)
      },
    })
    let send: () => void = () => expect.unreachable()
    coalesceWrites(client, now => {
      send = now
    })
    const answers = [1, 2, 3].map(n => {
      coalesceWrites(client, () => expect.unreachable())
      return client.query({ name: `n${n}`, text: `SELECT ${n} AS n` })
    })
    await otherWork()
    expect(written).toEqual([])
    send()
    expect((await Promise.all(answers)).map(({ rows }) => rows)).toEqual([[{ n: 1 }], [{ n: 2 }], [{ n: 3 }]])
    expect(written).toHaveLength(1)
  })

  it('are answered each for itself, in their order, also where one fails', async () => {
    const client = await connect(PIPELINED)
    const order: string[] = []
    const answers = ['SELECT 1 AS n', 'SELECT 1 / 0', 'SELECT 2 AS n'].map(text => {
      const answer = client.query(text)
      answer.then(
        () => order.push(text),
        () => order.push(text),
      )
      return answer
    })
    const settled = await Promise.allSettled(answers)
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(order).toEqual(['SELECT 1 AS n', 'SELECT 1 / 0', 'SELECT 2 AS n'])
  })
})

describe.each([PIPELINED, {}])('a connection %o', config => {
  it('waits until everything that was sent has been responded to', async () => {
    const client = await connect(config)
    expect(isWaiting(client)).toBe(false)
    const before = bytesMoved(client)
    const answers = config === PIPELINED ? ['SELECT 1', 'SELECT 2'] : ['SELECT 1']
    const settled = answers.map(text => client.query(text))
    expect(isWaiting(client)).toBe(true)
    await settled[0]
    expect(bytesMoved(client)).toBeGreaterThan(before)
    await Promise.all(settled)
    await otherWork()
    expect(isWaiting(client)).toBe(false)
  })

  it('that is closed as lost fails what waits on it', async () => {
    const client = await connect(config)
    const { pid } = (await client.query('SELECT pg_backend_pid() AS pid')).rows[0]
    const waiting = client.query('SELECT pg_sleep(60)')
    closeAsLost(client)
    await expect(waiting).rejects.toMatchObject({ code: 'ECONNRESET' })
    expect(isUnavailable(await waiting.catch(error => error))).toBe(true)
    await database.owner.query('SELECT pg_terminate_backend($1, 60000)', [pid])
  })
})

describe('a batch of prepared statements', () => {
  const insert = (id: number, words: unknown = 'batch') => ({
    name: 'insert',
    text: 'INSERT INTO copied (id, words) VALUES ($1, $2)',
    values: [id, words],
  })
  const count = { name: 'count', text: 'SELECT count(*)::integer AS n FROM copied' }
  const commit = { name: 'commit', text: 'COMMIT' }

  /** A connection on which they are prepared. */
  async function prepared() {
    const client = await connect(PIPELINED)
    expect(isPrepared(client, insert(0))).toBe(false)
    await client.query('BEGIN')
    for (const statement of [insert(-1), count]) await client.query(statement)
    await client.query('ROLLBACK')
    await client.query(commit)
    for (const statement of [insert(0), count, commit]) expect(isPrepared(client, statement)).toBe(true)
    onTestFinished(async () => void (await database.owner.query('TRUNCATE copied')))
    return client
  }
  const ids = async () =>
    (await database.owner.query('SELECT id::integer FROM copied ORDER BY id')).rows.map(({ id }) => id)

  it('is executed in order, between what was sent before and after it, with one response', async () => {
    const client = await prepared()
    let synced = 0
    ;(client as unknown as { connection: EventEmitter }).connection.on('readyForQuery', () => synced++)
    const before = client.query('BEGIN')
    const batch = sendBatch(client, [insert(1), insert(2), count, commit])
    const after = client.query(count)
    expect(await batch).toEqual([
      { command: 'INSERT', rowCount: 1 },
      { command: 'INSERT', rowCount: 1 },
      { command: 'SELECT', rowCount: 1 },
      { command: 'COMMIT', rowCount: null },
    ])
    expect([(await before).command, (await after).rows]).toEqual(['BEGIN', [{ n: 2 }]])
    expect([synced, await ids()]).toEqual([3, [1, 2]])
  })

  it('stops at the first failure and reports it; the connection goes on', async () => {
    const client = await prepared()
    void client.query('BEGIN')
    await expect(sendBatch(client, [insert(1), insert(1), insert(2), commit])).rejects.toMatchObject({
      code: '23505',
    })
    expect((await client.query(commit)).command).toBe('ROLLBACK')
    expect(await sendBatch(client, [insert(3), count])).toHaveLength(2)
    expect(await ids()).toEqual([3])
  })

  it('sends nothing behind a value that cannot be sent', async () => {
    const client = await prepared()
    const broken = { toPostgres: () => expect.fail('not a value') }
    void client.query('BEGIN')
    await expect(sendBatch(client, [insert(1), insert(2, broken), commit])).rejects.toThrow('not a value')
    await client.query('ROLLBACK')
    expect(await ids()).toEqual([])
    expect(await sendBatch(client, [insert(4), count])).toHaveLength(2)
  })

  it('fails when the connection is lost', async () => {
    const client = await prepared()
    const { rows } = await client.query('SELECT pg_backend_pid() AS pid')
    const batch = sendBatch(client, [insert(1), count])
    socketOf(client).destroy()
    await expect(batch).rejects.toThrow()
    // The server may have got it and carry it out: the next test begins with an empty table.
    const isServed = () =>
      database.owner.query('SELECT 1 FROM pg_stat_activity WHERE pid = $1', [rows[0].pid])
    await expect.poll(async () => (await isServed()).rowCount).toBe(0)
  })
})

it('a statement after a lock runs once the lock is acquired, not before', async () => {
  const lock = sql`SELECT pg_advisory_xact_lock(77)`
  const count = sql`SELECT count(*)::integer AS count FROM accounts`
  const name = 'while the other waits'
  const seen = await whileHeld(
    database,
    async tx => {
      await tx.many(lock)
      await tx.many(sql`INSERT INTO accounts (name, slug) VALUES (${name}, 'waits')`)
    },
    () =>
      database.db.transaction(tx =>
        tx.inOrder(
          () => tx.many(lock),
          () => tx.first<{ count: number }>(count),
        ),
      ),
  )
  expect(seen[1]).toEqual({ count: 1 })
})

describe('COPY', () => {
  const rows = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, n) => `${from + n}\trow ${from + n} ${'x'.repeat(200)}\n`).join('')
  async function* chunks(...texts: string[]) {
    for (const text of texts) yield Buffer.from(text)
  }
  const intoTable = (client: pg.Client, from: AsyncIterable<Buffer>) =>
    copyIn(client, 'COPY copied FROM STDIN', from)
  const held = async () =>
    (await database.owner.query('SELECT count(*)::integer AS held FROM copied')).rows[0].held

  it('takes rows in and gives them out again, byte for byte, and counts them', async () => {
    const client = await connect()
    // A chunk ends wherever it likes.
    const text = rows(0, 50_000)
    const half = 1_234_567
    expect(await intoTable(client, chunks(text.slice(0, half), text.slice(half)))).toBe(50_000)
    const out = copyOut(client, 'COPY (SELECT * FROM copied ORDER BY id) TO STDOUT')
    const given: Buffer[] = []
    for await (const chunk of out) given.push(chunk)
    await client.query('SELECT')
    expect(out.rowCount).toBe(50_000)
    expect(Buffer.concat(given).toString()).toBe(text)
  })

  it('closes the connection when a reader stops early, instead of waiting for the rest', async () => {
    const client = await connect()
    const ended = new Promise(resolve => client.once('end', resolve))
    for await (const _ of copyOut(client, 'COPY (SELECT * FROM copied) TO STDOUT')) break
    await ended
    await expect(client.query('SELECT 1')).rejects.toThrow()
  })

  it('passes on why the server refuses, and goes on with the next statement', async () => {
    const client = await connect()
    const before = await held()
    await expect(intoTable(client, chunks('900001\tgood\nnonsense\tbad\n'))).rejects.toMatchObject({
      code: '22P02',
    })
    expect([await held(), (await client.query('SELECT 1 AS n')).rows]).toEqual([before, [{ n: 1 }]])
    const out = copyOut(client, 'COPY (SELECT 1 / 0) TO STDOUT')
    await expect(out.toArray()).rejects.toMatchObject({ code: '22012' })
  })

  it('takes nothing of rows that could not be read to their end', async () => {
    const client = await connect()
    const before = await held()
    async function* breaking() {
      yield Buffer.from(rows(950_000, 950_010))
      throw new Error('the file is damaged')
    }
    await expect(intoTable(client, breaking())).rejects.toThrow('the file is damaged')
    expect([await held(), (await client.query('SELECT 1 AS n')).rows]).toEqual([before, [{ n: 1 }]])
  })
})
