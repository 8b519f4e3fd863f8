/** A share of a limited resource: at most `most` concurrent holders under this name. */
export interface Share {
  name: string
  most: number
}

interface Waiting {
  shares: Share[]
  begin: () => void
}

/** A semaphore with several named limits; waiters are served first come, first served. */
export class Turns {
  readonly #mostWaiting: number
  readonly #taken = new Map<string, number>()
  readonly #waiting = new Set<Waiting>()

  constructor(mostWaiting: number) {
    this.#mostWaiting = mostWaiting
  }

  /**
   * Resolves with a release function once every share has room. Resolves with undefined if `giveUp` fires or `waitMs` passes first, or
   * immediately if too many are waiting already; the first share is the caller's own.
   */
  take(
    shares: [Share, ...Share[]] | Share[],
    { giveUp, waitMs, mostWaiting }: { giveUp: AbortSignal; waitMs?: number; mostWaiting: number },
  ): Promise<(() => void) | undefined> {
    if (giveUp.aborted) return Promise.resolve(undefined)
    if (this.#hasRoom(shares)) return Promise.resolve(this.#begin(shares))
    const own = shares[0]?.name
    const ofSame = [...this.#waiting].filter(each => each.shares[0]?.name === own).length
    if (ofSame >= mostWaiting || this.#waiting.size >= this.#mostWaiting) return Promise.resolve(undefined)
    return new Promise(resolve => {
      const settle = (end: (() => void) | undefined) => {
        this.#waiting.delete(waiting)
        giveUp.removeEventListener('abort', leave)
        clearTimeout(timer)
        resolve(end)
      }
      const leave = () => settle(undefined)
      const waiting = { shares, begin: () => settle(this.#begin(shares)) }
      this.#waiting.add(waiting)
      giveUp.addEventListener('abort', leave, { once: true })
      // Not AbortSignal.timeout: Node 20 collects one that only AbortSignal.any refers to, and it never fires.
      const timer = waitMs === undefined ? undefined : setTimeout(leave, waitMs)
    })
  }

  #hasRoom(shares: Share[]): boolean {
    return shares.every(({ name, most }) => (this.#taken.get(name) ?? 0) < most)
  }

  #begin(shares: Share[]): () => void {
    for (const { name } of shares) this.#taken.set(name, (this.#taken.get(name) ?? 0) + 1)
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      for (const { name } of shares) {
        const left = (this.#taken.get(name) ?? 1) - 1
        if (left > 0) this.#taken.set(name, left)
        else this.#taken.delete(name)
      }
      // In order of arrival; a waiter whose own share is full does not block those behind it.
      for (const waiting of [...this.#waiting]) if (this.#hasRoom(waiting.shares)) waiting.begin()
    }
  }
}
