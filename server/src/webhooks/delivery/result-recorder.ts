import { setTimeout as sleep } from 'node:timers/promises'
import type { AttemptResult } from './delivery.ts'
import type { DeliveryWorkerOptions } from './delivery-worker-options.ts'
import { recordFree, recordResults } from './record-results.ts'

/** Results are recorded in batches; this delay costs less than a transaction for each. */
const RECORD_AFTER_MS = 5
const RETRY_AFTER_MS = 100

export interface RecorderEvents {
  /** A batch is about to be recorded. */
  batch(): void
  /** Results are recorded apart from the others, and may have to wait. */
  delayed(results: AttemptResult[]): void
  /** What was delayed is recorded, or has failed. */
  settled(results: AttemptResult[]): void
  /** Results are recorded, or have failed: they are sent again when their lease expires. */
  ended(results: AttemptResult[]): void
}

/** Results that are recorded one batch after the other. */
class ResultQueue {
  #results: AttemptResult[] = []
  #running: Promise<void> | undefined
  readonly #record: (batch: AttemptResult[]) => Promise<AttemptResult[]>

  /** `record` returns what has to be tried again. */
  constructor(record: (batch: AttemptResult[]) => Promise<AttemptResult[]>) {
    this.#record = record
  }

  get running(): Promise<void> | undefined {
    return this.#running
  }

  has(endpointId: number): boolean {
    return this.#results.some(({ delivery }) => delivery.endpoint_id === endpointId)
  }

  add(results: AttemptResult[]): void {
    if (results.length === 0) return
    this.#results.push(...results)
    this.#running ??= this.#run()
  }

  async #run(): Promise<void> {
    let waitMs = RECORD_AFTER_MS
    while (this.#results.length > 0) {
      await sleep(waitMs)
      const batch = [...this.#results]
      const again = await this.#record(batch)
      this.#results = [...again, ...this.#results.slice(batch.length)]
      waitMs = again.length > 0 ? RETRY_AFTER_MS : RECORD_AFTER_MS
    }
    this.#running = undefined
  }
}

/**
 * Records results in batches. Two kinds are recorded apart, so that they don't hold up the others: those of an endpoint of which another transaction
 * holds a lock, again and again until it is free, and those that may disable their endpoint and cancel a long queue.
 */
export class ResultRecorder {
  readonly #options: DeliveryWorkerOptions
  readonly #events: RecorderEvents
  readonly #finished = new ResultQueue(batch => this.#recordTogether(batch))
  readonly #held = new ResultQueue(batch => this.#recordApart(batch))
  readonly #disabling = new ResultQueue(batch => this.#recordDisabling(batch))

  constructor(options: DeliveryWorkerOptions, events: RecorderEvents) {
    this.#options = options
    this.#events = events
  }

  add(result: AttemptResult): void {
    this.#finished.add([result])
  }

  /** Resolves once everything is recorded. */
  async idle(): Promise<void> {
    const running = () => [this.#finished, this.#held, this.#disabling].map(each => each.running)
    while (running().some(each => each !== undefined)) await Promise.all(running())
  }

  #delay(results: AttemptResult[], queue: ResultQueue): void {
    this.#events.delayed(results)
    queue.add(results)
  }

  async #recordTogether(batch: AttemptResult[]): Promise<AttemptResult[]> {
    this.#events.batch()
    const isHeld = ({ delivery }: AttemptResult) => this.#held.has(delivery.endpoint_id)
    const apart = batch.filter(result => result.mayDisable || isHeld(result))
    const together = apart.length === 0 ? batch : batch.filter(result => !apart.includes(result))
    for (const result of apart) this.#delay([result], result.mayDisable ? this.#disabling : this.#held)
    if (together.length > 0) this.#delay(await this.#record(recordResults, together), this.#held)
    return []
  }

  async #recordApart(batch: AttemptResult[]): Promise<AttemptResult[]> {
    const held = await this.#record(recordFree, batch)
    this.#events.settled(batch.filter(result => !held.includes(result)))
    return held
  }

  /** One endpoint after the other: a long queue takes time to cancel, and a connection. */
  async #recordDisabling(batch: AttemptResult[]): Promise<AttemptResult[]> {
    const held: AttemptResult[] = []
    for (const id of new Set(batch.map(({ delivery }) => delivery.endpoint_id)))
      held.push(...(await this.#recordApart(batch.filter(({ delivery }) => delivery.endpoint_id === id))))
    return held
  }

  /** Returns what has to be tried again. */
  async #record(record: typeof recordResults, batch: AttemptResult[]): Promise<AttemptResult[]> {
    let held: AttemptResult[] = []
    try {
      held = await record(this.#options, batch)
    } catch (error) {
      // They are sent again when their lease expires: at least once, never lost.
      // Only the message is logged: PostgreSQL's error details quote the rejected row, which contains the response.
      const message = error instanceof Error ? error.message : String(error)
      const details = { error: message, deliveries: batch.length }
      this.#options.log.warn(details, 'failed to record delivery attempts')
    }
    this.#events.ended(batch.filter(result => !held.includes(result)))
    return held
  }
}
