import { setTimeout as sleep } from 'node:timers/promises'

/** One statement carries so many digests at most; the rest is looked up by the next one. */
const MOST_AT_ONCE = 2000

/** A secret as it is kept; where its table leads with the account, with what names the account. */
export interface Asked {
  digest: Buffer
  slug: string
}

type Find<T> = (asked: Asked[]) => Promise<{ digest: Buffer; found: T }[]>

interface Waiting<T> {
  asked: Asked
  callers: { resolve: (found: T | undefined) => void; reject: (error: unknown) => void }[]
}

/**
 * Looks up secrets by their digests, with one statement in flight at a time whatever the number of callers: a flood of unknown
 * secrets costs one connection, and delays a valid one instead of refusing it. A pause bounds the number of statements too.
 */
export class SharedLookup<T> {
  readonly #find: Find<T>
  readonly #pauseMs: number
  readonly #waiting = new Map<string, Waiting<T>>()
  #isRunning = false

  constructor(find: Find<T>, pauseMs = 0) {
    this.#find = find
    this.#pauseMs = pauseMs
  }

  /** Undefined when nothing has this digest. */
  get(digest: Buffer, slug = ''): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      const name = `${digest.toString('latin1')}${slug}`
      const waiting = this.#waiting.get(name) ?? { asked: { digest, slug }, callers: [] }
      waiting.callers.push({ resolve, reject })
      this.#waiting.set(name, waiting)
      if (!this.#isRunning) void this.#run()
    })
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    while (this.#waiting.size > 0) {
      const batch = [...this.#waiting].slice(0, MOST_AT_ONCE)
      for (const [name] of batch) this.#waiting.delete(name)
      await this.#lookUp(batch.map(([, waiting]) => waiting))
      if (this.#pauseMs > 0) await sleep(this.#pauseMs)
    }
    this.#isRunning = false
  }

  async #lookUp(batch: Waiting<T>[]): Promise<void> {
    try {
      const rows = await this.#find(batch.map(({ asked }) => asked))
      const found = new Map(rows.map(row => [row.digest.toString('latin1'), row.found]))
      for (const { asked, callers } of batch)
        for (const { resolve } of callers) resolve(found.get(asked.digest.toString('latin1')))
    } catch (error) {
      for (const { callers } of batch) for (const { reject } of callers) reject(error)
    }
  }
}

/** How long the lookups of addresses over their limit wait for each other. */
const PATIENT_PAUSE_MS = 100

/**
 * Looks up the secrets of callers within their limit at once, and those of callers over it ten times a second, so that a flood
 * delays others who are over their limit and no one else.
 */
export class LimitedLookup<T> {
  readonly #prompt: SharedLookup<T>
  readonly #patient: SharedLookup<T>

  constructor(find: Find<T>) {
    this.#prompt = new SharedLookup(find)
    this.#patient = new SharedLookup(find, PATIENT_PAUSE_MS)
  }

  get(digest: Buffer, isWithinLimit: boolean, slug?: string): Promise<T | undefined> {
    return (isWithinLimit ? this.#prompt : this.#patient).get(digest, slug)
  }
}
