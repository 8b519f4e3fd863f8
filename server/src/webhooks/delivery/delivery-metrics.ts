import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { Db } from '../../db/database.ts'
import { shared } from '../../kit/shared.ts'
import type { AttemptOutcome } from './delivery.ts'
import { queueState } from './delivery-queue.store.ts'

export interface DeliveryMetrics {
  attempt(outcome: AttemptOutcome): void
}

const UNKNOWN = { depth: Number.NaN, oldest_due_seconds: Number.NaN }

/** How deliveries are doing: what waits, for how long, and what came of the attempts. */
export function createDeliveryMetrics(registry: Registry, db: Db): DeliveryMetrics {
  const registers = [registry]
  const attempts = new Counter({
    name: 'tributary_delivery_attempts_total',
    help: 'Attempts to deliver an event, by what came of them',
    labelNames: ['outcome'],
    registers,
  })
  const seconds = new Histogram({
    name: 'tributary_delivery_attempt_duration_seconds',
    help: 'Time that an attempt took',
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  })
  // While the database is away the queue is unknown; the other figures are wanted all the more.
  const askQueue = shared(() => queueState(db).catch(() => UNKNOWN))
  new Gauge({
    name: 'tributary_delivery_oldest_due_seconds',
    help: 'How long the delivery that is most overdue has been waiting',
    aggregator: 'max',
    registers,
    async collect() {
      this.set((await askQueue()).oldest_due_seconds)
    },
  })
  new Gauge({
    name: 'tributary_delivery_queue_depth',
    help: 'Deliveries that are neither done nor given up',
    aggregator: 'max',
    registers,
    async collect() {
      this.set((await askQueue()).depth)
    },
  })
  return {
    attempt({ durationMs, failure }) {
      attempts.inc({ outcome: failure?.stage ?? 'delivered' })
      seconds.observe(durationMs / 1000)
    },
  }
}
