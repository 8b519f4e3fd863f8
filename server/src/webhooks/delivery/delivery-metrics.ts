import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { Db } from '../../db/database.ts'
import { shared } from '../../kit/shared.ts'
import type { AttemptOutcome } from './delivery.ts'
import { queueState } from './delivery-queue.store.ts'

export interface DeliveryMetrics {
  attempt(outcome: AttemptOutcome): void
}

const UNKNOWN = { depth: Number.NaN, oldest_due_seconds: Number.NaN }

/** Queue depth, queue age and attempt outcomes. */
export function createDeliveryMetrics(registry: Registry, db: Db): DeliveryMetrics {
  const registers = [registry]
  const attempts = new Counter({
    name: 'tributary_delivery_attempts_total',
    help: 'Delivery attempts by outcome',
    labelNames: ['outcome'],
    registers,
  })
  const seconds = new Histogram({
    name: 'tributary_delivery_attempt_duration_seconds',
    help: 'Duration of a delivery attempt',
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  })
  // Without the database the queue is unknown; the other metrics must still be served.
  const readQueue = shared(() => queueState(db).catch(() => UNKNOWN))
  new Gauge({
    name: 'tributary_delivery_oldest_due_seconds',
    help: 'How long the most overdue delivery has been waiting',
    aggregator: 'max',
    registers,
    async collect() {
      this.set((await readQueue()).oldest_due_seconds)
    },
  })
  new Gauge({
    name: 'tributary_delivery_queue_depth',
    help: 'Pending deliveries',
    aggregator: 'max',
    registers,
    async collect() {
      this.set((await readQueue()).depth)
    },
  })
  return {
    attempt({ durationMs, failure }) {
      attempts.inc({ outcome: failure?.stage ?? 'delivered' })
      seconds.observe(durationMs / 1000)
    },
  }
}
