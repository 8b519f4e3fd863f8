import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from 'pino'
import { endSoon, KEEP_ALIVE } from './with-connection.ts'

const RECONNECT_AFTER_MS = 1000
const CONNECTION_TIMEOUT_MS = 5000

/** The `application_name` by which other processes see that a listener is connected. */
export const LISTENER_NAME = 'tributary listener'

/** Calls back with the payload of every NOTIFY of a channel, and once without one after each (re)connection, in case notifications were missed. */
export class Listener {
  readonly #config: pg.ClientConfig
  readonly #channel: string
  readonly #onNotify: (payload: string) => void
  readonly #log: Logger
  readonly #stopping = new AbortController()
  readonly #running: Promise<void>

  constructor(config: pg.ClientConfig, channel: string, onNotify: (payload: string) => void, log: Logger) {
    this.#config = config
    this.#channel = channel
    this.#onNotify = onNotify
    this.#log = log
    this.#running = this.#run()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      try {
        await this.#listenUntilDisconnected()
      } catch (error) {
        if (signal.aborted) return
        this.#log.warn(
          { err: error, channel: this.#channel },
          'the LISTEN connection was lost; polling until it is restored',
        )
        await sleep(RECONNECT_AFTER_MS, undefined, { signal }).catch(() => undefined)
      }
    }
  }

  async #listenUntilDisconnected(): Promise<void> {
    const client = new pg.Client({
      connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
      // Of LISTEN; waiting for notifications isn't a query.
      query_timeout: CONNECTION_TIMEOUT_MS,
      ...KEEP_ALIVE,
      ...this.#config,
      application_name: LISTENER_NAME,
    })
    const { signal } = this.#stopping
    // A connection lost during setup fails the running statement, which has the reason.
    client.on('error', () => undefined)
    try {
      await client.connect()
      client.on('notification', ({ payload = '' }) => this.#onNotify(payload))
      await client.query(`LISTEN ${pg.escapeIdentifier(this.#channel)}`)
      this.#onNotify('')
      await new Promise<void>((resolve, reject) => {
        client.on('error', reject)
        client.on('end', () => reject(new Error('The connection ended.')))
        signal.addEventListener('abort', () => resolve(), { once: true })
        if (signal.aborted) resolve()
      })
    } finally {
      client.removeAllListeners('end')
      await endSoon(client)
    }
  }
}
