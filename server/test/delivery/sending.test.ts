/** Protects the wire: what a healthy receiver gets, that it isn't kept waiting, and that it can be sure who sent it. */
import { expect, it, onTestFinished, vi } from 'vitest'
import { sql } from '../../src/db/sql.ts'
import { behaviours } from './receiver.ts'
import { assertSigned, deliveriesOf, eventually, useDeliveries, wakeWorkers } from './scene.ts'

const scene = useDeliveries()
const EVENTS = 20

it('arrives because of its commit, without a poll', async () => {
  const { path } = await scene.subscribe()
  // No poll ever comes: what is found is found because of a notification.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  scene.work()
  for (let count = 1; count <= EVENTS; count++) {
    await scene.approve()
    await scene.receiver.arrived(count, path)
  }
})

it('carries the headers that are promised, and both signatures verify', async () => {
  const endpoint = await scene.subscribe()
  scene.work()
  await scene.approve()
  const [received] = await scene.receiver.arrived(1, endpoint.path)
  if (!received) throw new Error('nothing came')
  const { unixSeconds } = assertSigned(received, endpoint.secret)
  expect(Math.abs(unixSeconds - Date.now() / 1000)).toBeLessThan(10)
  const [event] = await scene.database.db.many<{ id: number; body: string }>(sql`SELECT id, body FROM events`)
  const [delivery] = await deliveriesOf(scene)
  expect(received.body.equals(Buffer.from(event?.body as string))).toBe(true)
  expect(received.headers).toMatchObject({
    'content-type': expect.stringMatching(/^application\/json/),
    'content-length': String(received.body.length),
    'tributary-event-id': String(event?.id),
    'tributary-delivery-id': String(delivery?.id),
    'tributary-attempt': '1',
  })
  expect(received.headers).not.toHaveProperty('tributary-test')
})

it('refuses nothing it should not: an altered byte or another secret fails both schemes', async () => {
  const [endpoint, other] = [await scene.subscribe(), await scene.subscribe()]
  scene.work()
  await scene.approve()
  const [received] = await scene.receiver.arrived(1, endpoint.path)
  if (!received) throw new Error('nothing came')
  assertSigned(received, endpoint.secret)
  expect(() => assertSigned(received, other.secret)).toThrow()
  const altered = Buffer.from(received.body)
  altered[altered.length - 2] = (altered[altered.length - 2] as number) ^ 1
  expect(() => assertSigned({ ...received, body: altered }, endpoint.secret)).toThrow()
})

it('sends the same id and bytes to every endpoint and on every attempt, with a fresh t', async () => {
  const ATTEMPTS = 4
  const clock = { offsetMs: 0 }
  const healthy = await Promise.all([scene.subscribe(), scene.subscribe()])
  const failing = await scene.subscribe(behaviours.status(500))
  scene.work({ clock })
  await scene.approve()
  // Recorded before the clock jumps past their lease, or they would be sent again, and rightly so.
  await eventually(async () => {
    const states = (await deliveriesOf(scene)).filter(({ status }) => status === 'delivered')
    expect(states).toHaveLength(healthy.length)
  })
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    await scene.receiver.arrived(attempt, failing.path)
    await eventually(async () => {
      const [delivery] = await deliveriesOf(scene, failing.id)
      expect(delivery?.attempts).toHaveLength(attempt)
    })
    clock.offsetMs += 3 * 3_600_000
    await wakeWorkers(scene.database.db)
  }
  const attempts = scene.receiver.at(failing.path).slice(0, ATTEMPTS)
  const others = healthy.flatMap(({ path }) => scene.receiver.at(path))
  expect(others).toHaveLength(2)
  expect(new Set([...attempts, ...others].map(({ body }) => body.toString('hex'))).size).toBe(1)
  for (const header of ['tributary-event-id', 'webhook-id'])
    expect(new Set([...attempts, ...others].map(({ headers }) => headers[header])).size).toBe(1)
  expect(attempts.map(({ headers }) => headers['tributary-attempt'])).toEqual(['1', '2', '3', '4'])
  expect(new Set(attempts.map(({ headers }) => headers['tributary-delivery-id'])).size).toBe(1)
  const times = attempts.map(received => assertSigned(received, failing.secret).unixSeconds)
  times.slice(1).forEach((time, index) => {
    expect(time - (times[index] as number)).toBeGreaterThanOrEqual(3 * 3600 - 1)
  })
})

it('keeps count in the metrics', async () => {
  await scene.subscribe()
  await scene.subscribe(behaviours.status(500))
  const { registry } = scene.work()
  await scene.approve()
  await eventually(async () => {
    const text = await registry.metrics()
    expect(text).toContain('tributary_delivery_attempts_total{outcome="delivered"} 1')
    expect(text).toContain('tributary_delivery_attempts_total{outcome="status"} 1')
    expect(text).toContain('tributary_delivery_queue_depth 1')
    expect(text).toContain('tributary_delivery_attempt_duration_seconds_count 2')
  })
})
