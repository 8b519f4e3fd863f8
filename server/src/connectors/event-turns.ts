import { setImmediate as nextTurn } from 'node:timers/promises'
import { DomainError } from '../kit/domain-error.ts'
import { type Share, Turns } from '../kit/turns.ts'

/**
 * How many events are verified and stored at the same time, and of them those of one connector: its burst leaves room for the others. Each
 * takes a third of a millisecond of the event loop, and a call of the API waits for all that arrived before it, several times: with 32 at once
 * it took 9.2 ms, with 8 it took 4.6. While there is nothing else to do there are more, because many in one commit cost less.
 */
const AT_ONCE = { besideOthers: { all: 8, connector: 6 }, alone: { all: 64, connector: 48 } }
const MOST_WAITING = 500
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
  #waitingBytes = 0

  /** `hasOthers` says whether the process has other requests. */
  constructor(
    hasOthers: () => boolean,
    {
      mostBytes = MOST_WAITING_BYTES,
      patienceMs = PATIENCE_MS,
    }: { mostBytes?: number; patienceMs?: number } = {},
  ) {
    this.#hasOthers = hasOthers
    this.#mostBytes = mostBytes
    this.#patienceMs = patienceMs
  }

  async take<T>(waiter: Waiter, work: () => Promise<T>): Promise<T> {
    const release = await this.#begin(waiter)
    // The next one begins after what else has arrived meanwhile.
    const end = () => void nextTurn().then(release)
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
    try {
      const shares = [this.#share(`connector ${connectorId}`, 'connector'), this.#share('all', 'all')]
      const release = await this.#turns.take(shares, { giveUp: signal, mostWaiting: MOST_WAITING / 2 })
      if (!release) throw tooMany()
      return release
    } finally {
      this.#waitingBytes -= bytes
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
