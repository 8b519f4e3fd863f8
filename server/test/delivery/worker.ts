import type pg from 'pg'
import pino from 'pino'
import { Registry } from 'prom-client'
import { readSettings } from '../../src/config.ts'
import { Database } from '../../src/db/database.ts'
import { Listener } from '../../src/db/listener.ts'
import type { Sql } from '../../src/db/sql.ts'
import { SecretBox } from '../../src/kit/secret-box.ts'
import {
  type Background,
  type BackgroundOptions,
  startBackground,
} from '../../src/runtime/background/background.ts'
import { createDeliveryMetrics } from '../../src/webhooks/delivery/delivery-metrics.ts'
import { DeliveryWorker } from '../../src/webhooks/delivery/delivery-worker.ts'
import { destinationPolicy } from '../../src/webhooks/delivery/destination.ts'
import { Sender } from '../../src/webhooks/delivery/send-attempt.ts'
import { DELIVERIES_CHANNEL } from '../../src/webhooks/outbox/record-event.ts'
import { TEST_SECRET_KEY, type TestDatabase } from '../harness.ts'

/** A clock that a test sets: `offsetMs` from the real time. */
export interface TestClock {
  offsetMs: number
}

export interface WorkerSettings {
  clock?: TestClock
  /** The environment that the worker reads its settings from. */
  env?: NodeJS.ProcessEnv
  /** Ends attempts sooner or later than the program does, where the test is not about that time. */
  timeoutMs?: number
  /** Another way to the database for the connection on which it listens. */
  listening?: pg.ClientConfig
  /** Runs between a statement and its rows. */
  beforeRows?: (statement: Sql, rows: unknown[]) => Promise<void> | undefined
  /** Runs once the worker has handled a notification. Only with `timeoutMs`. */
  onNotified?: (payload: string) => void
  /** Gets every log line, parsed. */
  onLog?: (line: Record<string, unknown>) => void
}

export interface TestWorker {
  /** Its own connections to the database, as another process would have. */
  database: Database
  registry: Registry
  stop(): Promise<void>
}

/** A connection on which answers take as long as a test wants. */
class DelayedDatabase extends Database {
  beforeRows: NonNullable<WorkerSettings['beforeRows']> = () => undefined

  override async many<Row>(statement: Sql): Promise<Row[]> {
    const rows = await super.many<Row>(statement)
    await this.beforeRows(statement, rows)
    return rows
  }
}

/** Runs the background work as `tributary worker` does, on separate connections. */
export function startWorker({ service }: TestDatabase, settings: WorkerSettings = {}): TestWorker {
  const { clock = { offsetMs: 0 }, env = {}, timeoutMs, listening = service, onLog } = settings
  const { beforeRows, onNotified = () => undefined } = settings
  const values = readSettings({ NODE_ENV: 'test', ...env })
  const log = onLog
    ? pino({ level: 'trace' }, { write: (line: string) => onLog(JSON.parse(line)) })
    : pino({ level: process.env.TEST_LOG_LEVEL ?? 'silent' })
  const database = new DelayedDatabase({ ...service, application_name: 'tributary worker' }, error =>
    log.warn({ err: error }, 'an idle database connection was lost'),
  )
  if (beforeRows) database.beforeRows = beforeRows
  const registry = new Registry()
  const secrets = new SecretBox(TEST_SECRET_KEY)
  const address = 'http://localhost:3000'
  const isWorker = true
  const options = { database, listening, secrets, settings: values, address, isWorker, log, registry, clock }
  const background =
    timeoutMs === undefined ? startBackground(options) : startWith({ ...options, onNotified }, timeoutMs)
  return {
    database,
    registry,
    async stop() {
      await background.stop()
      await database.close()
    },
  }
}

/** What `startBackground` does for deliveries, with another time for an attempt. */
function startWith(
  {
    database,
    listening,
    secrets,
    settings,
    log,
    registry,
    clock,
    onNotified,
  }: Required<BackgroundOptions> & { listening: pg.ClientConfig; onNotified: (payload: string) => void },
  timeoutMs: number,
): Background {
  const sender = new Sender(destinationPolicy(settings), timeoutMs)
  const metrics = createDeliveryMetrics(registry, database)
  const deliveries = new DeliveryWorker({ db: database, secrets, sender, clock, log, metrics })
  const onNotify = (payload: string) => {
    deliveries.notified(payload)
    onNotified(payload)
  }
  const listener = new Listener(listening, DELIVERIES_CHANNEL, onNotify, log)
  return {
    async stop() {
      await listener.stop()
      await deliveries.stop()
      await sender.close()
    },
  }
}
