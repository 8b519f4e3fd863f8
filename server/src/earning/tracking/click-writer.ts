import type { Db } from '../../db/database.ts'
import { Batches } from '../../kit/batches.ts'
import { insertClicks, type NewClick } from './click.store.ts'

const MAX_BATCH = 500

/** Commits clicks before their visitors are redirected, many in one commit. */
export class ClickWriter {
  readonly #batches: Batches<NewClick, number>

  constructor(db: Db) {
    this.#batches = new Batches(clicks => insertClicks(db, clicks), MAX_BATCH)
  }

  write(click: NewClick): Promise<number> {
    return this.#batches.add(click)
  }
}
