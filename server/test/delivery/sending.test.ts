/** Protects the wire: what a healthy receiver gets, how soon, and that it can be sure who sent it. */
import { expect, it } from 'vitest'
import { sql } from '../../src/db/sql.ts'
import { behaviours } from './receiver.ts'
import { assertSigned, deliveriesOf, eventually, useDeliveries, wakeWorkers } from './scene.ts'

const scene = useDeliveries()
const LATENCY_SAMPLES = 20

it('arrives within 200 ms of the commit', async () => {
  const { path } = await scene.subscribe()
  scene.work()
  // The first one also pays for connecting; it is no sample.
  await scene.approve()
  await scene.receiver.arrived(1, path)
  const latencies: number[] = []
  for (let sample = 2; sample < LATENCY_SAMPLES + 2; sample++) {
    await scene.approve()
    const received = (await scene.receiver.arrived(sample, path)).at(-1)
    // From the moment in the envelope, which lies shortly before the commit: if anything, this is too strict.
    const { created_at } = JSON.parse(String(received?.body))
    latencies.push((received?.atMs as number) - Date.parse(created_at))
  }
  latencies.sort((a, b) => a - b)
  const median = latencies[LATENCY_SAMPLES / 2] as number
  console.info(`commit to receiver: median ${median} ms, worst ${latencies.at(-1)} ms of ${LATENCY_SAMPLES}`)
  // The bar itself holds for the median; a single one may meet a busy machine.
  expect(median).toBeLessThanOrEqual(200)
  expect(latencies.at(-1)).toBeLessThan(2000)
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
