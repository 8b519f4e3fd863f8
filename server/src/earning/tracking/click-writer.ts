import type { Db } from '../../db/database.ts'
import { insertClicks, type NewClick } from './click.store.ts'

const MOST_IN_ONE_WRITE = 500

interface Waiting {
  click: NewClick
  resolve: (id: number) => void
  reject: (error: unknown) => void
}

/**
 * Writes clicks durably before their visitors are sent on. Those that arrive while a write is under way share the next one: one
 * commit for many clicks, and no delay for a single one.
 */
export class ClickWriter {
  readonly #db: Db
  #waiting: Waiting[] = []
  #writing = false

  constructor(db: Db) {
    this.#db = db
  }

  write(click: NewClick): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ click, resolve, reject })
      if (!this.#writing) void this.#writeAll()
    })
  }

  async #writeAll(): Promise<void> {
    this.#writing = true
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, MOST_IN_ONE_WRITE)
      try {
        const ids = await insertClicks(
          this.#db,
          batch.map(({ click }) => click),
        )
        for (const [index, { resolve }] of batch.entries()) resolve(ids[index] as number)
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    this.#writing = false
  }
}
