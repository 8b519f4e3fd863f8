import { createHash } from 'node:crypto'
import pg from 'pg'
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

class Transaction implements Tx {
  readonly inTransaction = true
  readonly #client: pg.ClientBase
  readonly #query: typeof named
  readonly #depth: number
  #cursors = 0

  constructor(client: pg.ClientBase, query: typeof named, depth: number) {
    this.#client = client
    this.#query = query
    this.#depth = depth
  }

  async many<Row>(statement: Sql): Promise<Row[]> {
    return (await this.#client.query(this.#query(statement))).rows
  }

  async first<Row>(statement: Sql): Promise<Row | undefined> {
    return (await this.many<Row>(statement))[0]
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
    await this.#client.query(`SAVEPOINT ${savepoint}`)
    try {
      const result = await work(new Transaction(this.#client, this.#query, this.#depth + 1))
      await this.#client.query(`RELEASE ${savepoint}`)
      return result
    } catch (error) {
      await this.#client.query(`ROLLBACK TO ${savepoint}`)
      throw error
    }
  }
}

/** Deadlock and serialization failure: the transaction left no trace, so running it again is safe. */
export const isTransient = (error: unknown) =>
  error instanceof pg.DatabaseError && (error.code === '40P01' || error.code === '40001')

const TRANSIENT_RETRIES = 3

export class Database implements Db {
  readonly pool: pg.Pool
  readonly #query: typeof named
  /** How many transactions had to be run again, since the process began. */
  retries = 0

  constructor(
    { isPooled = false, ...config }: pg.PoolConfig & { isPooled?: boolean },
    onIdleError: (error: Error) => void,
  ) {
    this.#query = isPooled ? unnamed : named
    this.pool = new pg.Pool({
      max: 10,
      connectionTimeoutMillis: 5_000,
      idleTimeoutMillis: 30_000,
      keepAlive: true,
      ...config,
      types,
    })
    // A connection that breaks while idle is replaced by the pool; without a listener it would end the process.
    this.pool.on('error', onIdleError)
    // The same for one that breaks between two statements of a transaction: the next statement fails and tells why.
    this.pool.on('connect', client => client.on('error', () => undefined))
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
      await client.query('BEGIN')
      const result = await work(new Transaction(client, this.#query, 0))
      await client.query('COMMIT')
      return result
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

  async close(): Promise<void> {
    await this.pool.end()
  }
}
