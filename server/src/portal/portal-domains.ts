import type { Logger } from 'pino'
import type { Db } from '../db/database.ts'
import { listDomains } from '../programme/portal-settings/portal.store.ts'

const REFRESH_MS = 1000

/**
 * Which account's portal a host name belongs to. It is asked for every request before anything else is known of it, so it is
 * kept in memory; a domain that was added works a second later, in every process.
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
        this.#log.warn({ err: error }, 'the domains of portals stay as they were known'),
      )
    }, REFRESH_MS).unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /** The slug of the account whose domain this is. A host may carry the dot of the root, and a port. */
  slugOf(host: string | undefined): string | undefined {
    return host === undefined ? undefined : this.#slugs.get(host.replace(/\.?(:\d+)?$/, '').toLowerCase())
  }

  async #load(): Promise<void> {
    const rows = await listDomains(this.#db)
    this.#slugs = new Map(rows.map(({ domain, slug }) => [domain, slug]))
  }
}
