const MINUTE_MS = 60_000
/** More failures than password hashing can process in a window, so that only a flood of cheap ones comes near it. */
const MOST_COUNTED = 100_000

interface GuessState {
  /** How many more wrong guesses are allowed. */
  remaining: number
  /** When the oldest one expires. */
  freesInMs: number
}

export interface Guess extends GuessState {
  admitted: boolean
  /** When it was counted. */
  at: number
}

/**
 * Counts wrong guesses by name: a network, a user, a browser. Results are plain data, since another process may hold the counter.
 */
export interface Guesses {
  readonly allowed: number
  state(name: string): GuessState | Promise<GuessState>
  /** Counts a guess before it is verified, so that concurrent guesses cannot exceed the limit. */
  begin(name: string): Guess | Promise<Guess>
  /** Takes back the count of a guess that turned out to be correct. */
  forgive(name: string, guess: Guess): void
}

/** Creates a counter for one kind of guess, over one minute by default. */
export type CountGuesses = (what: string, allowed: number, windowMs?: number) => Guesses

/** In memory, because its purpose is to reject guesses before they cost a hash or a statement. */
export class GuessLimit implements Guesses {
  readonly allowed: number
  readonly #windowMs: number
  readonly #mostCounted: number
  /** In the order of the last failure, so that expired ones are at the front. */
  readonly #failures = new Map<string, number[]>()

  constructor(allowed: number, windowMs = MINUTE_MS, mostCounted = MOST_COUNTED) {
    this.allowed = allowed
    this.#windowMs = windowMs
    this.#mostCounted = mostCounted
  }

  begin(name: string, at = performance.now()): Guess {
    this.#forgetOld(at)
    const before = this.state(name, at)
    if (before.remaining === 0) return { ...before, admitted: false, at }
    // Active counters are never evicted: otherwise filling the memory would reset them. New names have to wait.
    if (this.#failures.size >= this.#mostCounted && !this.#failures.has(name))
      return { remaining: 0, freesInMs: this.#oldestLeavesInMs(at), admitted: false, at }
    const recent = this.#recent(name, at)
    recent.push(at)
    this.#failures.delete(name)
    this.#failures.set(name, recent)
    return { ...this.state(name, at), admitted: true, at }
  }

  forgive(name: string, { admitted, at }: Guess): void {
    const times = this.#failures.get(name)
    const counted = admitted ? (times?.indexOf(at) ?? -1) : -1
    if (counted >= 0) times?.splice(counted, 1)
    if (times?.length === 0) this.#failures.delete(name)
  }

  state(name: string, now = performance.now()): GuessState {
    const recent = this.#recent(name, now)
    return {
      remaining: Math.max(0, this.allowed - recent.length),
      freesInMs: recent.length > 0 ? (recent[0] as number) + this.#windowMs - now : this.#windowMs,
    }
  }

  #recent(name: string, now: number): number[] {
    const failures = this.#failures.get(name) ?? []
    const firstInWindow = failures.findIndex(time => time > now - this.#windowMs)
    return firstInWindow < 0 ? [] : failures.slice(firstInWindow)
  }

  #oldestLeavesInMs(now: number): number {
    const [oldest] = this.#failures.values()
    return Math.max(0, (oldest?.at(-1) ?? now) + this.#windowMs - now)
  }

  #forgetOld(now: number): void {
    for (const [name, times] of this.#failures) {
      if ((times.at(-1) as number) > now - this.#windowMs) return
      this.#failures.delete(name)
    }
  }
}
