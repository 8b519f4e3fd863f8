const WINDOW_MS = 60_000
const MOST_ADDRESSES = 10_000

interface GuessState {
  /** How many wrong guesses the address may still make. */
  remaining: number
  /** When the oldest one is forgiven. */
  freesInMs: number
}

export interface Guess extends GuessState {
  admitted: boolean
  /** When it was counted. */
  at: number
}

/** Counts wrong guesses by the address they come from. Answers are plain: another process may be the one that counts. */
export interface Guesses {
  readonly allowed: number
  state(address: string): GuessState | Promise<GuessState>
  /** Counts a guess before it is looked at, if the address may still make one: many at once do not slip through. */
  begin(address: string): Guess | Promise<Guess>
  /** Takes a guess back that turned out to be right. */
  forgive(address: string, guess: Guess): void
}

/** Makes the count of one kind of guess. */
export type CountGuesses = (what: string, allowedPerMinute: number) => Guesses

/** It is kept in memory, because its purpose is to refuse guesses before they cost a question to the database. */
export class GuessLimit implements Guesses {
  readonly allowed: number
  readonly #failures = new Map<string, number[]>()

  constructor(allowedPerMinute: number) {
    this.allowed = allowedPerMinute
  }

  begin(address: string, at = performance.now()): Guess {
    const before = this.state(address, at)
    if (before.remaining === 0) return { ...before, admitted: false, at }
    const recent = this.#recent(address, at)
    recent.push(at)
    // The address that failed last moves to the end; the one at rest longest is dropped first.
    this.#failures.delete(address)
    this.#failures.set(address, recent)
    if (this.#failures.size > MOST_ADDRESSES) {
      const [longestAtRest] = this.#failures.keys()
      this.#failures.delete(longestAtRest as string)
    }
    return { ...this.state(address, at), admitted: true, at }
  }

  forgive(address: string, { admitted, at }: Guess): void {
    const times = this.#failures.get(address)
    const counted = admitted ? (times?.indexOf(at) ?? -1) : -1
    if (counted >= 0) times?.splice(counted, 1)
  }

  state(address: string, now = performance.now()): GuessState {
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
