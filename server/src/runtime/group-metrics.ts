import type { Worker } from 'node:cluster'
import { once } from 'node:events'
import { AggregatorRegistry } from 'prom-client'
import type { ProcessMetrics } from './group-messages.ts'

/** A process too busy to respond in time counts with the metrics that it sent last. */
const RESPOND_WITHIN_MS = 1000

/** Counters must not drop when a process exits: Prometheus would take the drop for a reset and count the remainder as an increase. */
const cumulative = (metrics: ProcessMetrics) =>
  metrics.filter(({ type }) => ['counter', 'histogram'].includes(String(type)))

/** The metrics of all processes of a group, aggregated as if they were one. */
export class GroupMetrics {
  readonly #latest = new Map<Worker, ProcessMetrics>()
  #ofExited: ProcessMetrics = []

  receive(worker: Worker, metrics: ProcessMetrics): void {
    this.#latest.set(worker, metrics)
    worker.emit('metrics')
  }

  async exited(worker: Worker): Promise<void> {
    const last = this.#latest.get(worker)
    this.#latest.delete(worker)
    if (!last) return
    this.#ofExited = await this.#sum([this.#ofExited, cumulative(last)]).getMetricsAsJSON()
  }

  /** Requests the metrics of each process through `request`, and sums them. */
  async text(workers: Worker[], request: (worker: Worker) => void): Promise<string> {
    await Promise.all(
      workers.map(async worker => {
        const received = once(worker, 'metrics', { signal: AbortSignal.timeout(RESPOND_WITHIN_MS) })
        request(worker)
        await received.catch(() => undefined)
      }),
    )
    return this.#sum([this.#ofExited, ...this.#latest.values()]).metrics()
  }

  #sum(all: ProcessMetrics[]) {
    return AggregatorRegistry.aggregate(all)
  }
}
