import { DomainError } from '../kit/domain-error.ts'
import { type Share, Turns } from '../kit/turns.ts'

/**
 * How many events are verified and stored at the same time, and of them those of one connector: its burst leaves room for the others. Each
 * takes a third of a millisecond of the event loop, and a call of the API waits for all that arrived before it, several times. While there is
 * nothing else to do there are more, because many in one commit cost less.
 */
const AT_ONCE = { besideOthers: { all: 4, connector: 3 }, alone: { all: 64, connector: 48 } }
/**
 * While the API is in use, an event's place stays free afterwards for this many times as long as the event took, so that a burst leaves the
 * API most of the time. A call takes 1.45 ms during a burst, of which 220 events a second are accepted, and 1.4 ms without one.
 */
const REST = 6
/** A slow commit takes time, but not from the API: a burst must still be accepted before its provider gives up. */
const LONGEST_REST_MS = 40
/** Of those that wait without a rest the last one is accepted within the five seconds that the least patient provider waits. */
const MOST_WAITING = 2000
/** With more than these there is no rest: refusing an event is worse than a slow call. */
const MOST_WAITING_FOR_REST = 200
const MOST_WAITING_BYTES = 32 * 1024 * 1024
/** A commit on a connection that was lost without notice may take minutes: the others don't wait for it. */
const PATIENCE_MS = 1000

interface Waiter {
  connectorId: number
  bytes: number
  /** Fires when the client leaves. */
  signal: AbortSignal
}

/** Lets billing events wait in the order of their arrival, so that a burst of them leaves the event loop to the API. */
export class EventTurns {
  readonly #turns = new Turns(MOST_WAITING)
  readonly #hasOthers: () => boolean
  readonly #mostBytes: number
  readonly #patienceMs: number
  readonly #rest: number
  #waitingBytes = 0
  #waiting = 0

  /** `hasOthers` says whether the process has other requests. */
  constructor(
    hasOthers: () => boolean,
    {
      mostBytes = MOST_WAITING_BYTES,
      patienceMs = PATIENCE_MS,
      rest = REST,
    }: { mostBytes?: number; patienceMs?: number; rest?: number } = {},
  ) {
    this.#hasOthers = hasOthers
    this.#mostBytes = mostBytes
    this.#patienceMs = patienceMs
    this.#rest = rest
  }

  async take<T>(waiter: Waiter, work: () => Promise<T>): Promise<T> {
    const release = await this.#begin(waiter)
    const begunAt = performance.now()
    const end = () => {
      const rests = this.#hasOthers() && this.#waiting <= MOST_WAITING_FOR_REST
      const restMs = rests ? this.#rest * (performance.now() - begunAt) : 0
      if (restMs > 0) setTimeout(release, Math.min(restMs, LONGEST_REST_MS))
      // The next one begins after what else has arrived meanwhile.
      else setImmediate(release)
    }
    const timer = setTimeout(end, this.#patienceMs)
    try {
      return await work()
    } finally {
      clearTimeout(timer)
      end()
    }
  }

  async #begin({ connectorId, bytes, signal }: Waiter): Promise<() => void> {
    const isFull = this.#waitingBytes > 0 && this.#waitingBytes + bytes > this.#mostBytes
    if (isFull) throw tooMany()
    this.#waitingBytes += bytes
    this.#waiting++
    try {
      const shares = [this.#share(`connector ${connectorId}`, 'connector'), this.#share('all', 'all')]
      const release = await this.#turns.take(shares, { giveUp: signal, mostWaiting: MOST_WAITING / 2 })
      if (!release) throw tooMany()
      return release
    } finally {
      this.#waitingBytes -= bytes
      this.#waiting--
    }
  }

  /** Its size is that of the moment when room is looked for: what waits must not wait for a limit that is over. */
  #share(name: string, kind: 'all' | 'connector'): Share {
    const hasOthers = this.#hasOthers
    return {
      name,
      get most() {
        return AT_ONCE[hasOthers() ? 'besideOthers' : 'alone'][kind]
      },
    }
  }
}

export const tooMany = () =>
  new DomainError('unavailable', 'Too many events at once. Send this one again shortly.', {
    retryAfterSeconds: 1,
  })
