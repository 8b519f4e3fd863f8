import type { Worker } from 'node:cluster'
import { once } from 'node:events'
import { AggregatorRegistry } from 'prom-client'
import type { Figures } from './group-messages.ts'

/** A process that is too busy to answer is counted by what it told last. */
const TELL_WITHIN_MS = 1000

/** What only grows must not fall because a process has left: whoever gathers figures would take the rest for an increase. */
const outlast = (figures: Figures) =>
  figures.filter(({ type }) => ['counter', 'histogram'].includes(String(type)))

/** The figures of all processes of a group, as if they were one. */
export class GroupFigures {
  readonly #known = new Map<Worker, Figures>()
  #ofThoseWhoLeft: Figures = []

  heard(worker: Worker, figures: Figures): void {
    this.#known.set(worker, figures)
    worker.emit('figures')
  }

  async left(worker: Worker): Promise<void> {
    const last = this.#known.get(worker)
    this.#known.delete(worker)
    if (!last) return
    this.#ofThoseWhoLeft = await this.#sum([this.#ofThoseWhoLeft, outlast(last)]).getMetricsAsJSON()
  }

  /** Asks each process, by way of `ask`, and adds up. */
  async text(workers: Worker[], ask: (worker: Worker) => void): Promise<string> {
    await Promise.all(
      workers.map(async worker => {
        const told = once(worker, 'figures', { signal: AbortSignal.timeout(TELL_WITHIN_MS) })
        ask(worker)
        await told.catch(() => undefined)
      }),
    )
    return this.#sum([this.#ofThoseWhoLeft, ...this.#known.values()]).metrics()
  }

  #sum(all: Figures[]) {
    return AggregatorRegistry.aggregate(all)
  }
}
