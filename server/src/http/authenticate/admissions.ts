import type { Db } from '../../db/database.ts'
import { LimitedLookup } from '../../kit/shared-lookup.ts'
import { type AdmissionRow, admitRequests, findLiveKeys } from './admission.store.ts'

/** How long a grant may be used before the database is asked again; a revoked key lives on for at most this long. */
const GRANT_LIFETIME_MS = 250

/** Spare slots that expire unused count against the key, so at most this share of the limit is asked for ahead, by all processes. */
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
  asking: boolean
  spare: { row: AdmissionRow; slots: number; askedAt: number; expiresAt: number } | undefined
  /** How many slots to ask for beyond those that wait. */
  ahead: number
}

/**
 * Tells whose key a request carries and whether its window has room, for all processes together: the log of requests is
 * in the database (see migration 0002). Requests of one key that arrive while it is being asked share the next question.
 * Under the default limit every request is counted one by one, exactly. Where the limit is high, a busy key also gets a few
 * slots ahead, so that the question is asked a few times a second and not for every request.
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
    this.#liveKeys = new LimitedLookup(asked =>
      findLiveKeys(
        db,
        asked.map(({ digest }) => digest),
      ),
    )
  }

  /** Whether a live key with this digest has been used here. */
  isKnown(keyHash: Buffer): boolean {
    return this.#keys.get(keyHash.toString('latin1'))?.spare !== undefined
  }

  /** Whether a live key has this digest: looked up together with others, so that a flood of invented keys costs little. */
  async isLive(keyHash: Buffer, isWithinLimit: boolean): Promise<boolean> {
    return (await this.#liveKeys.get(keyHash, isWithinLimit)) === true
  }

  /** Undefined when there is no such key. */
  admit(keyHash: Buffer): Promise<Admission | undefined> | Admission {
    const name = keyHash.toString('latin1')
    const state = this.#keys.get(name) ?? { waiting: [], asking: false, spare: undefined, ahead: 0 }
    this.#keys.set(name, state)
    const spare = this.#takeSpare(state)
    if (spare) return spare
    return new Promise((resolve, reject) => {
      state.waiting.push({ resolve, reject })
      if (!state.asking) void this.#ask(name, keyHash, state)
    })
  }

  async #ask(name: string, keyHash: Buffer, state: KeyState): Promise<void> {
    state.asking = true
    while (state.waiting.length > 0) {
      const batch = state.waiting
      state.waiting = []
      const askedAt = performance.now()
      state.ahead = this.#slotsAhead(state, askedAt)
      const usableForMs = state.ahead > 0 ? GRANT_LIFETIME_MS : 0
      try {
        const row = await admitRequests(this.#db, keyHash, {
          allowed: this.#allowed,
          wanted: batch.length + state.ahead,
          usableForMs,
        })
        if (row) {
          const slots = Math.max(0, row.granted - batch.length)
          state.spare = { row, slots, askedAt, expiresAt: askedAt + usableForMs }
          batch.forEach(({ resolve }, index) => {
            resolve(this.#admission(row, index < row.granted, Math.max(0, row.granted - index - 1)))
          })
          this.#serveFromSpare(state)
        } else {
          // Not kept: a stream of invented keys must not fill the memory.
          this.#keys.delete(name)
          for (const { resolve } of batch) resolve(undefined)
        }
      } catch (error) {
        if (!state.spare) this.#keys.delete(name)
        for (const { reject } of batch) reject(error)
      }
    }
    state.asking = false
  }

  #takeSpare({ spare }: KeyState): Admission | undefined {
    if (!spare || spare.slots === 0 || performance.now() >= spare.expiresAt) return undefined
    spare.slots--
    return this.#admission(spare.row, true, spare.slots)
  }

  /** Those who came while the database was asked take of what it gave ahead, before it is asked again. */
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
    const usedUp = spare.slots === 0 && now - spare.askedAt < GRANT_LIFETIME_MS
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
