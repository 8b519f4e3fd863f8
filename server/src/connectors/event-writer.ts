import type { Db } from '../db/database.ts'
import { isUnavailable } from '../db/failures.ts'
import { Batches } from '../kit/batches.ts'
import { insertEvents, type NewEvent } from './connector-event.store.ts'
import { tooMany } from './event-turns.ts'

const MOST_IN_BATCH = 200
/** What may wait for its commit, so that a burst of large events is refused before it takes the memory of everything else. */
const MOST_WAITING_BYTES = 32 * 1024 * 1024
/** How much of that one account may take, so that its burst is refused before anyone else's events are. */
const SHARE_OF_ACCOUNT = 1 / 4

type Written = { isNew: boolean } | { error: unknown }

/**
 * Commits events before they are answered, many in one commit. One statement runs at a time: however many events arrive at once, they take
 * one connection of the pool, and the API keeps the others. Accounts take turns.
 */
export class EventWriter {
  readonly #batches: Batches<NewEvent, Written>
  readonly #mostBytes: number
  #waitingBytes = 0
  readonly #waitingOfAccount = new Map<number, number>()

  constructor(db: Db, mostBytes = MOST_WAITING_BYTES) {
    this.#batches = new Batches(
      events => writeAll(db, events),
      MOST_IN_BATCH,
      ({ accountId }) => accountId,
    )
    this.#mostBytes = mostBytes
  }

  /** Returns whether the event is new. */
  async write(event: NewEvent): Promise<boolean> {
    const { accountId, body } = event
    this.#assertRoom(accountId, body.length)
    this.#count(accountId, body.length)
    try {
      const written = await this.#batches.add(event)
      if ('error' in written) throw written.error
      return written.isNew
    } finally {
      this.#count(accountId, -body.length)
    }
  }

  /** Where nothing waits, an event of any size has room. */
  #assertRoom(accountId: number, bytes: number): void {
    const isFull = (waiting: number, most: number) => waiting > 0 && waiting + bytes > most
    const ofAccount = this.#waitingOfAccount.get(accountId) ?? 0
    if (isFull(this.#waitingBytes, this.#mostBytes) || isFull(ofAccount, this.#mostBytes * SHARE_OF_ACCOUNT))
      throw tooMany()
  }

  #count(accountId: number, bytes: number): void {
    this.#waitingBytes += bytes
    const ofAccount = (this.#waitingOfAccount.get(accountId) ?? 0) + bytes
    if (ofAccount > 0) this.#waitingOfAccount.set(accountId, ofAccount)
    else this.#waitingOfAccount.delete(accountId)
  }
}

/** All in one statement. If PostgreSQL refuses one of them, each half alone, and so on: the others must not fail with it. */
async function writeAll(db: Db, events: NewEvent[]): Promise<Written[]> {
  try {
    return (await insertEvents(db, events)).map(isNew => ({ isNew }))
  } catch (error) {
    if (events.length === 1 || isUnavailable(error)) return events.map(() => ({ error }))
    const half = Math.ceil(events.length / 2)
    const first = await writeAll(db, events.slice(0, half))
    return [...first, ...(await writeAll(db, events.slice(half)))]
  }
}
