import type { Db } from '../../db/database.ts'
import { LimitedLookup } from '../../kit/shared-lookup.ts'
import { type AdmissionRow, admitRequests, findLiveKeys } from './admission.store.ts'

/** Lifetime of a grant before the database is queried again; a revoked key works for at most this long. */
const GRANT_LIFETIME_MS = 250

/** Spare slots that expire unused count against the key, so at most one in this many slots of the limit is requested ahead, by all processes together. */
const LARGEST_SPARE_SHARE = 300

export interface Admission {
  accountId: number
  apiKeyId: number
  admitted: boolean
  /** Requests left in the window after this one. */
  remaining: number
  /** When the oldest request in the window leaves it. */
  freesInMs: number
}

interface KeyState {
  waiting: { resolve: (admission: Admission | undefined) => void; reject: (error: unknown) => void }[]
  querying: boolean
  spare: { row: AdmissionRow; slots: number; queriedAt: number; expiresAt: number } | undefined
  /** How many slots to request beyond the waiting requests. */
  ahead: number
}

/**
 * Authenticates an API key and applies its rate limit, for all processes together: the log of requests is in the database (see
 * migration 0002). Requests of one key that arrive during a query share the next one. Under the default limit every request is counted
 * exactly. With a high limit, a busy key also gets a few slots ahead, so that there are a few queries per second and not one per
 * request.
 */
export class Admissions {
  readonly #db: Db
  readonly #allowed: number
  readonly #mostAhead: number
  readonly #keys = new Map<string, KeyState>()
  readonly #liveKeys: LimitedLookup<true>

  constructor(db: Db, allowedPerMinute: number, processes = 1) {
    this.#db = db
    this.#allowed = allowedPerMinute
    this.#mostAhead = Math.floor(allowedPerMinute / LARGEST_SPARE_SHARE / processes) - 1
    this.#liveKeys = new LimitedLookup(wanted =>
      findLiveKeys(
        db,
        wanted.map(({ digest }) => digest),
      ),
    )
  }

  /** Whether an active key with this digest has been used in this process. */
  isKnown(keyHash: Buffer): boolean {
    return this.#keys.get(keyHash.toString('latin1'))?.spare !== undefined
  }

  /** Whether an active key has this digest: looked up in batches, so that a flood of invented keys costs little. */
  async isLive(keyHash: Buffer, isWithinLimit: boolean): Promise<boolean> {
    return (await this.#liveKeys.get(keyHash, isWithinLimit)) === true
  }

  /** Undefined if there is no such key. */
  admit(keyHash: Buffer): Promise<Admission | undefined> | Admission {
    const name = keyHash.toString('latin1')
    const state = this.#keys.get(name) ?? { waiting: [], querying: false, spare: undefined, ahead: 0 }
    this.#keys.set(name, state)
    const spare = this.#takeSpare(state)
    if (spare) return spare
    return new Promise((resolve, reject) => {
      state.waiting.push({ resolve, reject })
      if (!state.querying) void this.#query(name, keyHash, state)
    })
  }

  async #query(name: string, keyHash: Buffer, state: KeyState): Promise<void> {
    state.querying = true
    while (state.waiting.length > 0) {
      const batch = state.waiting
      state.waiting = []
      const queriedAt = performance.now()
      state.ahead = this.#slotsAhead(state, queriedAt)
      const usableForMs = state.ahead > 0 ? GRANT_LIFETIME_MS : 0
      try {
        const row = await admitRequests(this.#db, keyHash, {
          allowed: this.#allowed,
          wanted: batch.length + state.ahead,
          usableForMs,
        })
        if (row) {
          const slots = Math.max(0, row.granted - batch.length)
          state.spare = { row, slots, queriedAt, expiresAt: queriedAt + usableForMs }
          batch.forEach(({ resolve }, index) => {
            resolve(this.#admission(row, index < row.granted, Math.max(0, row.granted - index - 1)))
          })
          this.#serveFromSpare(state)
        } else {
          // Not cached: a stream of invented keys must not fill the memory.
          this.#keys.delete(name)
          for (const { resolve } of batch) resolve(undefined)
        }
      } catch (error) {
        if (!state.spare) this.#keys.delete(name)
        for (const { reject } of batch) reject(error)
      }
    }
    state.querying = false
  }

  #takeSpare({ spare }: KeyState): Admission | undefined {
    if (!spare || spare.slots === 0 || performance.now() >= spare.expiresAt) return undefined
    spare.slots--
    return this.#admission(spare.row, true, spare.slots)
  }

  /** Requests that arrived during the query use spare slots before another query is made. */
  #serveFromSpare(state: KeyState): void {
    while (state.waiting.length > 0) {
      const spare = this.#takeSpare(state)
      if (!spare) return
      state.waiting.shift()?.resolve(spare)
    }
  }

  /** Doubles while grants are used up in time, halves when one expired with slots left. */
  #slotsAhead({ spare, ahead }: KeyState, now: number): number {
    if (this.#mostAhead < 1 || !spare) return 0
    const usedUp = spare.slots === 0 && now - spare.queriedAt < GRANT_LIFETIME_MS
    return usedUp ? Math.min(this.#mostAhead, Math.max(1, ahead * 2)) : Math.floor(ahead / 2)
  }

  #admission(row: AdmissionRow, admitted: boolean, unusedSlots: number): Admission {
    return {
      accountId: row.account_id,
      apiKeyId: row.api_key_id,
      admitted,
      remaining: Math.max(0, this.#allowed - row.used + unusedSlots),
      freesInMs: row.frees_in_ms,
    }
  }
}
