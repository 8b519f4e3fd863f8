import type pg from 'pg'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import { baseUrl, type Settings } from '../../config.ts'
import type { Database } from '../../db/database.ts'
import { Listener } from '../../db/listener.ts'
import { type Clock, realClock } from '../../kit/clock.ts'
import type { SecretBox } from '../../kit/secret-box.ts'
import { OpenRails } from '../../money/payouts/open-rails.ts'
import { createDeliveryMetrics } from '../../webhooks/delivery/delivery-metrics.ts'
import { DeliveryWorker } from '../../webhooks/delivery/delivery-worker.ts'
import { destinationPolicy } from '../../webhooks/delivery/destination.ts'
import { Sender } from '../../webhooks/delivery/send-attempt.ts'
import { DELIVERIES_CHANNEL } from '../../webhooks/outbox/record-event.ts'
import { createBacklogMetrics } from './backlog-metrics.ts'
import { createRoutineMetrics } from './routine-metrics.ts'
import { routinesOf, startRoutines } from './routines.ts'

export interface BackgroundOptions {
  database: Database
  /** How to get a connection that can listen; without one, new work is found by polling alone. */
  listening: pg.ClientConfig | undefined
  secrets: SecretBox
  settings: Settings
  /** Where people reach the service: mails lead there. */
  address?: string
  log: Logger
  registry: Registry
  clock?: Clock
}

export interface Background {
  /** Resolves once the work in hand is done. */
  stop(): Promise<void>
}

/** Runs the work that no request waits for. Every process may run it: each piece is safe beside itself. */
export function startBackground(options: BackgroundOptions): Background {
  const { database, listening, secrets, settings, log, registry, clock = realClock } = options
  const sender = new Sender(destinationPolicy(settings))
  const metrics = createDeliveryMetrics(registry, database)
  const deliveries = new DeliveryWorker({ db: database, secrets, sender, clock, log, metrics })
  const listener = listening && new Listener(listening, DELIVERIES_CHANNEL, () => deliveries.wake(), log)

  const rails = new OpenRails({ db: database, secrets, settings })
  const duties = routinesOf(database, settings, rails, options.address ?? baseUrl(settings), log)
  const routineNames = duties.map(({ name }) => name)
  const routines = startRoutines(duties, log, createRoutineMetrics(registry, routineNames))
  createBacklogMetrics(registry, database)

  return {
    async stop() {
      // A call that is broken off counts as one of unknown outcome, and is asked about after the next start.
      await rails.close()
      await routines.stop()
      await listener?.stop()
      await deliveries.stop()
      await sender.close()
    },
  }
}
