interface Waiting<Item, Result> {
  item: Item
  resolve: (result: Result) => void
  reject: (error: unknown) => void
}

/** A batch on a connection that was lost without notice may take minutes. */
const PATIENCE_MS = 1000

/**
 * Runs calls in batches, one batch at a time: calls that arrive while one runs share the next. Many concurrent calls cost one statement,
 * and a single one isn't delayed. A batch that takes longer than a second no longer holds up the next one.
 */
export class Batches<Item, Result> {
  readonly #run: (items: Item[]) => Promise<Result[]>
  readonly #most: number
  readonly #laneOf: (item: Item) => unknown
  /** In the order of their turns. */
  readonly #lanes = new Map<unknown, Waiting<Item, Result>[]>()
  #isRunning = false

  /** `run` returns a result for each item, in their order. With `laneOf`, lanes take turns: none waits until another one is empty. */
  constructor(
    run: (items: Item[]) => Promise<Result[]>,
    most: number,
    laneOf: (item: Item) => unknown = () => undefined,
  ) {
    this.#run = run
    this.#most = most
    this.#laneOf = laneOf
  }

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      const name = this.#laneOf(item)
      const lane = this.#lanes.get(name)
      if (lane) lane.push({ item, resolve, reject })
      else this.#lanes.set(name, [{ item, resolve, reject }])
      if (!this.#isRunning) void this.#runAll()
    })
  }

  #take(): Waiting<Item, Result>[] {
    const batch: Waiting<Item, Result>[] = []
    while (batch.length < this.#most && this.#lanes.size > 0) {
      const share = Math.max(1, Math.floor((this.#most - batch.length) / this.#lanes.size))
      for (const [name, lane] of [...this.#lanes].slice(0, this.#most - batch.length)) {
        batch.push(...lane.splice(0, share))
        // To the back, so that the next turn begins with those who got nothing.
        this.#lanes.delete(name)
        if (lane.length > 0) this.#lanes.set(name, lane)
      }
    }
    return batch
  }

  async #runAll(): Promise<void> {
    this.#isRunning = true
    while (this.#lanes.size > 0) {
      const settled = this.#settle(this.#take())
      await new Promise<void>(resolve => {
        const timer = setTimeout(resolve, PATIENCE_MS)
        void settled.then(() => {
          clearTimeout(timer)
          // Calls that have arrived in this turn of the event loop share the next batch.
          setImmediate(resolve)
        })
      })
    }
    this.#isRunning = false
  }

  async #settle(batch: Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#run(batch.map(({ item }) => item))
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }
}
