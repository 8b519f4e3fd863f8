/** Listeners act at most this often anyway: see the delivery worker. */
const NOTIFY_EVERY_MS = 10

/**
 * Notifies listeners after a commit, several commits at once. A NOTIFY inside a transaction locks the queue of the whole database until
 * the commit is on disk: commits would wait for each other instead of sharing a write, and each would wake every listener. One that is
 * lost in a crash costs a listener nothing but the wait for its next poll.
 */
export class Notifier {
  readonly #send: (channel: string) => Promise<unknown>
  /** When each channel was last notified, or is about to be. */
  readonly #sendAt = new Map<string, number>()
  #isStopped = false

  constructor(send: (channel: string) => Promise<unknown>) {
    this.#send = send
  }

  notify(channel: string): void {
    const now = performance.now()
    const last = this.#sendAt.get(channel) ?? 0
    if (last > now) return
    const waitMs = last + NOTIFY_EVERY_MS - now
    if (waitMs <= 0) this.#sendNow(channel)
    else {
      this.#sendAt.set(channel, now + waitMs)
      setTimeout(() => this.#sendNow(channel), waitMs).unref()
    }
  }

  stop(): void {
    this.#isStopped = true
  }

  #sendNow(channel: string): void {
    if (this.#isStopped) return
    this.#sendAt.set(channel, performance.now())
    // Not worth an error: the work is committed, and a poll finds it.
    this.#send(channel).catch(() => undefined)
  }
}
