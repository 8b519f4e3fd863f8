import { createHash } from 'node:crypto'
import pg from 'pg'
import { isTransient } from './failures.ts'
import { PIPELINED, sendTogether } from './pg-adapter.ts'
import { QuickReads } from './quick-reads.ts'
import { type Sql, sql } from './sql.ts'
import { types } from './types.ts'

/** What stores and use cases speak to: the pool, or one transaction of it. */
export interface Db {
  many<Row>(statement: Sql): Promise<Row[]>
  first<Row>(statement: Sql): Promise<Row | undefined>
  /** Opens a transaction; inside one, a savepoint, so that a use case may run alone or as part of a larger one. */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
}

export interface Tx extends Db {
  readonly inTransaction: true
  /**
   * Asks for several things in one round trip. They are carried out in the order in which they stand, each when those before it are
   * done: what is read after a lock is what its holder before us has left.
   */
  inOrder<T extends readonly unknown[]>(...steps: { [Index in keyof T]: () => Promise<T[Index]> }): Promise<T>
  /** Sends a write that nobody waits for before the commit. When it fails, so does the transaction. */
  send(statement: Sql): void
  /** The rows of a long result a few at a time, so that memory stays flat however many there are. */
  stream<Row>(statement: Sql): AsyncGenerator<Row[]>
}

const STREAMED_ROWS = 1000

const statementNames = new Map<string, string>()

/**
 * Named statements are planned once per connection. Texts are finite: they come from templates, never from input. The name tells
 * the text: where a pooler hands connections round unawares, a name of another process must fail and not run another statement.
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

/** A connection that is ours for one transaction only keeps nothing for the next. */
const unnamed = ({ text, values }: Sql): pg.QueryConfig => ({ text, values })

/** Statements go out as they are given, without waiting for the answers to those before, and are carried out in that order. */
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
    return (await this.#ask(this.#query(statement))).rows
  }

  async first<Row>(statement: Sql): Promise<Row | undefined> {
    return (await this.many<Row>(statement))[0]
  }

  inOrder<T extends readonly unknown[]>(
    ...steps: { [Index in keyof T]: () => Promise<T[Index]> }
  ): Promise<T> {
    // Each is begun before the next, and what has been begun is on its way to a server that keeps the order.
    return Promise.all(steps.map(step => step())) as unknown as Promise<T>
  }

  send(statement: Sql): void {
    this.#sendQuery(this.#query(statement))
  }

  #ask(query: pg.QueryConfig | string): Promise<pg.QueryResult> {
    sendTogether(this.#client, process.nextTick)
    return this.#client.query(query as pg.QueryConfig)
  }

  #sendQuery(query: pg.QueryConfig | string): void {
    const sent = this.#ask(query)
    // Whether it failed is asked by `#settled`; until then it is nobody's error.
    sent.catch(() => undefined)
    this.#sent.push(sent)
  }

  /** Waits for the answers to everything that was sent, and fails if any of it did. Returns the last answer. */
  async #settled(): Promise<pg.QueryResult | undefined> {
    let last: pg.QueryResult | undefined
    for (const sent of this.#sent.splice(0)) last = await sent
    return last
  }

  /** The whole of a transaction, from its beginning to its commit. */
  async run<T>(work: (tx: Tx) => Promise<T>, begin: string): Promise<T> {
    this.#sendQuery(begin)
    const result = await work(this)
    this.#sendQuery('COMMIT')
    const committed = await this.#settled()
    // PostgreSQL answers the COMMIT of a transaction that has failed with a ROLLBACK, and calls it a success.
    if (committed?.command !== 'COMMIT')
      throw new Error('A transaction went on after one of its statements had failed.')
    return result
  }

  async *stream<Row>({ text, values }: Sql): AsyncGenerator<Row[]> {
    const cursor = `c${++this.#cursors}`
    await this.#client.query(`DECLARE ${cursor} NO SCROLL CURSOR FOR ${text}`, values)
    for (;;) {
      const { rows } = await this.#client.query(`FETCH ${STREAMED_ROWS} FROM ${cursor}`)
      if (rows.length > 0) yield rows
      if (rows.length < STREAMED_ROWS) break
    }
    await this.#client.query(`CLOSE ${cursor}`)
  }

  async transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const savepoint = `s${this.#depth + 1}`
    this.#sendQuery(`SAVEPOINT ${savepoint}`)
    try {
      const inner = new Transaction(this.#client, this.#query, this.#depth + 1)
      const result = await work(inner)
      await inner.#settled()
      this.#sendQuery(`RELEASE ${savepoint}`)
      return result
    } catch (error) {
      await this.#client.query(`ROLLBACK TO ${savepoint}`)
      throw error
    }
  }
}

/** Runs a transaction on a connection of the pool, which gets it back clean or not at all. */
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
    // A connection that cannot even roll back is closed, not returned to the pool.
    await client.query('ROLLBACK').catch(failure => {
      broken = failure
    })
    throw error
  } finally {
    client.release(broken)
  }
}

const TRANSIENT_RETRIES = 3

/** What a process holds at most: ten for transactions and what takes long, four for quick reads. They are opened when they are needed. */
export const MOST_CONNECTIONS = 14
const SHARE_OF_QUICK_READS = 0.3
/** How many files are read at once where nothing else is set, each on a connection of a pool of their own. */
const MOST_EXPORTS = 4

/**
 * PostgreSQL ends a transaction that waits for us longer than this, and its locks with it, whatever became of the process. The limits
 * are set with each transaction, in the message that begins it: PgBouncer refuses them when connecting, and a `SET` of a session
 * would reach whoever gets the connection next.
 */
const BEGIN = "BEGIN; SET LOCAL idle_in_transaction_session_timeout = '1min'"
/** The reader of a file may take longer: whoever takes nothing at all is closed long before, see http/response/downloads.ts. */
const BEGIN_EXPORT =
  "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL idle_in_transaction_session_timeout = '15min'; SET LOCAL statement_timeout = '5min'"

interface DatabaseOptions extends pg.PoolConfig {
  isPooled?: boolean
  /** How many connections to hold at most for files, beside the others. */
  exports?: number
}

export class Database implements Db {
  readonly pool: pg.Pool
  /** For reads that an index answers: what is slow has no place there. Behind a pooler it is the same as the rest. */
  readonly quick: Db
  /** For files: whoever reads one sets the pace, and must not keep a connection from requests. */
  readonly exportPool: pg.Pool
  readonly #quickReads: QuickReads | undefined
  readonly #query: typeof named
  #expectsLosses = false
  /** How many transactions had to be run again, since the process began. */
  retries = 0

  constructor(
    { isPooled = false, max = MOST_CONNECTIONS, exports = MOST_EXPORTS, ...config }: DatabaseOptions,
    onIdleError: (error: Error) => void,
  ) {
    this.#query = isPooled ? unnamed : named
    const lanes = isPooled ? 0 : Math.max(1, Math.floor(max * SHARE_OF_QUICK_READS))
    const connection = { connectionTimeoutMillis: 5_000, keepAlive: true, ...config, types }
    // The pool calls itself closed before its connections are, and PostgreSQL may be stopped in between: that is no loss.
    const onLost = (error: Error) => {
      if (!this.#expectsLosses) onIdleError(error)
    }
    const openPool = (size: number) => {
      const pool = new pg.Pool({ max: size, idleTimeoutMillis: 30_000, ...PIPELINED, ...connection })
      // A connection that breaks while idle is replaced by the pool; without a listener it would end the process.
      pool.on('error', onLost)
      // The same for one that breaks between two statements of a transaction: the next statement fails and tells why.
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

  /**
   * What a file is read from: read-only snapshots on connections of their own. When the signal comes, because the reader has gone, the
   * statement under way is cancelled.
   */
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

  /** The cancellation is over before the connection is another's, so that it never meets a statement of theirs. */
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

  /** From now on a connection that ends is no surprise. */
  expectLosses(): void {
    this.#expectsLosses = true
  }

  async close(): Promise<void> {
    this.expectLosses()
    await Promise.all([this.pool.end(), this.exportPool.end(), this.#quickReads?.close()])
  }
}
