import type pg from 'pg'
import { type Completed, coalesceWrites, isPrepared, sendBatch } from './pg-adapter.ts'

interface Waiting {
  query: pg.QueryConfig | string
  resolve(result: Completed): void
  reject(error: unknown): void
}

/** A connection during a transaction. Statements are sent without waiting for earlier results, and executed in order. */
export class Pipeline {
  readonly #client: pg.ClientBase
  /** Statements whose rows are not needed, until the end of this tick or the next statement whose rows are. */
  #waiting: Waiting[] = []

  constructor(client: pg.ClientBase) {
    this.#client = client
  }

  execute(query: pg.QueryConfig | string, values?: unknown[]): Promise<pg.QueryResult> {
    this.#flush()
    coalesceWrites(this.#client, process.nextTick)
    return this.#client.query(query as string, values)
  }

  send(query: pg.QueryConfig | string): Promise<Completed> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.push({ query, resolve, reject }) === 1) process.nextTick(() => this.#flush())
    })
  }

  #flush(): void {
    if (this.#waiting.length === 0) return
    coalesceWrites(this.#client, process.nextTick)
    let batch: Waiting[] = []
    for (const waiting of this.#waiting.splice(0)) {
      if (typeof waiting.query !== 'string' && isPrepared(this.#client, waiting.query)) batch.push(waiting)
      else {
        this.#sendBatch(batch)
        batch = []
        this.#client.query(waiting.query as pg.QueryConfig).then(waiting.resolve, waiting.reject)
      }
    }
    this.#sendBatch(batch)
  }

  #sendBatch(batch: Waiting[]): void {
    if (batch.length === 0) return
    sendBatch(
      this.#client,
      batch.map(({ query }) => query as pg.QueryConfig),
    ).then(
      completed => {
        for (const [index, { resolve }] of batch.entries()) resolve(completed[index] as Completed)
      },
      error => {
        for (const { reject } of batch) reject(error)
      },
    )
  }
}
