import type { Logger } from 'pino'
import type { Db } from '../db/database.ts'
import { listDomains } from '../programme/portal-settings/portal.store.ts'

const REFRESH_MS = 1000

/**
 * Maps custom domains to accounts. Looked up for every request before anything else, so it is kept in memory; a new domain works
 * in every process after a second.
 */
export class PortalDomains {
  readonly #db: Db
  readonly #log: Logger
  #slugs = new Map<string, string>()
  #timer: NodeJS.Timeout | undefined

  constructor(db: Db, log: Logger) {
    this.#db = db
    this.#log = log
  }

  async start(): Promise<void> {
    await this.#load()
    this.#timer = setInterval(() => {
      this.#load().catch(error =>
        this.#log.warn({ err: error }, 'could not refresh custom domains; keeping the previous ones'),
      )
    }, REFRESH_MS).unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /** The slug of the account with this domain. A host may end with the root dot and a port. */
  slugOf(host: string | undefined): string | undefined {
    if (host === undefined || this.#slugs.size === 0) return undefined
    return this.#slugs.get(host.replace(/\.?(:\d+)?$/, '').toLowerCase())
  }

  async #load(): Promise<void> {
    const rows = await listDomains(this.#db)
    this.#slugs = new Map(rows.map(({ domain, slug }) => [domain, slug]))
  }
}
