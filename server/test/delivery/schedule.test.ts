/** Row 8: ten attempts on the documented schedule, then none; only 200 counts; `Retry-After` is honoured. */
import { expect, it, onTestFinished, vi } from 'vitest'
import { reportMeasurement } from '../../../testing/size.ts'
import { sql } from '../../src/db/sql.ts'
import { RETRY_DELAYS_MS } from '../../src/webhooks/delivery/retry-schedule.ts'
import { type Behaviour, behaviours } from './receiver.ts'
import { assertSigned, type Endpoint, emit, eventually, useDeliveries, wakeWorkers } from './scene.ts'

const scene = useDeliveries()

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
/** As decisions.md lists them; not read from the program, which might be wrong. */
const DELAYS = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, ...[2, 5, 10, 14, 20, 24].map(hours => hours * HOUR)]
interface Progress {
  endpoint_id: number
  status: string
  attempts: number
  /** From the end of the last attempt until the next is due: what was chosen, and the time that recording it took. */
  delay_ms: number
  /** From now until the next is due: what was chosen, less the time that has passed since it was recorded. */
  left_ms: number
  due_ms: number
}

/** Waits until every delivery has been attempted so often, and says when each is due again. */
const afterAttempt = (attempts: number, clock = { offsetMs: 0 }) =>
  eventually(async () => {
    const rows = await scene.database.db.many<Progress>(sql`
      SELECT d.endpoint_id, d.status, d.attempts,
             extract(epoch FROM d.due_at - a.started_at)::float8 * 1000 - a.duration_ms AS delay_ms,
             extract(epoch FROM d.due_at - clock_timestamp())::float8 * 1000 - ${clock.offsetMs}::float8 AS left_ms,
             extract(epoch FROM d.due_at)::float8 * 1000 AS due_ms
        FROM deliveries d LEFT JOIN delivery_attempts a ON a.delivery_id = d.id AND a.number = d.attempts
       ORDER BY d.endpoint_id, d.id`)
    expect(rows.map(row => row.attempts)).toEqual(rows.map(() => attempts))
    return rows
  })

/** Moves the clock to just after the last of them is due. */
async function jumpPast(rows: Progress[], clock: { offsetMs: number }): Promise<void> {
  clock.offsetMs = Math.max(...rows.map(({ due_ms }) => due_ms)) - Date.now() + 10
  await wakeWorkers(scene.database.db)
}

const subscribeAll = (...list: Behaviour[]) => Promise.all(list.map(behaviour => scene.subscribe(behaviour)))

it('attempts ten times at the promised distances, each with its own jitter, then gives up', async () => {
  expect(RETRY_DELAYS_MS).toEqual(DELAYS)
  const clock = { offsetMs: 0 }
  const endpoints = await subscribeAll(
    ...[500, 201, 204, 301, 302, 404, 429, 503].map(status => behaviours.status(status)),
  )
  scene.work({ clock })
  await emit(scene.database.db, scene.account.id)
  const jitters: number[] = []
  for (const [index, delay] of DELAYS.entries()) {
    const rows = await afterAttempt(index + 1, clock)
    for (const row of rows) {
      expect(row.status).toBe('pending')
      expect(row.delay_ms).toBeGreaterThanOrEqual(delay * 0.8)
      expect(row.left_ms).toBeLessThanOrEqual(delay * 1.2)
      if (delay > MINUTE) jitters.push(row.delay_ms / delay)
    }
    await jumpPast(rows, clock)
  }
  expect((await afterAttempt(10)).map(({ status }) => status)).toEqual(endpoints.map(() => 'failed'))

  const [least, most] = [Math.min(...jitters), Math.max(...jitters)]
  reportMeasurement({
    row: 8,
    what: `delays of ${jitters.length} retries beside the promised ones`,
    value: `${least.toFixed(2)} to ${most.toFixed(2)}`,
    bar: '0.8 to 1.2',
    holds: least >= 0.8 && most <= 1.21,
  })
  // 64 draws from ±20 %: that any of these fails by chance has a probability below one in a million.
  expect(least).toBeLessThan(0.9)
  expect(most).toBeGreaterThan(1.1)
  expect(new Set(jitters.map(jitter => jitter.toFixed(4))).size).toBeGreaterThan(40)

  // Nothing comes after the tenth, however much later.
  clock.offsetMs += 30 * 24 * HOUR
  const marker = await scene.subscribe()
  await emit(scene.database.db, scene.account.id)
  await scene.receiver.arrived(1, marker.path)
  for (const { path, secret } of endpoints) assertTenAttempts(path, secret)
})

function assertTenAttempts(path: string, secret: string): void {
  const [first] = scene.receiver.at(path)
  const received = scene.receiver
    .at(path)
    .filter(({ headers }) => headers['tributary-event-id'] === first?.headers['tributary-event-id'])
  expect(received.map(({ headers }) => Number(headers['tributary-attempt']))).toEqual([
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
  ])
  expect(new Set(received.map(({ body }) => body.toString('hex'))).size).toBe(1)
  const times = received.map(one => assertSigned(one, secret).unixSeconds)
  expect(times).toEqual([...new Set(times)].sort((a, b) => a - b))
}

it('goes on as planned where an attempt succeeds in between, and stops there', async () => {
  const clock = { offsetMs: 0 }
  const endpoint = await scene.subscribe(behaviours.status(500))
  scene.work({ clock })
  await emit(scene.database.db, scene.account.id)
  await jumpPast(await afterAttempt(1), clock)
  const rows = await afterAttempt(2)
  scene.receiver.behave(endpoint.path, behaviours.ok)
  await jumpPast(rows, clock)
  expect(await afterAttempt(3)).toMatchObject([{ status: 'delivered' }])
})

const inDate = (seconds: number) => new Date(Date.now() + seconds * SECOND).toUTCString()

it('honours Retry-After up to twice the delay, and never comes sooner for it', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const wishes: [wish: string, least: number, most: number][] = [
    // The first delay is 5 s, jittered 4 to 6 s; twice of it is 10 s.
    ['8', 8, 8],
    [inDate(9), 7, 9],
    ['1', 4, 6],
    ['0', 4, 6],
    ['86400', 10, 10],
    ['999999999', 10, 10],
    [inDate(86_400), 10, 10],
    [inDate(-60), 4, 6],
    ['soon', 4, 6],
    ['-5', 4, 6],
    ['1e3', 4, 6],
  ]
  // The clock is frozen, so that no time passes between sending a date and reading it.
  const endpoints: Endpoint[] = []
  for (const [wish] of wishes)
    endpoints.push(await scene.subscribe(behaviours.status(503, { 'retry-after': wish })))
  scene.work()
  await emit(scene.database.db, scene.account.id)
  const rows = await afterAttempt(1)
  for (const [index, [wish, least, most]] of wishes.entries()) {
    const row = rows.find(({ endpoint_id }) => endpoint_id === endpoints[index]?.id)
    expect(row?.delay_ms, `Retry-After: ${wish}`).toBeGreaterThanOrEqual(least * SECOND)
    expect(row?.left_ms, `Retry-After: ${wish}`).toBeLessThanOrEqual(most * SECOND)
  }
})

it('reads Retry-After on a later attempt against the delay of that attempt', async () => {
  const clock = { offsetMs: 0 }
  await scene.subscribe(behaviours.status(429, { 'retry-after': '86400' }))
  scene.work({ clock })
  await emit(scene.database.db, scene.account.id)
  await jumpPast(await afterAttempt(1), clock)
  const [row] = await afterAttempt(2, clock)
  expect(row?.delay_ms).toBeGreaterThanOrEqual(10 * MINUTE)
  expect(row?.left_ms).toBeLessThanOrEqual(10 * MINUTE)
})

it('makes no attempt before it is due', async () => {
  const clock = { offsetMs: 0 }
  const endpoint = await scene.subscribe(behaviours.status(500))
  const marker = await scene.subscribe(undefined, ['payout.paid'])
  scene.work({ clock })
  await emit(scene.database.db, scene.account.id)
  await jumpPast(await afterAttempt(1), clock)
  const [next] = await afterAttempt(2)
  // A minute before it is due: what else is due goes out, this does not.
  clock.offsetMs = (next?.due_ms as number) - Date.now() - MINUTE
  await emit(scene.database.db, scene.account.id, 1, 'payout.paid')
  await scene.receiver.arrived(1, marker.path)
  expect(scene.receiver.at(endpoint.path)).toHaveLength(2)
})
