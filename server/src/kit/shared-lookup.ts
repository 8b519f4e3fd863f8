import { setTimeout as sleep } from 'node:timers/promises'

/** Maximum digests per statement; the rest go into the next one. */
const MOST_AT_ONCE = 2000

/** The digest of a secret and, if its table is keyed by account, the account's slug. */
export interface LookupKey {
  digest: Buffer
  slug: string
}

type Find<T> = (keys: LookupKey[]) => Promise<{ digest: Buffer; found: T }[]>

interface Waiting<T> {
  key: LookupKey
  callers: { resolve: (found: T | undefined) => void; reject: (error: unknown) => void }[]
}

/**
 * Looks up secrets by digest with a single statement in flight, whatever the number of callers: a flood of unknown secrets costs one
 * connection, and delays valid ones instead of rejecting them. A pause also bounds the rate of statements.
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

  /** Undefined if nothing has this digest. */
  get(digest: Buffer, slug = ''): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      const name = `${digest.toString('latin1')}${slug}`
      const waiting = this.#waiting.get(name) ?? { key: { digest, slug }, callers: [] }
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
      const rows = await this.#find(batch.map(({ key }) => key))
      const found = new Map(rows.map(row => [row.digest.toString('latin1'), row.found]))
      for (const { key, callers } of batch)
        for (const { resolve } of callers) resolve(found.get(key.digest.toString('latin1')))
    } catch (error) {
      for (const { callers } of batch) for (const { reject } of callers) reject(error)
    }
  }
}

/** Interval of lookups for callers over their limit. */
const PATIENT_PAUSE_MS = 100

/**
 * Looks up the secrets of callers within their limit immediately, and those of callers over it ten times a second, so that a flood only
 * delays callers over their limit.
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
