import { unwatchFile, watchFile } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { FastifyBaseLogger } from 'fastify'
import { CountryFile } from './country-file.ts'

/** How often the file is looked at: a new one is used without a restart. */
const LOOK_EVERY_MS = 60_000

/** What is wrong with the operator's file of countries; null if nothing is. */
export async function countryFileProblem(path: string): Promise<string | null> {
  try {
    // A lookup reads the tree and the data.
    ;(await CountryFile.from(await readFile(path))).countryOf('192.0.2.1')
    return null
  } catch (error) {
    return `TRIBUTARY_GEO_DATABASE: ${path} ${reasonOf(error)}`
  }
}

const reasonOf = (error: unknown) =>
  (error as NodeJS.ErrnoException).code === undefined
    ? (error as Error).message
    : `can't be read: ${(error as NodeJS.ErrnoException).code}`

/** The countries of addresses, from a file of the operator. Nothing about it ever fails a click: then the country is unknown. */
export class Countries {
  readonly #path: string | undefined
  readonly #log: Pick<FastifyBaseLogger, 'info' | 'warn'>
  #file: CountryFile | undefined

  constructor(path: string | undefined, log: Pick<FastifyBaseLogger, 'info' | 'warn'>) {
    this.#path = path
    this.#log = log
  }

  /** Reads the file, and again whenever it has changed. */
  async start(everyMs = LOOK_EVERY_MS): Promise<void> {
    if (this.#path === undefined) return
    watchFile(this.#path, { interval: everyMs, persistent: false }, this.#read)
    await this.#read()
  }

  stop(): void {
    if (this.#path !== undefined) unwatchFile(this.#path, this.#read)
  }

  /** The last readable file stays in use: one that is being replaced may be gone or incomplete for a moment. */
  readonly #read = async (): Promise<void> => {
    const path = this.#path as string
    try {
      this.#file = await CountryFile.from(await readFile(path))
      this.#log.info({ path }, 'country database read')
    } catch (error) {
      this.#log.warn(
        { path, reason: reasonOf(error) },
        'country database not readable; clicks have no country',
      )
    }
  }

  readonly of = (address: string): string | null => {
    try {
      return this.#file?.countryOf(address) ?? null
    } catch {
      return null
    }
  }
}
