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
 * One connection that says "somebody uses this PostgreSQL". Its drop is the first sign that PostgreSQL died,
 * and the number of such connections tells whether the last user is leaving.
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

  /** Takes this connection as the presence, and makes a new one when it drops before watching has stopped. */
  use({ client, ended }: Connection): void {
    this.#client = client
    void ended.then(() => {
      this.#client = undefined
      // Single flight: a connection is watched only when the reconnection that made it is over.
      if (!this.#ending.signal.aborted) this.#reconnecting = this.#reconnect()
    })
  }

  /** Stops watching. The connection stays, so that it can still be asked for the others. */
  async stopWatching(): Promise<void> {
    this.#ending.abort()
    await this.#reconnecting
  }

  /** Whether this is the only presence, now or within the given time; undefined when there is no connection to ask. */
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
    this.#log.warn('the connection to PostgreSQL was lost; starting it again if it has stopped')
    let told = ''
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      try {
        this.use(await this.#connect(this.#ending.signal))
        this.#log.info(`PostgreSQL is back after ${Date.now() - begin} ms`)
        return
      } catch (error) {
        if (this.#ending.signal.aborted) return
        // Each reason is told once, however often it comes back.
        if (messageOf(error) !== told) this.#log.warn(`PostgreSQL is not back yet: ${messageOf(error)}`)
        told = messageOf(error)
      }
      if (!(await this.#pause(pauseMs))) return
    }
  }

  async #pause(pauseMs: number): Promise<boolean> {
    try {
      await sleep(pauseMs, undefined, { signal: this.#ending.signal })
      return true
    } catch {
      // Only the abort rejects a sleep: the owner is closing and waits for us.
      return false
    }
  }
}
