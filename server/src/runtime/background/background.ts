import type pg from 'pg'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import { baseUrl, type Settings } from '../../config.ts'
import { inboxMetrics } from '../../connectors/inbox-metrics.ts'
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
  /** Connection settings for LISTEN; without it, new work is found by polling only. */
  listening: pg.ClientConfig | undefined
  secrets: SecretBox
  settings: Settings
  /** Public URL of the service, used for links in emails. */
  address?: string
  /** A worker leaves to `serve` what depends on settings that it may not have. */
  isWorker?: boolean
  log: Logger
  registry: Registry
  clock?: Clock
}

export interface Background {
  /** Resolves once the work in flight is done. */
  stop(): Promise<void>
}

/** Runs background work. Any number of processes may run it concurrently. */
export function startBackground(options: BackgroundOptions): Background {
  const { database, listening, secrets, settings, log, registry, clock = realClock } = options
  const sender = new Sender(destinationPolicy(settings))
  const metrics = createDeliveryMetrics(registry, database)
  const deliveries = new DeliveryWorker({ db: database, secrets, sender, clock, log, metrics })
  const listener =
    listening && new Listener(listening, DELIVERIES_CHANNEL, payload => deliveries.notified(payload), log)

  const rails = new OpenRails({ db: database, secrets, settings })
  const routineList = routinesOf(
    database,
    settings,
    secrets,
    rails,
    options.address ?? baseUrl(settings),
    log,
    inboxMetrics(registry),
  ).filter(({ byServe }) => !(byServe && options.isWorker))
  const routineNames = routineList.map(({ name }) => name)
  const routines = startRoutines(routineList, log, createRoutineMetrics(registry, routineNames))
  createBacklogMetrics(registry, database)

  return {
    async stop() {
      // All at once: nothing more is begun while the rest of the work ends. An aborted call of a rail counts as one with an unknown outcome;
      // the next start queries the rail for it.
      await Promise.all([rails.close(), routines.stop(), listener?.stop(), deliveries.stop()])
      await sender.close()
    },
  }
}
