/** Protects row 6: whatever a receiver does, an attempt ends in time, keeps 16 KiB at most, and is tried again. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { isFull, reportMeasurement, sized } from '../../../testing/size.ts'
import { sql } from '../../src/db/sql.ts'
import type { AttemptOutcome } from '../../src/webhooks/delivery/delivery.ts'
import { destinationPolicy } from '../../src/webhooks/delivery/destination.ts'
import { Sender } from '../../src/webhooks/delivery/send-attempt.ts'
import { type Behaviour, behaviours, GZIP_BOMB, Receiver } from './receiver.ts'
import { emit, eventually, useDeliveries } from './scene.ts'

const scene = useDeliveries()
const KEPT = 16 * 1024
const WHOLE_ATTEMPT_MS = 12_000
/** The real ten seconds pass in the full size alone; whether they are ten is seen by a clock that a test moves. */
const ATTEMPT_MS = sized(3_000, 10_000)
let trap: Receiver
/** Apart from the scene's, which hangs up on everybody after each test. */
let patient: Receiver
/** Attempts that last as long as they may. */
let fullLength: Promise<AttemptOutcome>[]
let cutOff: Promise<AttemptOutcome>[]
let unanswered: Promise<AttemptOutcome>
let silent: Server
let sender: Sender
/** Ends attempts sooner, where the receiver is what is tested and not the ten seconds. */
let hasty: Sender

beforeAll(async () => {
  trap = await Receiver.start()
  silent = createServer(() => undefined).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const policy = destinationPolicy({ NODE_ENV: 'test', TRIBUTARY_WEBHOOK_ALLOW_CIDRS: undefined })
  sender = new Sender(policy)
  hasty = isFull ? sender : new Sender(policy, ATTEMPT_MS)
  // Their time passes while the other tests run; the last ones look at what came of it.
  patient = await Receiver.start()
  patient.behave('/hang', behaviours.hang)
  patient.behave('/drip', behaviours.drip)
  patient.behave('/slow-headers', behaviours.slowHeaders)
  patient.behave('/reset', behaviours.resetMidway)
  patient.behave('/stall', response => response.writeHead(500).write('out of memory'))
  const { port } = silent.address() as AddressInfo
  const send = (url: string) => hasty.send(url, {}, '{}')
  fullLength = [
    ...['/hang', '/drip', '/slow-headers'].map(path => send(patient.url(path))),
    send(`https://127.0.0.1:${port}/`),
  ]
  cutOff = ['/reset', '/stall'].map(path => send(patient.url(path)))
  unanswered = send(`http://127.0.0.1:${port}/`)
})
afterAll(async () => {
  await Promise.all([trap.close(), patient.close(), sender.close(), hasty.close()])
  silent.close()
})

interface Row {
  endpoint_id: number
  number: number
  response_status: number | null
  response_body: Buffer | null
  error_stage: string | null
  error: string | null
  duration_ms: number
  status: string
  delay_ms: number
}

const attempts = () =>
  scene.database.db.many<Row>(sql`
    SELECT d.endpoint_id, a.number, a.response_status, a.response_body, a.error_stage, a.error, a.duration_ms, d.status,
           extract(epoch FROM d.due_at - a.started_at)::float8 * 1000 - a.duration_ms AS delay_ms
      FROM delivery_attempts a JOIN deliveries d ON d.account_id = a.account_id AND d.id = a.delivery_id`)

it('ends every attempt in time, records how far it came, and tries again on schedule', async () => {
  const metadata = 'http://169.254.169.254/latest/meta-data/'
  const cases: [name: string, behaviour: Behaviour, expected: object][] = [
    ['hang', behaviours.hang, { response_status: null, error_stage: 'response', response_body: null }],
    ['slow headers', behaviours.slowHeaders, { response_status: null, error_stage: 'response' }],
    ['drip', behaviours.drip, { response_status: 200, error_stage: 'body' }],
    ['500', behaviours.status(500), { response_status: 500, error_stage: 'status' }],
    ['201', behaviours.status(201), { response_status: 201, error_stage: 'status' }],
    ['204', behaviours.status(204), { response_status: 204, error_stage: 'status' }],
    ['302 to metadata', behaviours.redirect(metadata), { response_status: 302, error_stage: 'status' }],
    ['302 to a trap', behaviours.redirect(trap.url('/')), { response_status: 302, error_stage: 'status' }],
    ['308 to a trap', behaviours.status(308, { location: trap.url('/') }), { response_status: 308 }],
    ['reset', behaviours.resetMidway, { response_status: 200, error_stage: 'body' }],
    ['endless headers', behaviours.endlessHeaders, { response_status: null, error_stage: 'response' }],
    ['not HTTP', behaviours.notHttp, { response_status: null, error_stage: 'response' }],
  ]
  const endpoints = await Promise.all(cases.map(([, behaviour]) => scene.subscribe(behaviour)))
  scene.work({ timeoutMs: 5000 })
  await emit(scene.database.db, scene.account.id)
  const rows = await eventually(async () => {
    const first = (await attempts()).filter(({ number }) => number === 1)
    expect(first).toHaveLength(cases.length)
    return first
  })
  for (const [index, [name, , expected]] of cases.entries()) {
    const row = rows.find(({ endpoint_id }) => endpoint_id === endpoints[index]?.id)
    expect(row, name).toMatchObject({ error: expect.any(String), ...expected })
    // It ended, which is what counts; how soon after its two seconds depends on the machine.
    expect(row?.duration_ms, name).toBeLessThanOrEqual(sized(30_000, 3000))
    expect(row?.status, name).toBe('pending')
    expect(row?.delay_ms, name).toBeGreaterThanOrEqual(4000)
  }
  reportMeasurement({
    row: 6,
    what: 'redirects followed',
    value: trap.connections,
    bar: '0',
    holds: trap.connections === 0,
  })
  expect(trap.connections).toBe(0)
})

it('keeps exactly 16 KiB of more, all of less, and takes a long 200 for what it is', async () => {
  const sizes = [0, 1, KEPT - 1, KEPT, KEPT + 1, 10 * KEPT]
  const endpoints = await Promise.all(
    sizes.map(size => scene.subscribe(response => response.end(Buffer.alloc(size, 0xe9)))),
  )
  const endless = await scene.subscribe(behaviours.endlessBody)
  scene.work()
  await emit(scene.database.db, scene.account.id)
  const rows = await eventually(async () => {
    const all = await attempts()
    expect(all).toHaveLength(sizes.length + 1)
    return all
  })
  const kept = (id: number) => rows.find(({ endpoint_id }) => endpoint_id === id)?.response_body
  for (const [index, size] of sizes.entries())
    expect(kept(endpoints[index]?.id as number)).toEqual(Buffer.alloc(Math.min(size, KEPT), 0xe9))
  expect(kept(endless.id)).toEqual(Buffer.alloc(KEPT, 'a'))
  expect(rows.map(({ status }) => status)).toEqual(rows.map(() => 'delivered'))
  const most = Math.max(...rows.map(({ response_body }) => response_body?.length ?? 0))
  reportMeasurement({ row: 6, what: 'most bytes kept', value: most, bar: '16384', holds: most <= KEPT })
})

it('stores a gzip bomb as it came, and expands nothing', async () => {
  const endpoint = await scene.subscribe(behaviours.gzipBomb)
  scene.work()
  await emit(scene.database.db, scene.account.id)
  const [row] = await eventually(async () => {
    const rows = await attempts()
    expect(rows).toHaveLength(1)
    return rows
  })
  expect(GZIP_BOMB.length).toBeGreaterThan(KEPT)
  expect(row?.response_body).toEqual(GZIP_BOMB.subarray(0, KEPT))
  expect(scene.receiver.at(endpoint.path)[0]?.headers).not.toHaveProperty('accept-encoding')
})

it('hangs up on an endless body, and memory stays flat through many of them', async () => {
  const BODIES = sized(60, 600)
  const path = '/endless'
  let closed = 0
  scene.receiver.behave(path, (response, request) => {
    response.on('close', () => closed++)
    return behaviours.endlessBody(response, request)
  })
  const send = () => sender.send(scene.receiver.url(path), {}, '{}')
  await Promise.all(Array.from({ length: 10 }, send))
  const before = process.memoryUsage()
  for (let round = 0; round < BODIES / 10; round++) {
    const outcomes = await Promise.all(Array.from({ length: 10 }, send))
    for (const { response, failure } of outcomes) {
      expect(response).toHaveLength(KEPT)
      expect(failure).toBeUndefined()
    }
  }
  await eventually(() => expect(closed).toBe(BODIES + 10))
  const after = process.memoryUsage()
  const grownMiB = Math.round((after.rss - before.rss) / 1024 / 1024)
  reportMeasurement({
    row: 6,
    what: `memory grown through ${BODIES} endless bodies, in MiB`,
    value: grownMiB,
    bar: '< 100',
    holds: grownMiB < 100,
  })
  // Beside other tests of this process, which hold and free memory of theirs, the lengths above are what shows it.
  if (!isFull) return
  // The receiver lives in this process too; kept bodies alone would be tens of megabytes, streamed ones gigabytes.
  expect(grownMiB).toBeLessThan(100)
  expect(after.heapUsed - before.heapUsed).toBeLessThan(50 * 1024 * 1024)
})

it('keeps what came of an answer that was then cut off', async () => {
  const [reset, stall] = await Promise.all(cutOff)
  expect(stall).toMatchObject({ status: 500, failure: { stage: 'body' } })
  expect(reset).toMatchObject({ status: 200, failure: { stage: 'body' } })
  expect([reset?.response?.toString(), stall?.response?.toString()]).toEqual(['half of it', 'out of memory'])
})

it('reports the stage at which an attempt without a response failed', async () => {
  const unused = await Receiver.start()
  const refused = unused.url('/')
  await unused.close()
  const stages = Object.fromEntries(
    await Promise.all(
      Object.entries({
        'connection refused': refused,
        'no such name': 'http://no-such-name.invalid/',
        'TLS towards plain HTTP': scene.receiver.url('/').replace('http:', 'https:'),
      }).map(async ([name, url]) => [name, (await sender.send(url, {}, '{}')).failure?.stage]),
    ),
  )
  stages['TCP, then silence'] = (await unanswered).failure?.stage
  expect(stages).toEqual({
    'connection refused': 'connect',
    'no such name': 'dns',
    'TLS towards plain HTTP': 'tls',
    'TCP, then silence': 'response',
  })
})

it('gives a receiver ten seconds for the whole answer, exactly', async () => {
  const before = patient.received.length
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const ended: AttemptOutcome[] = []
    const attempts = ['/hang', '/drip', '/slow-headers'].map(path => sender.send(patient.url(path), {}, '{}'))
    for (const attempt of attempts) void attempt.then(outcome => ended.push(outcome))
    while (patient.received.length < before + attempts.length) await turn()
    vi.advanceTimersByTime(9_999)
    await turn()
    expect(ended).toEqual([])
    vi.advanceTimersByTime(1)
    for (const { failure } of await Promise.all(attempts))
      expect(failure?.message).toBe('no complete response within 10 s')
  } finally {
    vi.useRealTimers()
  }
})

it('says that it never connected where its own deadline comes before that of the connection', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const arrived = once(silent, 'connection')
    const { port } = silent.address() as AddressInfo
    const attempt = sender.send(`https://127.0.0.1:${port}/`, {}, '{}')
    await arrived
    vi.advanceTimersByTime(10_000)
    expect((await attempt).failure).toEqual({ stage: 'connect', message: 'no complete response within 10 s' })
  } finally {
    vi.useRealTimers()
  }
})

it('gives a receiver no more time however it fills it', async () => {
  const [hang, drip, slowHeaders, handshake] = await Promise.all(fullLength)
  expect(hang).toMatchObject({ status: undefined, failure: { stage: 'response' } })
  expect(drip).toMatchObject({ status: 200, failure: { stage: 'body' } })
  expect(slowHeaders).toMatchObject({ status: undefined, failure: { stage: 'response' } })
  // TCP and TLS stalls can't always be distinguished; that no request was sent can.
  expect(handshake?.failure?.stage).toMatch(/^(connect|tls)$/)
  const longestMs = Math.max(...[hang, drip, slowHeaders, handshake].map(one => one?.durationMs ?? Infinity))
  reportMeasurement({
    row: 6,
    what: 'longest attempt in ms',
    value: longestMs,
    bar: '≤ 12000',
    holds: longestMs <= WHOLE_ATTEMPT_MS,
  })
  for (const outcome of [hang, drip, slowHeaders])
    expect(outcome?.durationMs).toBeGreaterThanOrEqual(ATTEMPT_MS - 100)
  expect(longestMs).toBeLessThanOrEqual(sized(60_000, WHOLE_ATTEMPT_MS))
})
