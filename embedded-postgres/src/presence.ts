import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import { messageOf } from './embedded-postgres-error.ts'
import type { Connection } from './start-up.ts'

const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 1_000

interface Log {
  info(msg: string): void
  warn(msg: string): void
}

/**
 * A connection that marks a process as a user of this PostgreSQL. Losing it is the first sign that PostgreSQL died,
 * and the number of such connections shows whether the last user is leaving.
 */
export class Presence {
  readonly #connect: (signal: AbortSignal) => Promise<Connection>
  readonly #log: Log
  readonly #ending = new AbortController()
  #client: Client | undefined
  #reconnecting: Promise<void> | undefined

  constructor(first: Connection, connect: (signal: AbortSignal) => Promise<Connection>, log: Log) {
    this.#connect = connect
    this.#log = log
    this.use(first)
  }

  get isConnected(): boolean {
    return this.#client !== undefined
  }

  /** Uses this connection as the presence, and reconnects if it drops before watching has stopped. */
  use({ client, ended }: Connection): void {
    this.#client = client
    void ended.then(() => {
      this.#client = undefined
      // Single flight: a connection is watched only once the reconnection that created it is over.
      if (!this.#ending.signal.aborted) this.#reconnecting = this.#reconnect()
    })
  }

  /** Stops watching. The connection stays open, so that it can still query for the others. */
  async stopWatching(): Promise<void> {
    this.#ending.abort()
    await this.#reconnecting
  }

  /** Whether this is the only presence, now or within the given time; undefined without a connection. */
  async isAlone(waitMs = 0): Promise<boolean | undefined> {
    const deadline = Date.now() + waitMs
    for (;;) {
      const others = await this.#countOthers()
      if (others === undefined || others === 0 || Date.now() >= deadline)
        return others === undefined ? undefined : others === 0
      await sleep(FIRST_PAUSE_MS)
    }
  }

  async #countOthers(): Promise<number | undefined> {
    const others = await this.#client?.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM pg_stat_activity
       WHERE application_name = current_setting('application_name') AND pid <> pg_backend_pid()`,
    )
    return others?.rows[0]?.count
  }

  async disconnect(): Promise<void> {
    await this.#client?.end()
    this.#client = undefined
  }

  async #reconnect(): Promise<void> {
    const begin = Date.now()
    this.#log.warn('connection to PostgreSQL lost; restarting it if it has stopped')
    let logged = ''
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      try {
        this.use(await this.#connect(this.#ending.signal))
        this.#log.info(`PostgreSQL available again after ${Date.now() - begin} ms`)
        return
      } catch (error) {
        if (this.#ending.signal.aborted) return
        // Each reason is logged once, however often it recurs.
        if (messageOf(error) !== logged) this.#log.warn(`PostgreSQL not available yet: ${messageOf(error)}`)
        logged = messageOf(error)
      }
      if (!(await this.#pause(pauseMs))) return
    }
  }

  async #pause(pauseMs: number): Promise<boolean> {
    try {
      await sleep(pauseMs, undefined, { signal: this.#ending.signal })
      return true
    } catch {
      // Only an abort rejects the sleep: the owner is closing and waits for this.
      return false
    }
  }
}
