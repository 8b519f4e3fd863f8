import { createHash } from 'node:crypto'
import pg from 'pg'
import { isTransient } from './failures.ts'
import { QuickReads } from './quick-reads.ts'
import { sendTogether } from './send-together.ts'
import type { Sql } from './sql.ts'
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

/**
 * Statements go out as they are given, without waiting for the answers to those before (pg calls it a pipeline), and are carried
 * out in that order: so what does not depend on each other may be asked for together, and takes one round trip.
 */
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
  async run<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    this.#sendQuery('BEGIN')
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

const TRANSIENT_RETRIES = 3

/** What a process holds at most: ten for transactions and what takes long, four for quick reads. They are opened when they are needed. */
export const MOST_CONNECTIONS = 14
const SHARE_OF_QUICK_READS = 0.3

export class Database implements Db {
  readonly pool: pg.Pool
  /** For reads that an index answers: what is slow has no place there. Behind a pooler it is the same as the rest. */
  readonly quick: Db
  readonly #quickReads: QuickReads | undefined
  readonly #query: typeof named
  #expectsLosses = false
  /** How many transactions had to be run again, since the process began. */
  retries = 0

  constructor(
    { isPooled = false, max = MOST_CONNECTIONS, ...config }: pg.PoolConfig & { isPooled?: boolean },
    onIdleError: (error: Error) => void,
  ) {
    this.#query = isPooled ? unnamed : named
    const lanes = isPooled ? 0 : Math.max(1, Math.floor(max * SHARE_OF_QUICK_READS))
    const connection = { connectionTimeoutMillis: 5_000, keepAlive: true, ...config, types }
    this.pool = new pg.Pool({
      max: Math.max(1, max - lanes),
      idleTimeoutMillis: 30_000,
      pipeline: true,
      ...connection,
    })
    // The pool calls itself closed before its connections are, and PostgreSQL may be stopped in between: that is no loss.
    const onLost = (error: Error) => {
      if (!this.#expectsLosses) onIdleError(error)
    }
    // A connection that breaks while idle is replaced by the pool; without a listener it would end the process.
    this.pool.on('error', onLost)
    // The same for one that breaks between two statements of a transaction: the next statement fails and tells why.
    this.pool.on('connect', client => client.on('error', () => undefined))
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
        return await this.#attempt(work)
      } catch (error) {
        if (retriesLeft === 0 || !isTransient(error)) throw error
        this.retries++
      }
    }
  }

  async #attempt<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const client = await this.pool.connect()
    let broken: Error | undefined
    try {
      return await new Transaction(client, this.#query, 0).run(work)
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

  /** From now on a connection that ends is no surprise. */
  expectLosses(): void {
    this.#expectsLosses = true
  }

  async close(): Promise<void> {
    this.expectLosses()
    await Promise.all([this.pool.end(), this.#quickReads?.close()])
  }
}
