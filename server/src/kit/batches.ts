interface Waiting<Item, Result> {
  item: Item
  resolve: (result: Result) => void
  reject: (error: unknown) => void
}

/**
 * Runs calls in batches, one batch at a time: calls that arrive while one runs share the next. Many concurrent calls cost one statement,
 * and a single one isn't delayed.
 */
export class Batches<Item, Result> {
  readonly #run: (items: Item[]) => Promise<Result[]>
  readonly #most: number
  #queue: Waiting<Item, Result>[] = []
  #isRunning = false

  /** `run` returns a result for each item, in their order. */
  constructor(run: (items: Item[]) => Promise<Result[]>, most: number) {
    this.#run = run
    this.#most = most
  }

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ item, resolve, reject })
      if (!this.#isRunning) void this.#runAll()
    })
  }

  async #runAll(): Promise<void> {
    this.#isRunning = true
    while (this.#queue.length > 0) {
      const batch = this.#queue.splice(0, this.#most)
      try {
        const results = await this.#run(batch.map(({ item }) => item))
        for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result)
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    this.#isRunning = false
  }
}
