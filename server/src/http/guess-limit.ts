const WINDOW_MS = 60_000
const MOST_ADDRESSES = 10_000

/**
 * Counts wrong keys by the address they come from. It is kept in memory, per process, because its purpose is to refuse
 * guesses before they cost a question to the database.
 */
export class GuessLimit {
  readonly allowed: number
  readonly #failures = new Map<string, number[]>()

  constructor(allowedPerMinute: number) {
    this.allowed = allowedPerMinute
  }

  /** Counts a wrong key. The function that it returns takes that back, for one that turns out to be right. */
  record(address: string, now = performance.now()): () => void {
    const recent = this.#recent(address, now)
    recent.push(now)
    // The address that failed last moves to the end; the one at rest longest is dropped first.
    this.#failures.delete(address)
    this.#failures.set(address, recent)
    if (this.#failures.size > MOST_ADDRESSES) {
      const [longestAtRest] = this.#failures.keys()
      this.#failures.delete(longestAtRest as string)
    }
    return () => {
      const times = this.#failures.get(address)
      const counted = times?.indexOf(now) ?? -1
      if (counted >= 0) times?.splice(counted, 1)
    }
  }

  /** How many wrong keys the address may still send, and when the oldest one is forgiven. */
  state(address: string, now = performance.now()): { remaining: number; freesInMs: number } {
    const recent = this.#recent(address, now)
    return {
      remaining: Math.max(0, this.allowed - recent.length),
      freesInMs: recent.length > 0 ? (recent[0] as number) + WINDOW_MS - now : WINDOW_MS,
    }
  }

  #recent(address: string, now: number): number[] {
    const failures = this.#failures.get(address) ?? []
    const firstInWindow = failures.findIndex(time => time > now - WINDOW_MS)
    return firstInWindow < 0 ? [] : failures.slice(firstInWindow)
  }
}
