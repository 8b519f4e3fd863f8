import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Database, type Tx } from '../src/db/database.ts'
import { isUnavailable } from '../src/db/failures.ts'
import { sql } from '../src/db/sql.ts'
import { createDatabase, type TestDatabase } from './harness.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createDatabase()
})
afterAll(() => database.drop())

const account = (name: string) =>
  sql`INSERT INTO accounts (name, slug) VALUES (${name}, ${name}) RETURNING id`
const names = async () =>
  (await database.db.many<{ name: string }>(sql`SELECT name FROM accounts ORDER BY id`)).map(
    ({ name }) => name,
  )

it('carries out what is asked for together in the order in which it was asked', async () => {
  const count = sql`SELECT count(*)::integer AS count FROM accounts`
  const asked = database.db.transaction(async tx => {
    const [before, , between, , after] = await tx.inOrder(
      () => tx.first(count),
      () => tx.first(account('first')),
      () => tx.first(count),
      () => tx.first(account('second')),
      () => tx.first(count),
    )
    throw Object.assign(new Error('enough'), { counts: [before, between, after] })
  })
  await expect(asked).rejects.toMatchObject({ counts: [{ count: 0 }, { count: 1 }, { count: 2 }] })
})

it('has committed what was sent when the transaction is over', async () => {
  await database.db.transaction(async tx => tx.send(account('sent')))
  expect(await names()).toEqual(['sent'])
})

it.each([
  ['sent', async () => undefined],
  ['sent, before more that succeeds', async () => sleep(20)],
])('fails, and leaves nothing, when something fails that was %s', async (_, before) => {
  const failing = database.db.transaction(async tx => {
    tx.send(account('lost'))
    tx.send(account('sent'))
    await before()
    return 'a result that must not be used'
  })
  await expect(failing).rejects.toMatchObject({ code: '23505' })
  expect(await names()).toEqual(['sent'])
})

/** What PostgreSQL reports when it ends a deadlock. */
const deadlock = sql`DO $$ BEGIN RAISE EXCEPTION 'deadlock detected' USING ERRCODE = '40P01'; END $$`

it.each([
  ['a statement', (tx: Tx) => tx.many(sql`SELECT 1`)],
  ['a savepoint', (tx: Tx) => tx.transaction(inner => inner.many(sql`SELECT 1`))],
])('fails for the first reason, and retries if it can, when %s follows what failed', async (_, follow) => {
  const broken = database.db.transaction(async tx => {
    tx.send(account('sent'))
    return follow(tx)
  })
  await expect(broken).rejects.toMatchObject({ code: '23505' })
  const { retries } = database.db
  const recovered = await database.db.transaction(async tx => {
    if (database.db.retries === retries) tx.send(deadlock)
    await follow(tx)
    return 'committed'
  })
  expect(recovered).toBe('committed')
  expect(database.db.retries).toBe(retries + 1)
})

it('names the first reason of a savepoint that failed', async () => {
  await database.db.transaction(async tx => {
    const failing = tx.transaction(async inner => {
      inner.send(account('sent'))
      await inner.many(sql`SELECT 1`)
    })
    await expect(failing).rejects.toMatchObject({ code: '23505' })
  })
})

it('takes a failure inside a savepoint back alone', async () => {
  await database.db.transaction(async tx => {
    tx.send(account('outer'))
    const failing = tx.transaction(async inner => {
      inner.send(account('inner'))
      inner.send(account('sent'))
    })
    await expect(failing).rejects.toMatchObject({ code: '23505' })
    tx.send(account('after'))
  })
  expect(await names()).toEqual(['sent', 'outer', 'after'])
})

it('does not call a commit what PostgreSQL has rolled back', async () => {
  const failing = database.db.transaction(async tx => {
    await tx.many(account('ignored'))
    await expect(tx.many(sql`SELECT 1 / 0`)).rejects.toThrow('division by zero')
  })
  await expect(failing).rejects.toThrow('continued after one of its statements had failed')
  expect(await names()).not.toContain('ignored')
})

it('executes nothing that was sent after the rollback of a transaction that failed in the same turn', async () => {
  for (const name of ['prepares', 'early'])
    await expect(
      database.db.transaction(async tx => {
        tx.send(account(name))
        tx.send(account(`${name}-too`))
        throw new Error('enough')
      }),
    ).rejects.toThrow('enough')
  await database.db.transaction(async tx => tx.send(account('later')))
  const found = await names()
  expect(found).toContain('later')
  for (const name of ['prepares', 'early', 'early-too']) expect(found).not.toContain(name)
})

it('reports the first failure of several statements that were sent together', async () => {
  // Prepared on every connection that may be used.
  await Promise.all(
    Array.from({ length: 10 }, (_, n) => database.db.transaction(async tx => tx.send(account(`warm-${n}`)))),
  )
  const failing = database.db.transaction(async tx => {
    for (const name of ['together', 'together', 'behind']) tx.send(account(name))
  })
  await expect(failing).rejects.toMatchObject({ code: '23505' })
  expect(await names()).not.toContain('together')
})

it('writes what is collected at the end, in one statement, and drops what a savepoint took back', async () => {
  const statements: string[][] = []
  const write = (tx: Tx, items: string[]) => {
    statements.push(items)
    for (const name of items) tx.send(account(name))
  }
  await database.db.transaction(async tx => {
    tx.atEnd(write, ['end-1'])
    tx.atEnd(write, ['end-2'])
    const failing = tx.transaction(async inner => {
      inner.atEnd(write, ['dropped'])
      throw new Error('enough')
    })
    await expect(failing).rejects.toThrow('enough')
    await tx.transaction(async inner => inner.atEnd(write, ['inner']))
  })
  expect(statements).toEqual([['inner'], ['end-1', 'end-2']])
  expect((await names()).slice(-3)).toEqual(['inner', 'end-1', 'end-2'])
})

it('notifies listeners after a commit that wrote a row, and not otherwise', async () => {
  const client = await database.owner.connect()
  let heard = 0
  client.on('notification', () => {
    heard++
  })
  await client.query('LISTEN rows')
  const nothing = sql`INSERT INTO accounts (name, slug) SELECT 'none', 'none' WHERE false`
  await database.db.transaction(async tx => tx.sendAndNotify(nothing, 'rows'))
  const failing = database.db.transaction(async tx => {
    tx.sendAndNotify(account('rolled-back'), 'rows')
    await tx.many(sql`SELECT 1`)
    throw new Error('enough')
  })
  await expect(failing).rejects.toThrow('enough')
  // A notification sent by either would arrive before this one.
  await database.db.many(sql`SELECT pg_notify('rows', '')`)
  await expect.poll(() => heard).toBe(1)
  for (const name of ['told-1', 'told-2', 'told-3'])
    await database.db.transaction(tx =>
      tx.transaction(async inner => inner.sendAndNotify(account(name), 'rows')),
    )
  await expect.poll(() => heard).toBeGreaterThan(1)
  expect(heard).toBeLessThanOrEqual(4)
  client.removeAllListeners('notification')
  await client.query('UNLISTEN rows')
  client.release()
})

it('does not let quick reads stand behind a slow one', async () => {
  const { quick } = database.db
  const holder = await database.owner.connect()
  await holder.query('SELECT pg_advisory_lock(1)')
  let isOver = false
  const slow = quick.many(sql`SELECT pg_advisory_xact_lock(1)`).then(() => {
    isOver = true
  })
  const waiting = `
    SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
  await expect.poll(async () => (await holder.query(waiting)).rowCount, { timeout: 25_000 }).toBe(1)
  // Until a connection has been silent for 20 ms, it counts as fast.
  await sleep(25)
  await Promise.all(Array.from({ length: 50 }, () => quick.many(sql`SELECT 1`)))
  expect(isOver).toBe(false)
  await holder.query('SELECT pg_advisory_unlock(1)')
  holder.release()
  await slow
})

it('answers quick reads again after their connections were cut, and fails them no worse than as unavailable', async () => {
  const db = new Database(database.service, () => undefined)
  const ask = () => db.quick.first<{ pid: number }>(sql`SELECT pg_backend_pid() AS pid`)
  const before = await ask()
  const underWay = db.quick.many(sql`SELECT pg_sleep(30)`).then(
    () => 'answered',
    error => isUnavailable(error),
  )
  await database.db.many(sql`SELECT pg_terminate_backend(${before?.pid})`)
  expect(await underWay).toBe(true)
  const after = await ask()
  expect(after?.pid).not.toBe(before?.pid)
  await db.close()
})

/** The last words of a PostgreSQL that is being stopped. */
function farewell(): Buffer {
  const fields = ['SFATAL', 'VFATAL', 'C57P01', 'Mterminating connection due to administrator command', '']
  const text = Buffer.from(fields.map(field => `${field}\0`).join(''))
  const head = Buffer.alloc(5)
  head.write('E')
  head.writeInt32BE(text.length + 4, 1)
  return Buffer.concat([head, text])
}

/** The connections on which this many transactions run, one after the other or at once. */
async function backendsOf(count: number, keepsPlans: boolean, isAtOnce = false): Promise<Set<number>> {
  const found = new Set<number>()
  const run = () =>
    database.db.transaction(
      async tx => {
        const row = await tx.first<{ pid: number }>(sql`SELECT pg_backend_pid() AS pid`)
        found.add(row?.pid as number)
      },
      { keepsPlans },
    )
  if (isAtOnce) await Promise.all(Array.from({ length: count }, run))
  else for (let index = 0; index < count; index++) await run()
  return found
}

it('keeps large plans on two connections, which nothing else uses', async () => {
  const others = await backendsOf(20, false, true)
  const planned = await backendsOf(20, true)
  expect(planned.size).toBeLessThanOrEqual(2)
  expect(others.size).toBeGreaterThan(2)
  expect([...planned].filter(pid => others.has(pid))).toEqual([])
})

it('runs a large statement on another connection while those two are taken', async () => {
  let end = () => {}
  const held = new Promise<void>(resolve => {
    end = resolve
  })
  const holding: Promise<unknown>[] = []
  for (let index = 0; index < 2; index++)
    await new Promise<void>((begun, failed) => {
      const work = async (tx: Tx) => {
        await tx.many(sql`SELECT 1`)
        begun()
        await held
      }
      holding.push(database.db.transaction(work, { keepsPlans: true }).catch(failed))
    })
  try {
    // Some at once: those that find no free connection don't wait for one of the two.
    expect((await backendsOf(5, true, true)).size).toBeGreaterThan(0)
  } finally {
    end()
    await Promise.all(holding)
  }
})

it('reports no lost connection while it closes, though PostgreSQL stops in the same moment', async () => {
  const { host, port } = database.service
  const sayingFarewell: Promise<unknown>[] = []
  const proxy = createServer(client => {
    const server = connect(`${host}/.s.PGSQL.${port}`)
    server.pipe(client)
    client.on('data', (bytes: Buffer) => {
      // The client disconnects, and sees that PostgreSQL ended the connection.
      if (bytes[0] !== 'X'.charCodeAt(0)) return void server.write(bytes)
      sayingFarewell.push(once(client, 'close'))
      server.unpipe(client)
      server.destroy()
      client.end(farewell())
    })
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const lost: Error[] = []
  const db = new Database(
    { ...database.service, host: '127.0.0.1', port: (proxy.address() as AddressInfo).port },
    error => lost.push(error),
  )
  await Promise.all([db.many(sql`SELECT 1`), db.quick.many(sql`SELECT 1`)])
  await db.close()
  await Promise.all(sayingFarewell)
  expect(sayingFarewell).toHaveLength(2)
  expect(lost).toEqual([])
  proxy.close()
})
