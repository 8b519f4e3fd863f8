/** After an endpoint is deleted, nothing is delivered, nothing is left in the queue, and the secret is gone. */
import pino from 'pino'
import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import type { Tx } from '../../src/db/database.ts'
import { sql } from '../../src/db/sql.ts'
import type { AttemptResult } from '../../src/webhooks/delivery/delivery.ts'
import { createDeliveryMetrics } from '../../src/webhooks/delivery/delivery-metrics.ts'
import { recordFree, recordResults } from '../../src/webhooks/delivery/record-results.ts'
import { sampleEvents } from '../../src/webhooks/endpoints/sample-events.ts'
import { cancelDeliveries } from '../../src/webhooks/outbox/endpoint-locks.ts'
import { recordEvent } from '../../src/webhooks/outbox/record-event.ts'
import { TestClient } from '../client.ts'
import { lockWaiters, whileHeld } from '../interleave.ts'
import { behaviours } from './receiver.ts'
import { buildStranger, deliveriesOf, emit, eventually, useDeliveries, wakeWorkers } from './scene.ts'

const scene = useDeliveries()
const remove = (id: number) => scene.api.delete(`/webhook_endpoints/${id}`)

it('ends what is pending, wipes the secret and keeps the log', async () => {
  const endpoint = await scene.subscribe(behaviours.status(500))
  const marker = await scene.subscribe()
  const clock = { offsetMs: 0 }
  scene.work({ clock })
  await emit(scene.database.db, scene.account.id)
  await eventually(async () => expect((await deliveriesOf(scene, endpoint.id))[0]?.attempts).toHaveLength(1))
  expect((await remove(endpoint.id)).status).toBe(204)
  const [row] = await scene.database.db.many(
    sql`SELECT sealed_secret, deleted_at FROM webhook_endpoints WHERE id = ${endpoint.id}`,
  )
  expect(row).toEqual({ sealed_secret: null, deleted_at: expect.any(String) })
  clock.offsetMs = 10 * 24 * 3_600_000
  await wakeWorkers(scene.database.db)
  await emit(scene.database.db, scene.account.id)
  await scene.receiver.arrived(2, marker.path)
  expect(await deliveriesOf(scene, endpoint.id)).toMatchObject([
    { status: 'canceled', attempts: [{ number: 1 }] },
  ])
  expect(scene.receiver.at(endpoint.path)).toHaveLength(1)
})

it.each([
  ['fails', behaviours.status(500)],
  ['succeeds', behaviours.ok],
])('is not revived by an attempt under way that %s', async (_name, behaviour) => {
  let answer = () => {}
  const endpoint = await scene.subscribe((response, request) => {
    answer = () => behaviour(response, request)
  })
  scene.work()
  await emit(scene.database.db, scene.account.id)
  await scene.receiver.arrived(1, endpoint.path)
  await remove(endpoint.id)
  answer()
  await eventually(async () =>
    expect(await deliveriesOf(scene, endpoint.id)).toMatchObject([
      { status: 'canceled', attempts: [{ number: 1 }] },
    ]),
  )
  const [row] = await scene.database.db.many(sql`
    SELECT deleted_at IS NOT NULL AS deleted, sealed_secret FROM webhook_endpoints WHERE id = ${endpoint.id}`)
  expect(row).toEqual({ deleted: true, sealed_secret: null })
})

it('leaves nothing pending when an event is committed at the same moment', async () => {
  const endpoint = await scene.subscribe()
  const marker = await scene.subscribe()
  scene.work()
  await whileHeld(
    scene.database,
    async tx => {
      // Inserted now instead of right before the commit, so that the deletion comes in between.
      const atOnce = { atEnd: (write, items) => write(tx, items) } as Tx
      recordEvent(atOnce, scene.account.id, 'promoter.approved', sampleEvents['promoter.approved'])
      await tx.many(sql`SELECT`)
    },
    () => remove(endpoint.id),
  )
  const statuses = async () => (await deliveriesOf(scene, endpoint.id)).map(({ status }) => status)
  // At once: a sweep cancels what was missed.
  expect(await statuses()).not.toContain('pending')
  await scene.receiver.arrived(1, marker.path)
  expect(await statuses()).not.toContain('pending')
})

/** Results of a delivery, recorded while the deletion of its endpoint is between its two locks. */
it.each([
  ['a first failure', 500, false],
  ['another failure', 500, true],
  ['a success after failures', 200, true],
  ['a response that the endpoint is gone', 410, false],
])('does not deadlock with recording %s', async (_name, status, wasFailing) => {
  const endpoint = await scene.subscribe()
  await emit(scene.database.db, scene.account.id)
  const [delivery] = await deliveriesOf(scene, endpoint.id)
  if (!delivery) throw new Error('no delivery was queued')
  await scene.database.owner.query(
    `UPDATE webhook_endpoints SET failing_since = ${wasFailing ? "now() - interval '1 hour'" : 'NULL'}
      WHERE id = ${endpoint.id}`,
  )
  const failure = status === 200 ? undefined : { stage: 'status' as const, message: `HTTP ${status}` }
  const result: AttemptResult = {
    delivery: {
      account_id: scene.account.id,
      endpoint_id: endpoint.id,
      id: delivery.id,
      event_id: delivery.event_id,
      event_kind: delivery.event_kind,
      is_test: false,
      body: '',
      attempts: 0,
      leased_until: null,
      url: endpoint.url,
      sealed_secret: Buffer.alloc(0),
      is_failing: wasFailing,
    },
    outcome: { durationMs: 1, status, response: Buffer.alloc(0), failure, retryAfter: undefined },
    startedAtMs: Date.now(),
    mayDisable: status === 410,
    next: failure ? { status: 'pending', delayMs: 5000 } : { status: 'delivered' },
  }
  const { db } = scene.database
  const retries = db.retries
  const recorder = {
    db,
    clock: { offsetMs: 0 },
    log: pino({ level: 'silent' }),
    metrics: createDeliveryMetrics(new Registry(), db),
  }
  let recording: Promise<AttemptResult[]> | undefined
  await db.transaction(async tx => {
    const key = { account_id: scene.account.id, endpoint_id: endpoint.id }
    await cancelDeliveries(tx, [key], async () => {
      let isDone = false
      recording = recordResults(recorder, [result]).finally(() => {
        isDone = true
      })
      while (!isDone && (await lockWaiters(scene.database.owner)).length === 0);
      return [key]
    })
  })
  // If the deletion took longer than recording waits for it, it is tried again.
  let left = (await recording) ?? []
  while (left.length > 0) left = await recordFree(recorder, left)
  expect(db.retries - retries).toBe(0)
  expect(await deliveriesOf(scene, endpoint.id)).toMatchObject([
    { status: 'canceled', attempts: [{ number: 1 }] },
  ])
})

it('is only for the account that owns it', async () => {
  const endpoint = await scene.subscribe()
  await emit(scene.database.db, scene.account.id)
  const stranger = new TestClient(scene.app.url, (await buildStranger(scene)).key)
  expect((await stranger.delete(`/webhook_endpoints/${endpoint.id}`)).status).toBe(404)
  expect(await deliveriesOf(scene, endpoint.id)).toMatchObject([{ status: 'pending' }])
})
