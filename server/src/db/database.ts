import { createHash } from 'node:crypto'
import pg from 'pg'
import { isTransient } from './failures.ts'
import { coalesceWrites, PIPELINED } from './pg-adapter.ts'
import { QuickReads } from './quick-reads.ts'
import { type Sql, sql } from './sql.ts'
import { types } from './types.ts'

/** What stores and use cases run statements on: the pool, or a transaction. */
export interface Db {
  many<Row>(statement: Sql): Promise<Row[]>
  first<Row>(statement: Sql): Promise<Row | undefined>
  /** Opens a transaction, or a savepoint inside one, so that a use case can run alone or as part of a larger one. */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
}

export interface Tx extends Db {
  readonly inTransaction: true
  /**
   * Runs several statements in one round trip, strictly in order: a read after a lock sees what the previous holder of the lock
   * committed.
   */
  inOrder<T extends readonly unknown[]>(...steps: { [Index in keyof T]: () => Promise<T[Index]> }): Promise<T>
  /** Sends a write without waiting for its result before the commit. If it fails, so does the transaction. */
  send(statement: Sql): void
  /** Reads a large result in pages, so that memory use stays flat. */
  stream<Row>(statement: Sql): AsyncGenerator<Row[]>
}

const FETCH_SIZE = 1000

const statementNames = new Map<string, string>()

/**
 * Prepared statements are planned once per connection. Their number is finite: texts come from templates, never from input. The
 * name is a hash of the text, so that behind an undeclared pooler another process's statement fails instead of running a different one.
 */
function named(statement: Sql): pg.QueryConfig {
  const { text, values } = statement
  let name = statementNames.get(text)
  if (!name) {
    name = createHash('sha256').update(text).digest('base64url').slice(0, 22)
    statementNames.set(text, name)
  }
  return { name, text, values }
}

/** Behind a pooler, a connection is ours for one transaction only, so nothing is prepared on it. */
const unnamed = ({ text, values }: Sql): pg.QueryConfig => ({ text, values })

/** Statements are pipelined: sent without waiting for earlier results, and executed in order. */
class Transaction implements Tx {
  readonly inTransaction = true
  readonly #client: pg.ClientBase
  readonly #query: typeof named
  readonly #depth: number
  readonly #sent: Promise<pg.QueryResult>[] = []
  #cursors = 0

  constructor(client: pg.ClientBase, query: typeof named, depth: number) {
    this.#client = client
    this.#query = query
    this.#depth = depth
  }

  async many<Row>(statement: Sql): Promise<Row[]> {
    return (await this.#execute(this.#query(statement))).rows
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

  send(statement: Sql): void {
    this.#sendQuery(this.#query(statement))
  }

  #execute(query: pg.QueryConfig | string): Promise<pg.QueryResult> {
    coalesceWrites(this.#client, process.nextTick)
    return this.#client.query(query as pg.QueryConfig)
  }

  #sendQuery(query: pg.QueryConfig | string): void {
    const sent = this.#execute(query)
    // `#settleSent` reports a failure; until then it must not be an unhandled rejection.
    sent.catch(() => undefined)
    this.#sent.push(sent)
  }

  /** Waits for all sent statements, and throws if one failed. Returns the last result. */
  async #settleSent(): Promise<pg.QueryResult | undefined> {
    let last: pg.QueryResult | undefined
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
    this.#sendQuery(begin)
    const result = await work(this).catch(async error => {
      throw await this.#firstFailure(error)
    })
    this.#sendQuery('COMMIT')
    const committed = await this.#settleSent()
    // PostgreSQL responds to the COMMIT of a failed transaction with ROLLBACK and reports no error.
    if (committed?.command !== 'COMMIT')
      throw new Error('A transaction continued after one of its statements had failed.')
    return result
  }

  async *stream<Row>({ text, values }: Sql): AsyncGenerator<Row[]> {
    const cursor = `c${++this.#cursors}`
    await this.#client.query(`DECLARE ${cursor} NO SCROLL CURSOR FOR ${text}`, values)
    for (;;) {
      const { rows } = await this.#client.query(`FETCH ${FETCH_SIZE} FROM ${cursor}`)
      if (rows.length > 0) yield rows
      if (rows.length < FETCH_SIZE) break
    }
    await this.#client.query(`CLOSE ${cursor}`)
  }

  async transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const savepoint = `s${this.#depth + 1}`
    this.#sendQuery(`SAVEPOINT ${savepoint}`)
    const inner = new Transaction(this.#client, this.#query, this.#depth + 1)
    try {
      const result = await work(inner)
      await inner.#settleSent()
      this.#sendQuery(`RELEASE ${savepoint}`)
      return result
    } catch (error) {
      await this.#client.query(`ROLLBACK TO ${savepoint}`)
      throw await inner.#firstFailure(error)
    }
  }
}

/** Runs a transaction on a pooled connection, which is returned clean or closed. */
async function attempt<T>(
  pool: pg.Pool,
  run: (transaction: Transaction) => Promise<T>,
  query: typeof named,
): Promise<T> {
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    return await run(new Transaction(client, query, 0))
  } catch (error) {
    // A connection that fails to roll back is closed instead of returned to the pool.
    await client.query('ROLLBACK').catch(failure => {
      broken = failure
    })
    throw error
  } finally {
    client.release(broken)
  }
}

const TRANSIENT_RETRIES = 3

/** Per process: ten for transactions and slow queries, four for quick reads. Opened on demand. */
export const MAX_CONNECTIONS = 14
const QUICK_READ_SHARE = 0.3
/** The default number of concurrent exports, each on a connection from a separate pool. */
const MAX_EXPORTS = 4

/**
 * PostgreSQL ends a transaction that is idle for longer than this and releases its locks, even if the process hangs. The limits are
 * set per transaction, in the same message as BEGIN: PgBouncer rejects them as startup parameters, and a session-level `SET` would
 * leak to the connection's next client.
 */
const BEGIN = "BEGIN; SET LOCAL idle_in_transaction_session_timeout = '1min'"
/** Downloads may take longer; a client that reads nothing at all is disconnected much earlier, see http/response/downloads.ts. */
const BEGIN_EXPORT =
  "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL idle_in_transaction_session_timeout = '15min'; SET LOCAL statement_timeout = '5min'"

interface DatabaseOptions extends pg.PoolConfig {
  isPooled?: boolean
  /** The maximum number of connections for exports, in addition to `max`. */
  exports?: number
}

export class Database implements Db {
  readonly pool: pg.Pool
  /** For index lookups only: a slow query would block those behind it. Behind a pooler it is the same as the pool. */
  readonly quick: Db
  /** For exports: the client sets the pace, and must not hold a connection that requests need. */
  readonly exportPool: pg.Pool
  readonly #quickReads: QuickReads | undefined
  readonly #query: typeof named
  #expectsDisconnects = false
  /** Transactions retried since the process started. */
  retries = 0

  constructor(
    { isPooled = false, max = MAX_CONNECTIONS, exports = MAX_EXPORTS, ...config }: DatabaseOptions,
    onIdleError: (error: Error) => void,
  ) {
    this.#query = isPooled ? unnamed : named
    const lanes = isPooled ? 0 : Math.max(1, Math.floor(max * QUICK_READ_SHARE))
    const connection = { connectionTimeoutMillis: 5_000, keepAlive: true, ...config, types }
    // The pool reports itself closed before its connections are, and PostgreSQL may stop in between: that is expected.
    const onLost = (error: Error) => {
      if (!this.#expectsDisconnects) onIdleError(error)
    }
    const openPool = (size: number) => {
      const pool = new pg.Pool({ max: size, idleTimeoutMillis: 30_000, ...PIPELINED, ...connection })
      // The pool replaces a connection that breaks while idle; without a listener the error would crash the process.
      pool.on('error', onLost)
      // The same between two statements of a transaction: the next statement fails with the reason.
      pool.on('connect', client => client.on('error', () => undefined))
      return pool
    }
    this.pool = openPool(Math.max(1, max - lanes))
    this.exportPool = openPool(exports)
    if (lanes > 0)
      this.#quickReads = new QuickReads(connection, lanes, onLost, statement => this.pool.query(statement))
    this.quick = this.#quickReads ? this.#through(this.#quickReads) : this
  }

  #through(reads: QuickReads): Db {
    const many = async <Row>(statement: Sql): Promise<Row[]> =>
      (await reads.query(this.#query(statement))).rows
    return {
      many,
      first: async <Row>(statement: Sql) => (await many<Row>(statement))[0],
      transaction: work => this.transaction(work),
    }
  }

  async many<Row>(statement: Sql): Promise<Row[]> {
    return (await this.pool.query(this.#query(statement))).rows
  }

  async first<Row>(statement: Sql): Promise<Row | undefined> {
    return (await this.many<Row>(statement))[0]
  }

  async transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    for (let retriesLeft = TRANSIENT_RETRIES; ; retriesLeft--) {
      try {
        return await attempt(this.pool, tx => tx.run(work, BEGIN), this.#query)
      } catch (error) {
        if (retriesLeft === 0 || !isTransient(error)) throw error
        this.retries++
      }
    }
  }

  /** Read-only snapshots on the export pool. If the signal aborts because the client has disconnected, the running statement is canceled. */
  exports(signal: AbortSignal): Db {
    return {
      many: statement => this.many(statement),
      first: statement => this.first(statement),
      transaction: work =>
        attempt(
          this.exportPool,
          transaction => transaction.run(tx => this.#until(signal, tx, work), BEGIN_EXPORT),
          this.#query,
        ),
    }
  }

  /** Waits for the cancellation before releasing the connection, so that it can't hit the next client's statement. */
  async #until<T>(signal: AbortSignal, tx: Tx, work: (tx: Tx) => Promise<T>): Promise<T> {
    const backend = await tx.first<{ pid: number }>(sql`SELECT pg_backend_pid() AS pid`)
    signal.throwIfAborted()
    let canceled: Promise<unknown> | undefined
    const cancel = () => {
      canceled = this.many(sql`SELECT pg_cancel_backend(${backend?.pid})`).catch(() => undefined)
    }
    signal.addEventListener('abort', cancel, { once: true })
    try {
      return await work(tx)
    } finally {
      signal.removeEventListener('abort', cancel)
      await canceled
    }
  }

  /** From now on, lost connections are not reported. */
  expectDisconnects(): void {
    this.#expectsDisconnects = true
  }

  async close(): Promise<void> {
    this.expectDisconnects()
    await Promise.all([this.pool.end(), this.exportPool.end(), this.#quickReads?.close()])
  }
}
