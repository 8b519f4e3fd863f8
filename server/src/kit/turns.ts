/** A share of something scarce: at most so many under this name at a time. */
export interface Share {
  name: string
  most: number
}

interface Waiting {
  shares: Share[]
  begin: () => void
}

/** Lets so many at a time under each of several names; the others wait in the order in which they came. */
export class Turns {
  readonly #mostWaiting: number
  readonly #taken = new Map<string, number>()
  readonly #waiting = new Set<Waiting>()

  constructor(mostWaiting: number) {
    this.#mostWaiting = mostWaiting
  }

  /**
   * Resolves with what ends the turn once every share has room. Resolves with nothing when `giveUp` or the end of `waitMs` comes
   * first, or at once where too many wait already; the first share is that of the one who asks.
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
      // Whoever came first and has room now; one whose own share is full holds up nobody behind.
      for (const waiting of [...this.#waiting]) if (this.#hasRoom(waiting.shares)) waiting.begin()
    }
  }
}
