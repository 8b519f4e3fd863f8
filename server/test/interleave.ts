import type pg from 'pg'
import type { Db, Tx } from '../src/db/database.ts'
import type { TestDatabase } from './harness.ts'

/**
 * Who waits for a lock in this database. Others of the server are other files', which wait for locks too, even on relations of the
 * same number: all are copies of one template.
 */
export async function lockWaiters(client: Pick<pg.Pool, 'query'>): Promise<number[]> {
  const { rows } = await client.query(
    `SELECT DISTINCT pid FROM pg_locks l JOIN pg_stat_activity a USING (pid)
      WHERE NOT l.granted AND a.datname = current_database()`,
  )
  return rows.map(({ pid }) => pid)
}

/**
 * Starts `second` while `first` has done its work and holds its locks; `first` commits once `second` waits for one of them, or has
 * come through without. So the race that a lock is there for is met every time, and not once in many runs. `meanwhile` looks around
 * at that moment.
 */
export async function whileHeld<T>(
  database: TestDatabase,
  first: (tx: Tx) => Promise<unknown>,
  second: () => Promise<T>,
  meanwhile: () => Promise<unknown> = async () => undefined,
): Promise<T> {
  let later: Promise<T> | undefined
  await database.db.transaction(async tx => {
    await first(tx)
    let isDone = false
    const done = () => {
      isDone = true
    }
    later = second()
    later.then(done, done)
    while (!isDone && (await lockWaiters(database.owner)).length === 0);
    await meanwhile()
  })
  return later as Promise<T>
}

/** The database with something that happens beside the first transaction, after its first statement: where nothing waits for a lock. */
export function betweenStatements(db: Db, happens: () => Promise<unknown>): Db {
  let hasHappened = false
  const interrupt = (tx: Tx): Tx => ({
    inTransaction: true,
    many: statement => tx.many(statement),
    async first<Row>(statement: Parameters<Tx['first']>[0]) {
      const row = await tx.first<Row>(statement)
      if (!hasHappened) {
        hasHappened = true
        await happens()
      }
      return row
    },
    inOrder: tx.inOrder.bind(tx),
    readItem: (read, accountId, item) => tx.readItem(read, accountId, item),
    send: statement => tx.send(statement),
    sendRows: (write, accountId, rows) => tx.sendRows(write, accountId, rows),
    sendAndNotify: (statement, channel) => tx.sendAndNotify(statement, channel),
    atEnd: (write, items) => tx.atEnd(write, items),
    stream: statement => tx.stream(statement),
    transaction: work => tx.transaction(work),
  })
  return {
    many: statement => db.many(statement),
    first: statement => db.first(statement),
    transaction: work => db.transaction(tx => work(interrupt(tx))),
  }
}

/** Runs `work`, which must not wait for what the statement locks: it is ended after a minute if it does. */
export async function whileLocked(
  owner: pg.Pool,
  statement: string,
  work: () => Promise<unknown>,
): Promise<void> {
  const client = await owner.connect()
  // Without it, the end of the connection would end the process.
  client.on('error', () => undefined)
  try {
    await client.query(`BEGIN; SET LOCAL idle_in_transaction_session_timeout = '60s'`)
    await client.query(statement)
    await work()
    await client.query('ROLLBACK')
  } finally {
    client.release(true)
  }
}
