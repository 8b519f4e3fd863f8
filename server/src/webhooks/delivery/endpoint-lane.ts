import type { AttemptOutcome, ClaimedDelivery } from './delivery.ts'

/** Attempts at a time before the first response, so that an endpoint that hangs ties up few slots. */
export const AT_ONCE_IF_NEW = 2
const MAX_AT_ONCE = 16
/** An endpoint that responds this fast would wait for the next claim, so for it as many deliveries again are claimed ahead. */
const FAST_MS = 100
/** A claimed delivery waits no longer than this: its lease must outlast the attempt, and its endpoint may be changed meanwhile. */
const MAX_WAIT_MS = 1000

/** An endpoint as this worker knows it: how many attempts it gets at a time, and what is claimed for it. */
export class EndpointLane {
  #atOnce = AT_ONCE_IF_NEW
  #ahead = 0
  #sending = 0
  /** Results that wait for a lock. */
  unrecorded = 0
  /** Claimed and not sent yet, oldest first. */
  readonly #waiting: { delivery: ClaimedDelivery; since: number }[] = []

  /** How many deliveries may be claimed for it at a time. */
  get limit(): number {
    return this.#atOnce + this.#ahead
  }

  /** How many are claimed and have no result yet, or one that can't be recorded yet. */
  get inFlight(): number {
    return this.#sending + this.#waiting.length + this.unrecorded
  }

  /** `since` is when its claim was sent, as the lease runs while the answer is on its way. */
  add(delivery: ClaimedDelivery, since: number): void {
    this.#waiting.push({ delivery, since })
  }

  /** The deliveries to send now. */
  take(): ClaimedDelivery[] {
    const taken = this.#waiting.splice(0, Math.max(0, this.#atOnce - this.#sending))
    this.#sending += taken.length
    return taken.map(({ delivery }) => delivery)
  }

  /** Removes and returns the deliveries that have waited for too long, or all that wait. */
  giveUp(all: boolean): ClaimedDelivery[] {
    const oldest = performance.now() - MAX_WAIT_MS
    const kept = all ? -1 : this.#waiting.findIndex(({ since }) => since >= oldest)
    const late = this.#waiting.splice(0, kept === -1 ? this.#waiting.length : kept)
    // It is no longer fast: what is given back would only wait here again.
    if (late.length > 0) this.#ahead = 0
    return late.map(({ delivery }) => delivery)
  }

  /** An attempt has ended; without an outcome, by an internal error. */
  ended(outcome?: AttemptOutcome): void {
    this.#sending--
    if (!outcome) return
    this.#atOnce = outcome.failure ? AT_ONCE_IF_NEW : Math.min(MAX_AT_ONCE, this.#atOnce * 2)
    this.#ahead = this.#atOnce === MAX_AT_ONCE && outcome.durationMs <= FAST_MS ? MAX_AT_ONCE : 0
  }
}
