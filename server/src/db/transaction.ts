import { createHash } from 'node:crypto'
import pg from 'pg'
import type { Completed } from './pg-adapter.ts'
import { Pipeline } from './pipeline.ts'
import { type Sql, sql } from './sql.ts'

/** What stores and use cases run statements on: the pool, or a transaction. */
export interface Db {
  many<Row>(statement: Sql): Promise<Row[]>
  first<Row>(statement: Sql): Promise<Row | undefined>
  /** Opens a transaction, or a savepoint inside one, so that a use case can run alone or as part of a larger one. */
  transaction<T>(work: (tx: Tx) => Promise<T>, options?: TransactionOptions): Promise<T>
}

export type GroupKind = 'reports' | 'enrolments'

export interface TransactionOptions {
  /**
   * Lets it share its commit with others of its kind that run at the same time. Those of one key run one after the other, and accounts take
   * turns. Kinds are apart, so that what one often refuses is no delay for another.
   */
  groupCommit?: { kind: GroupKind; accountId: number; key: string }
  /** Runs it on one of a few connections that others with the same statements use too, which take as long to plan as to run. */
  keepsPlans?: boolean
  /** Fails with a lock timeout (`isLockTimeout`) if another transaction holds a lock for longer than 100 ms. */
  givesUpOnLocks?: boolean
}

/** Sends the statement that writes these rows of an account. */
export type WriteRows<Row> = (tx: Tx, accountId: number, rows: Row[]) => void

/** Reads what belongs to each of these items of an account: one result for each, in their order. */
export type ReadItems<Item, Result> = (tx: Tx, accountId: number, items: Item[]) => Promise<Result[]>

export interface Tx extends Db {
  readonly inTransaction: true
  /**
   * Runs several statements in one round trip, strictly in order: a read after a lock sees what the previous holder of the lock
   * committed.
   */
  inOrder<T extends readonly unknown[]>(...steps: { [Index in keyof T]: () => Promise<T[Index]> }): Promise<T>
  /** Reads what belongs to an item. `read` does so in one statement; in a group commit, for the items of others of the same account too. */
  readItem<Item, Result>(read: ReadItems<Item, Result>, accountId: number, item: Item): Promise<Result>
  /** Sends a write without waiting for its result before the commit. If it fails, so does the transaction. */
  send(statement: Sql): void
  /**
   * Sends rows of one table like `send`. `write` writes them in one statement; in a group commit, with the rows of others of the same account.
   */
  sendRows<Row>(write: WriteRows<Row>, accountId: number, rows: Row[]): void
  /** Like `send`. If it writes a row, listeners on the channel are notified after the commit. */
  sendAndNotify(statement: Sql, channel: string): void
  /** Adds items to those that `write` sends when this transaction or savepoint ends: one statement instead of one for each. */
  atEnd<Item>(write: (tx: Tx, items: Item[]) => void, items: Item[]): void
  /** Reads a large result in pages, so that memory use stays flat. */
  stream<Row>(statement: Sql): AsyncGenerator<Row[]>
}

const FETCH_SIZE = 1000
const COMMIT = sql`COMMIT`

const statementNames = new Map<string, string>()

/**
 * Prepared statements are planned once per connection. Their number is finite: texts come from templates, never from input. The
 * name is a hash of the text, so that behind an undeclared pooler another process's statement fails instead of running a different one.
 */
export function named(statement: Sql): pg.QueryConfig {
  const { text, values } = statement
  let name = statementNames.get(text)
  if (!name) {
    name = createHash('sha256').update(text).digest('base64url').slice(0, 22)
    statementNames.set(text, name)
  }
  return { name, text, values }
}

/** Behind a pooler, a connection is ours for one transaction only, so nothing is prepared on it. */
export const unnamed = ({ text, values }: Sql): pg.QueryConfig => ({ text, values })

class Transaction implements Tx {
  readonly inTransaction = true
  readonly #pipeline: Pipeline
  readonly #query: typeof named
  readonly #depth: number
  readonly #sent: Promise<Completed>[] = []
  readonly #batches = new Map<(tx: Tx, items: never[]) => void, unknown[]>()
  /** The channels to notify after the commit, also for savepoints. */
  readonly #channels: Set<string>
  #cursors = 0

  constructor(pipeline: Pipeline, query: typeof named, channels: Set<string>, depth = 0) {
    this.#pipeline = pipeline
    this.#query = query
    this.#channels = channels
    this.#depth = depth
  }

  async many<Row>(statement: Sql): Promise<Row[]> {
    return (await this.#pipeline.execute(this.#query(statement))).rows
  }

  async first<Row>(statement: Sql): Promise<Row | undefined> {
    return (await this.many<Row>(statement))[0]
  }

  inOrder<T extends readonly unknown[]>(
    ...steps: { [Index in keyof T]: () => Promise<T[Index]> }
  ): Promise<T> {
    // Each step sends its statement synchronously, and the server keeps the order.
    return Promise.all(steps.map(step => step())) as unknown as Promise<T>
  }

  async readItem<Item, Result>(
    read: ReadItems<Item, Result>,
    accountId: number,
    item: Item,
  ): Promise<Result> {
    return (await read(this, accountId, [item]))[0] as Result
  }

  send(statement: Sql): void {
    void this.#send(this.#query(statement))
  }

  sendRows<Row>(write: WriteRows<Row>, accountId: number, rows: Row[]): void {
    write(this, accountId, rows)
  }

  sendAndNotify(statement: Sql, channel: string): void {
    this.#send(this.#query(statement)).then(
      ({ rowCount }) => rowCount && this.#channels.add(channel),
      () => undefined,
    )
  }

  atEnd<Item>(write: (tx: Tx, items: Item[]) => void, items: Item[]): void {
    const batch = this.#batches.get(write) ?? []
    for (const item of items) batch.push(item)
    this.#batches.set(write, batch)
  }

  #sendBatches(): void {
    for (const [write, items] of this.#batches) write(this, items as never[])
  }

  #send(query: pg.QueryConfig | string): Promise<Completed> {
    const sent = this.#pipeline.send(query)
    // `#settleSent` reports a failure; until then it must not be an unhandled rejection.
    sent.catch(() => undefined)
    this.#sent.push(sent)
    return sent
  }

  /** Waits for all sent statements, and throws if one failed. Returns the last result. */
  async #settleSent(): Promise<Completed | undefined> {
    let last: Completed | undefined
    for (const sent of this.#sent.splice(0)) last = await sent
    return last
  }

  /** A statement that fails after one that was only sent does so because that one failed: the caller needs the first reason. */
  async #firstFailure(error: unknown): Promise<unknown> {
    if (!(error instanceof pg.DatabaseError)) return error
    return this.#settleSent().then(
      () => error,
      failure => failure,
    )
  }

  /** Runs the transaction from BEGIN to COMMIT. */
  async run<T>(work: (tx: Tx) => Promise<T>, begin: string): Promise<T> {
    void this.#send(begin)
    const result = await work(this).catch(async error => {
      throw await this.#firstFailure(error)
    })
    this.#sendBatches()
    void this.#send(this.#query(COMMIT))
    const committed = await this.#settleSent()
    // PostgreSQL responds to the COMMIT of a failed transaction with ROLLBACK and reports no error.
    if (committed?.command !== 'COMMIT')
      throw new Error('A transaction continued after one of its statements had failed.')
    return result
  }

  async *stream<Row>({ text, values }: Sql): AsyncGenerator<Row[]> {
    const cursor = `c${++this.#cursors}`
    await this.#pipeline.execute(`DECLARE ${cursor} NO SCROLL CURSOR FOR ${text}`, values)
    for (;;) {
      const { rows } = await this.#pipeline.execute(`FETCH ${FETCH_SIZE} FROM ${cursor}`)
      if (rows.length > 0) yield rows
      if (rows.length < FETCH_SIZE) break
    }
    await this.#pipeline.execute(`CLOSE ${cursor}`)
  }

  async transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const savepoint = `s${this.#depth + 1}`
    void this.#send(`SAVEPOINT ${savepoint}`)
    const inner = new Transaction(this.#pipeline, this.#query, this.#channels, this.#depth + 1)
    try {
      const result = await work(inner)
      inner.#sendBatches()
      await inner.#settleSent()
      void this.#send(`RELEASE ${savepoint}`)
      return result
    } catch (error) {
      await this.#pipeline.execute(`ROLLBACK TO ${savepoint}`)
      throw await inner.#firstFailure(error)
    }
  }
}

/** Runs a transaction on a pooled connection, which is returned clean or closed. */
export async function attempt<T>(
  pool: pg.Pool,
  run: (transaction: Transaction) => Promise<T>,
  query: typeof named,
  channels: Set<string>,
): Promise<T> {
  const client = await pool.connect()
  const pipeline = new Pipeline(client)
  let broken: Error | undefined
  try {
    return await run(new Transaction(pipeline, query, channels))
  } catch (error) {
    // Through the pipeline, behind what was sent. A connection that fails to roll back is closed instead of returned to the pool.
    await pipeline.execute('ROLLBACK').catch(failure => {
      broken = failure
    })
    throw error
  } finally {
    client.release(broken)
  }
}
