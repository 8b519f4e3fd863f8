import pg from 'pg'
import { isTransient } from './failures.ts'
import { GroupCommit } from './group-commit.ts'
import { LostConnections } from './lost-connections.ts'
import { Notifier } from './notifier.ts'
import { PIPELINED } from './pg-adapter.ts'
import { QuickReads } from './quick-reads.ts'
import { type Sql, sql } from './sql.ts'
import {
  attempt,
  type Db,
  type GroupKind,
  named,
  type TransactionOptions,
  type Tx,
  unnamed,
} from './transaction.ts'
import { types } from './types.ts'
import { KEEP_ALIVE } from './with-connection.ts'

export type { Db, ReadItems, TransactionOptions, Tx, WriteRows } from './transaction.ts'

const TRANSIENT_RETRIES = 3
/** How long a caller waits for a connection, or for its turn on a shared one. */
const CONNECTION_TIMEOUT_MS = 5000
/** By then, everything that used a connection has ended: one that is still open leads nowhere. */
const CLOSE_WITHIN_MS = 10_000

/** Per process: eight for transactions and slow queries, two that keep the plans of large statements, four for quick reads. Opened on demand. */
export const MAX_CONNECTIONS = 14
const QUICK_READ_SHARE = 0.3
const PLANS_SHARE = 0.15
const IDLE_MS = 30_000
const IDLE_PLANS_MS = 600_000
/** The default number of concurrent exports, each on a connection from a separate pool. */
const MAX_EXPORTS = 4

/**
 * PostgreSQL ends a transaction that is idle for longer than this and releases its locks, even if the process hangs. The limits are
 * set per transaction, in the same message as BEGIN: PgBouncer rejects them as startup parameters, and a session-level `SET` would
 * leak to the connection's next client.
 */
const BEGIN = "BEGIN; SET LOCAL idle_in_transaction_session_timeout = '1min'"
/** A lock that another transaction holds keeps one that stands for several waiting for no longer than this: the caller then splits it. */
const BEGIN_TOGETHER = `${BEGIN}; SET LOCAL lock_timeout = '100ms'`
/** Downloads may take longer; a client that reads nothing at all is disconnected much earlier, see http/response/downloads.ts. */
const BEGIN_EXPORT =
  "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL idle_in_transaction_session_timeout = '15min'; SET LOCAL statement_timeout = '5min'"

interface DatabaseOptions extends pg.PoolConfig {
  isPooled?: boolean
  /** The maximum number of connections for exports, in addition to `max`. */
  exports?: number
  /** After how long without a server to reach the statements that wait for one fail. */
  giveUpMs?: number
}

export class Database implements Db {
  readonly pool: pg.Pool
  /** For index lookups only: a slow query would block those behind it. Behind a pooler it is the same as the pool. */
  readonly quick: Db
  /** For statements that take as long to plan as to run: few connections, each of which soon has their plans. Behind a pooler it is the same as the pool. */
  readonly planPool: pg.Pool
  /** For exports: the client sets the pace, and must not hold a connection that requests need. */
  readonly exportPool: pg.Pool
  readonly #quickReads: QuickReads | undefined
  readonly #query: typeof named
  readonly #lost: LostConnections | undefined
  readonly #notifier = new Notifier(channel => this.quick.many(sql`SELECT pg_notify(${channel}, '')`))
  readonly #groups: Record<GroupKind, GroupCommit> = {
    reports: this.#newGroups(),
    enrolments: this.#newGroups(),
  }
  #expectsDisconnects = false
  /** Transactions retried since the process started. */
  retries = 0

  constructor(
    { isPooled = false, max = MAX_CONNECTIONS, exports = MAX_EXPORTS, giveUpMs, ...config }: DatabaseOptions,
    onIdleError: (error: Error) => void,
  ) {
    this.#query = isPooled ? unnamed : named
    const lanes = isPooled ? 0 : Math.max(1, Math.floor(max * QUICK_READ_SHARE))
    const connection = { connectionTimeoutMillis: CONNECTION_TIMEOUT_MS, ...KEEP_ALIVE, ...config, types }
    // A pooler's connections are its own matter, and PostgreSQL wouldn't know ours from those of others.
    this.#lost = isPooled ? undefined : new LostConnections(connection, giveUpMs)
    const onConnect = async (client: pg.ClientBase) => this.#lost?.watch(client)
    // The pool reports itself closed before its connections are, and PostgreSQL may stop in between: that is expected.
    const onLost = (error: Error) => {
      if (!this.#expectsDisconnects) onIdleError(error)
    }
    const openPool = (size: number, idleTimeoutMillis = IDLE_MS) => {
      const pool = new pg.Pool({ max: size, idleTimeoutMillis, ...PIPELINED, ...connection, onConnect })
      // The pool replaces a connection that breaks while idle; without a listener the error would crash the process.
      pool.on('error', onLost)
      // The same between two statements of a transaction: the next statement fails with the reason.
      pool.on('connect', client => client.on('error', () => undefined))
      return pool
    }
    const planned = isPooled ? 0 : Math.floor(max * PLANS_SHARE)
    this.pool = openPool(Math.max(1, max - lanes - planned))
    this.planPool = planned > 0 ? openPool(planned, IDLE_PLANS_MS) : this.pool
    this.exportPool = openPool(exports)
    if (lanes > 0)
      this.#quickReads = new QuickReads({ ...connection, onConnect }, lanes, onLost, statement =>
        this.pool.query(statement),
      )
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

  /** The connections that keep plans while one of them is free. Otherwise any: a report that takes long must not hold up the others. */
  #plannedOrAny(): pg.Pool {
    const { idleCount, totalCount, waitingCount, options } = this.planPool
    return idleCount + options.max - totalCount > waitingCount ? this.planPool : this.pool
  }

  async #run<T>(work: (tx: Tx) => Promise<T>, begin: string, pool = this.pool): Promise<T> {
    const channels = new Set<string>()
    const result = await attempt(pool, tx => tx.run(work, begin), this.#query, channels)
    for (const channel of channels) this.#notifier.notify(channel)
    return result
  }

  #newGroups(): GroupCommit {
    return new GroupCommit(
      work => this.#run(work, BEGIN_TOGETHER),
      work => {
        this.retries++
        return this.transaction(work)
      },
      CONNECTION_TIMEOUT_MS,
    )
  }

  async transaction<T>(
    work: (tx: Tx) => Promise<T>,
    { groupCommit, keepsPlans = false, givesUpOnLocks = false }: TransactionOptions = {},
  ): Promise<T> {
    if (groupCommit !== undefined) return this.#groups[groupCommit.kind].add(groupCommit, work)
    for (let retriesLeft = TRANSIENT_RETRIES; ; retriesLeft--) {
      try {
        const begin = givesUpOnLocks ? BEGIN_TOGETHER : BEGIN
        return await this.#run(work, begin, keepsPlans ? this.#plannedOrAny() : this.pool)
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
          new Set(),
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

  /** From now on, lost connections are not reported, and none is opened to notify listeners. */
  expectDisconnects(): void {
    this.#expectsDisconnects = true
    this.#notifier.stop()
  }

  async close(): Promise<void> {
    this.expectDisconnects()
    const pools = new Set([this.pool, this.planPool, this.exportPool])
    const timer = setTimeout(() => this.#lost?.closeAll(), CLOSE_WITHIN_MS)
    await Promise.all([...[...pools].map(pool => pool.end()), this.#quickReads?.close()])
    clearTimeout(timer)
    await this.#lost?.stop()
  }
}
