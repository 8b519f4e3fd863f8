import { createHmac } from 'node:crypto'
import type { EventKind, WebhookEndpointCreated } from '@tributary/contract'
import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, expect, vi } from 'vitest'
import type { Database } from '../../src/db/database.ts'
import { sql } from '../../src/db/sql.ts'
import { listDeliveries } from '../../src/webhooks/endpoints/delivery-log.store.ts'
import { sampleEvents } from '../../src/webhooks/endpoints/sample-events.ts'
import { DELIVERIES_CHANNEL, recordEvent } from '../../src/webhooks/outbox/record-event.ts'
import { buildAccount, buildAffiliate, unique } from '../factories.ts'
import { type Scene, useOwnScene } from '../harness.ts'
import { type Behaviour, PATIENCE_MS, type Received, Receiver } from './receiver.ts'
import { startWorker, type TestWorker, type WorkerSettings } from './worker.ts'

export type Endpoint = WebhookEndpointCreated & { path: string }

export interface DeliveryScene extends Scene {
  receiver: Receiver
  /** Subscribes a path of the receiver that behaves like this. */
  subscribe(behaviour?: Behaviour, events?: EventKind[]): Promise<Endpoint>
  /** Starts a worker that stops after the test. */
  work(settings?: WorkerSettings): TestWorker
  /** Approves a new affiliate through the API, the one cause of an event that there is so far. */
  approve(): Promise<{ affiliateId: number }>
}

/** An app, a database and a recording receiver; whatever a test subscribed or started is gone after it. */
export function useDeliveries(): DeliveryScene {
  const scene = useOwnScene() as DeliveryScene
  const workers: TestWorker[] = []
  beforeAll(async () => {
    scene.receiver = await Receiver.start()
  })
  scene.subscribe = async (behaviour, events = ['promoter.approved']) => {
    const path = `/${unique('hook')}`
    if (behaviour) scene.receiver.behave(path, behaviour)
    const { body } = await scene.api.post('/webhook_endpoints', { url: scene.receiver.url(path), events })
    return { ...body, path }
  }
  scene.work = settings => {
    const worker = startWorker(scene.database, settings)
    workers.push(worker)
    return worker
  }
  scene.approve = async () => {
    const { id } = await buildAffiliate(scene.database, scene.account.id, scene.place.campaign_id)
    const { status } = await scene.api.patch(`/affiliates/${id}`, { status: 'approved' })
    expect(status).toBe(200)
    return { affiliateId: id }
  }
  afterEach(async () => {
    // Ends hanging requests, so that no test waits for the ten-second timeout.
    scene.receiver.release()
    await Promise.all(workers.splice(0).map(worker => worker.stop()))
    await scene.database.owner.query(
      'TRUNCATE events, deliveries, delivery_attempts; DELETE FROM webhook_endpoints',
    )
  })
  afterAll(() => scene.receiver.close())
  return scene
}

/** Commits events of one account, all in one transaction, without going through HTTP. */
export const emit = (
  db: Database,
  accountId: number,
  count = 1,
  kind: EventKind = 'promoter.approved',
): Promise<void> =>
  db.transaction(async tx => {
    for (let index = 0; index < count; index++) recordEvent(tx, accountId, kind, sampleEvents[kind])
  })

/** Wakes the workers, which would otherwise find what has come due at their next poll. */
export const wakeWorkers = (db: Database) => db.many(sql`SELECT pg_notify(${DELIVERIES_CHANNEL}, '')`)

/** All deliveries of an account with their attempts, oldest first. */
export const deliveriesOf = async ({ database, account }: Scene, endpointId?: number) =>
  (await listDeliveries(database.db, account.id, { endpointId, limit: 100 })).reverse()

/** Waits until a condition holds. */
export const eventually = <T>(check: () => T | Promise<T>, timeout = PATIENCE_MS) =>
  vi.waitFor(check, { timeout, interval: 15 })

/** Another account with a key, for what must not cross over. */
export const buildStranger = (scene: Scene) => buildAccount(scene.database)

/** Verifies both signature schemes of a request: manually, and with the library that receivers may use. */
export function assertSigned({ headers, body }: Received, secret: string): { unixSeconds: number } {
  const [, t, v1] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['tributary-signature'])) ?? []
  expect(v1).toBe(createHmac('sha256', secret).update(`${t}.`).update(body).digest('hex'))
  const standard = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const
  const named = Object.fromEntries(standard.map(name => [name, String(headers[name])]))
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const signed = `${named['webhook-id']}.${named['webhook-timestamp']}.`
  expect(named['webhook-signature']).toBe(
    `v1,${createHmac('sha256', key).update(signed).update(body).digest('base64')}`,
  )
  // The library also refuses stale timestamps, so a test with a shifted clock verifies manually only.
  if (Math.abs(Number(t) - Date.now() / 1000) < 250)
    expect(new Webhook(secret).verify(body.toString(), named)).toEqual(JSON.parse(body.toString()))
  expect(named['webhook-timestamp']).toBe(t)
  return { unixSeconds: Number(t) }
}
