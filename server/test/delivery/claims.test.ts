/** Protects PostgreSQL from a worker that is woken by every commit: a claim costs as much for one delivery as for a hundred. */
import { setImmediate as turn } from 'node:timers/promises'
import pino from 'pino'
import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { readSettings } from '../../src/config.ts'
import type { Database } from '../../src/db/database.ts'
import type { Sql } from '../../src/db/sql.ts'
import { SecretBox } from '../../src/kit/secret-box.ts'
import { createDeliveryMetrics } from '../../src/webhooks/delivery/delivery-metrics.ts'
import { DeliveryWorker } from '../../src/webhooks/delivery/delivery-worker.ts'
import { destinationPolicy } from '../../src/webhooks/delivery/destination.ts'
import { Sender } from '../../src/webhooks/delivery/send-attempt.ts'
import { TEST_SECRET_KEY, useOwnScene } from '../harness.ts'

const scene = useOwnScene()

it('however often it is woken, it claims every 10 ms at most', async () => {
  const { db } = scene.database
  let claims = 0
  const counting = {
    many: (statement: Sql) => {
      claims++
      return db.many(statement)
    },
  } as Database
  const sender = new Sender(destinationPolicy(readSettings({ NODE_ENV: 'test' })))
  const worker = new DeliveryWorker({
    db: counting,
    secrets: new SecretBox(TEST_SECRET_KEY),
    sender,
    clock: { offsetMs: 0 },
    log: pino({ level: 'silent' }),
    metrics: createDeliveryMetrics(new Registry(), db),
  })
  const started = performance.now()
  // Until it has claimed a few times, however long that takes here.
  while (performance.now() - started < 200 || claims <= 5) {
    worker.wake()
    await turn()
  }
  await worker.stop()
  await sender.close()
  // Timers leave out what is less than a millisecond.
  const most = (performance.now() - started) / 9 + 1
  expect(claims).toBeLessThanOrEqual(most)
  // It is woken at all.
  expect(claims).toBeGreaterThan(5)
})
