/** Protects against kill -9: whatever a worker had in its hands, every event arrives, signed and unaltered. */
import { expect, inject, it, onTestFinished } from 'vitest'
import { sized } from '../../../testing/size.ts'
import { sql } from '../../src/db/sql.ts'
import { LEASE_MS } from '../../src/webhooks/delivery/claim-deliveries.store.ts'
import { type Behaviour, behaviours, PATIENCE_MS } from './receiver.ts'
import { assertSigned, emit, eventually, useDeliveries } from './scene.ts'
import { databaseUrl, spawnWorker, type WorkerProcess } from './worker-process.ts'

const scene = useDeliveries()
/** Starting a process takes long, and each of these kills is certain to hit work in flight. */
const KILLS = sized(6, 20)
const ENDPOINTS = 4
const EVENTS_PER_KILL = 40
/** Of those, what must have arrived before a worker is killed: it is in the middle of the rest. */
const ARRIVED_PER_KILL = 10
/** How many start up while one works: starting takes longer than dying. */
const STARTING = 3

it(`loses nothing to ${KILLS} kills in the middle of the work`, { timeout: 180_000 }, async () => {
  const { owner, service } = inject('postgres')
  const { database } = scene.database.service as { database: string }
  const spawnOne = () =>
    spawnWorker(databaseUrl({ ...service, database }), databaseUrl({ ...owner, database }))
  // Every second request is answered at once, so the worker is given more; the others hang, so it dies with them in its hands.
  let asked = 0
  const everySecond: Behaviour = (response, request) =>
    asked++ % 2 === 0 ? behaviours.ok(response, request) : undefined
  const endpoints = await Promise.all(Array.from({ length: ENDPOINTS }, () => scene.subscribe(everySecond)))
  const { received } = scene.receiver
  const alive = Array.from({ length: Math.min(STARTING, KILLS) }, spawnOne)
  onTestFinished(async () => {
    for (const { child } of alive) child.kill('SIGKILL')
    await Promise.all(alive.map(({ gone }) => gone))
  })
  for (let kill = 0; kill < KILLS; kill++) {
    const worker = alive[0] as WorkerProcess
    await worker.running
    if (kill + STARTING < KILLS) alive.push(spawnOne())
    await emit(scene.database.db, scene.account.id, EVENTS_PER_KILL)
    await scene.receiver.arrived(received.length + ARRIVED_PER_KILL)
    worker.child.kill('SIGKILL')
    await worker.gone
    alive.shift()
    const [row] = await scene.database.db.many<{ count: number }>(
      sql`SELECT count(*)::integer AS count FROM deliveries WHERE status = 'pending' AND leased_until > now()`,
    )
    // A kill without work in flight would prove nothing.
    expect(row?.count).toBeGreaterThan(0)
  }
  for (const { path } of endpoints) scene.receiver.behave(path, behaviours.ok)

  // What the dead had claimed comes back after the lease; the clock of the last worker is past it already.
  scene.work({ clock: { offsetMs: LEASE_MS + 1000 } })
  await eventually(async () => {
    const rows = await scene.database.db.many(sql`SELECT DISTINCT status FROM deliveries`)
    expect(rows).toEqual([{ status: 'delivered' }])
  }, PATIENCE_MS)

  const events = await scene.database.db.many<{ id: number; body: string }>(sql`SELECT id, body FROM events`)
  expect(events).toHaveLength(KILLS * EVENTS_PER_KILL)
  const bodies = new Map(events.map(({ id, body }) => [String(id), body]))
  for (const { path, secret } of endpoints) {
    const here = scene.receiver.at(path)
    for (const one of here) {
      assertSigned(one, secret)
      expect(one.body.toString()).toBe(bodies.get(String(one.headers['tributary-event-id'])))
    }
    expect(new Set(here.map(({ headers }) => headers['tributary-event-id'])).size).toBe(events.length)
  }
  const again = received.length - events.length * ENDPOINTS
  console.info(`${KILLS} kills, ${events.length * ENDPOINTS} deliveries: ${again} made twice`)
})
