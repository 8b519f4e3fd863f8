import type { Db } from '../../db/database.ts'
import { insertClicks, type NewClick } from './click.store.ts'

const MAX_BATCH = 500

interface QueuedClick {
  click: NewClick
  resolve: (id: number) => void
  reject: (error: unknown) => void
}

/**
 * Commits clicks before their visitors are redirected. Clicks that arrive during a write share the next one (group commit): one commit
 * for many clicks, and no delay for a single one.
 */
export class ClickWriter {
  readonly #db: Db
  #queue: QueuedClick[] = []
  #writing = false

  constructor(db: Db) {
    this.#db = db
  }

  write(click: NewClick): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ click, resolve, reject })
      if (!this.#writing) void this.#writeAll()
    })
  }

  async #writeAll(): Promise<void> {
    this.#writing = true
    while (this.#queue.length > 0) {
      const batch = this.#queue.splice(0, MAX_BATCH)
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
