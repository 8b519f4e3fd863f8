import { DomainError } from './domain-error.ts'

/** Priorities, highest first. */
const ranks = ['known', 'fresh', 'other'] as const
export type Rank = (typeof ranks)[number]

const RETRY_AFTER_SECONDS = 2

/**
 * Runs expensive work with limited concurrency. The queue of each rank is bounded, and a higher rank always goes first: a flood of one
 * rank neither fills the memory nor delays the ranks above it. Past the bound, callers get a 503 with Retry-After.
 */
export class RankedTurns {
  readonly #atOnce: number
  readonly #mostWaiting: number
  readonly #waiting: Record<Rank, (() => void)[]> = { known: [], fresh: [], other: [] }
  #running = 0

  constructor(atOnce: number, mostWaiting: number) {
    this.#atOnce = atOnce
    this.#mostWaiting = mostWaiting
  }

  async take<T>(rank: Rank, work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#atOnce) await this.#wait(rank)
    else this.#running++
    try {
      return await work()
    } finally {
      this.#pass()
    }
  }

  #wait(rank: Rank): Promise<void> {
    const waiting = this.#waiting[rank]
    if (waiting.length >= this.#mostWaiting)
      throw new DomainError('unavailable', 'The server is busy. Try again in a moment.', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      })
    return new Promise(resolve => waiting.push(resolve))
  }

  /** Passes the slot on to the next in line, or releases it. */
  #pass(): void {
    const rank = ranks.find(each => this.#waiting[each].length > 0)
    if (rank === undefined) this.#running--
    else this.#waiting[rank].shift()?.()
  }
}
