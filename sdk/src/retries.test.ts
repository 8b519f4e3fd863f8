/** Protects callers on a bad network: temporary errors are retried, no write happens twice, and every call ends. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  answer,
  type Behaviour,
  type FaultyServer,
  half,
  halfWithoutLength,
  hang,
  html,
  refusal,
  reset,
  startFaultyServer,
} from '../test/faulty-server.ts'
import { Tributary, TributaryConnectionError, TributaryError, TributaryTimeoutError } from './index.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const ok = answer(200, { id: 1 })
const newAffiliate = { email: 'jane@example.com', campaign_id: 1 }
/** Longer than any attempt takes that is meant to succeed, however slow the machine. */
const TIMEOUT_MS = 120_000

let server: FaultyServer
let tributary: Tributary

beforeAll(async () => {
  server = await startFaultyServer()
  tributary = new Tributary({ apiKey: 'trib_test', baseUrl: server.url, timeoutMs: TIMEOUT_MS })
})
afterAll(() => server.close())
// The backoff is random up to its maximum; here it is 0, to keep the tests fast.
beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0))
afterEach(() => void vi.restoreAllMocks())

const failure = (call: Promise<unknown>): Promise<TributaryError> =>
  call.then(
    value => expect.unreachable(`It succeeded with ${JSON.stringify(value)}`),
    reason => reason,
  )
/** Ends the attempt in flight by its timeout as soon as the timeout is called, while all others have as long as they need. */
function controlTimeouts() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true })
  onTestFinished(() => void vi.useRealTimers())
  return () => void vi.advanceTimersByTime(TIMEOUT_MS)
}
const keys = () => server.received.map(({ headers }) => headers['idempotency-key'])

const passing: [string, Behaviour][] = [
  ['a connection that is reset', reset],
  ['half an answer', half],
  ['half an answer of unknown length', halfWithoutLength],
  ['429', refusal(429, 'rate_limited', { 'retry-after': '0' })],
  ['503', refusal(503, 'unavailable')],
  ['502 of a proxy, in HTML', html(502)],
  ['504 of a proxy, in HTML', html(504)],
  ['503 of a proxy, in HTML', html(503)],
]

describe('retries temporary errors', () => {
  it.each(passing)('%s', async (_, fault) => {
    server.willDo(fault, fault, fault, ok)
    expect(await tributary.affiliates.get(1)).toEqual({ id: 1 })
    expect(server.received).toHaveLength(4)
    expect(keys()).toEqual([undefined, undefined, undefined, undefined])
  })

  it.each(passing)('%s, on a write: the very same request with the same key', async (_, fault) => {
    server.willDo(fault, ok)
    await tributary.affiliates.create(newAffiliate)
    const [first, second, ...more] = server.received
    expect(more).toEqual([])
    expect(first?.headers['idempotency-key']).toMatch(UUID)
    expect(second?.headers['idempotency-key']).toBe(first?.headers['idempotency-key'])
    expect([second?.method, second?.path, second?.body]).toEqual([first?.method, first?.path, first?.body])
    expect(JSON.parse(first?.body ?? '')).toEqual(newAffiliate)
  })

  it('an attempt that hangs', async () => {
    const timeout = controlTimeouts()
    server.willDo(timeout, ok)
    await tributary.affiliates.update(1, { name: 'Jane' })
    await expect.poll(() => server.received.map(({ abandoned }) => abandoned)).toEqual([true, false])
    expect(new Set(keys()).size).toBe(1)
  })

  it('a response that begins and never ends', async () => {
    const timeout = controlTimeouts()
    let responses = 0
    const client = new Tributary({
      ...{ apiKey: 'trib_test', baseUrl: server.url, timeoutMs: TIMEOUT_MS },
      fetch: async (url, init) => {
        const response = await fetch(url, init)
        if (responses++ === 0) setImmediate(timeout)
        return response
      },
    })
    server.willDo(response => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.write('{"id":')
    }, ok)
    expect(await client.affiliates.get(1)).toEqual({ id: 1 })
  })

  it('a write that is still in progress after its response was lost', async () => {
    const underWay = refusal(409, 'conflict', { 'retry-after': '0' })
    const replayed = answer(201, { id: 7 }, { 'idempotent-replayed': 'true' })
    server.willDo(controlTimeouts(), underWay, underWay, replayed)
    const { data, status } = await tributary.affiliates.create(newAffiliate).withResponse()
    expect([data, status]).toEqual([{ id: 7 }, 201])
    expect(new Set(keys()).size).toBe(1)
  })

  it('up to maxRetries, then throws the last error', async () => {
    for (const maxRetries of [0, 1, 2]) {
      server.willDo(...Array<Behaviour>(9).fill(refusal(503, 'unavailable')))
      const error = await failure(tributary.sales.create({} as never, { maxRetries }))
      expect(error).toMatchObject({ code: 'unavailable', status: 503, requestId: 'req-1' })
      expect(error.idempotencyKey).toBe(keys()[0])
      expect(server.received).toHaveLength(maxRetries + 1)
    }
    const patient = new Tributary({ apiKey: 'trib_test', baseUrl: server.url, maxRetries: 5 })
    server.willDo(reset, reset, reset, reset, reset, ok)
    expect(await patient.payouts.get(1)).toEqual({ id: 1 })
  })

  it('two calls are two writes', async () => {
    server.willDo(ok, ok)
    await tributary.affiliates.create(newAffiliate)
    await tributary.affiliates.create(newAffiliate)
    expect(new Set(keys()).size).toBe(2)
  })

  it("with the caller's own key", async () => {
    server.willDo(reset, ok)
    await tributary.commissions.approve(1, { idempotencyKey: 'approve 1' })
    expect(keys()).toEqual(['approve 1', 'approve 1'])
  })
})

describe('throws permanent errors immediately', () => {
  it.each([
    [400, 'bad_request'],
    [401, 'unauthorized'],
    [404, 'not_found'],
    [409, 'conflict'],
    [409, 'invalid_state'],
    [422, 'validation_failed'],
    [500, 'internal_error'],
  ])('%i %s', async (status, code) => {
    server.willDo(refusal(status, code))
    const error = await failure(tributary.affiliates.update(1, {}))
    expect(error).toBeInstanceOf(TributaryError)
    expect(error).not.toBeInstanceOf(TributaryConnectionError)
    expect(error).toMatchObject({ code, status, message: `It is ${code}.`, requestId: 'req-1' })
    expect(server.received).toHaveLength(1)
  })

  it.each([
    [
      'an HTML page instead of a response',
      html(200),
      /returned 200, which is not a response from Tributary\. Check baseUrl/,
    ],
    ['an HTML page with status 404', html(404), /returned 404, which is not a response from Tributary/],
    ['JSON of something else', answer(418, { hello: 'world' }), /returned 418/],
    ['a number', answer(500, 7 as never), /returned 500/],
  ])('%s', async (_, behaviour, message) => {
    server.willDo(behaviour)
    const error = await failure(tributary.affiliates.get(1))
    expect(error).toMatchObject({ code: 'unexpected_response', message: expect.stringMatching(message) })
    expect(server.received).toHaveLength(1)
  })

  it('a redirect, which is not followed: the key is sent to no other host', async () => {
    server.willDo(html(301, { location: 'https://elsewhere.example/' }))
    const error = await failure(tributary.affiliates.create(newAffiliate))
    expect(error).toMatchObject({ code: 'unexpected_response', status: 301 })
    expect(error.message).toContain('https://elsewhere.example/')
    expect(server.received).toHaveLength(1)
  })

  it('a wait that is longer than a minute', async () => {
    server.willDo(refusal(429, 'rate_limited', { 'retry-after': '61' }))
    expect(await failure(tributary.campaigns.get(1))).toMatchObject({
      code: 'rate_limited',
      retryAfterSeconds: 61,
    })
    expect(server.received).toHaveLength(1)
  })
})

describe('no response', () => {
  it('is a connection error that names its cause', async () => {
    const gone = await startFaultyServer()
    await gone.close()
    const client = new Tributary({ apiKey: 'trib_test', baseUrl: gone.url, maxRetries: 1 })
    const error = await failure(client.affiliates.create(newAffiliate))
    expect(error).toBeInstanceOf(TributaryConnectionError)
    expect(error).toBeInstanceOf(TributaryError)
    expect(error).toMatchObject({ name: 'TributaryConnectionError', code: 'connection_failed' })
    expect([error.status, error.idempotencyKey]).toEqual([undefined, expect.stringMatching(UUID)])
    expect(error.message).toBe(
      `POST ${gone.url}/api/v1/affiliates failed: the connection was refused or lost.`,
    )
    expect(error.cause).toBeInstanceOf(Error)
  })

  it.each([
    ['with', half],
    ['without', halfWithoutLength],
  ])('is what half an answer %s a length amounts to', async (_, behaviour) => {
    server.willDo(behaviour)
    const error = await failure(tributary.affiliates.get(1, { maxRetries: 0 }))
    expect(error).toBeInstanceOf(TributaryConnectionError)
    expect([error.code, error.status]).toEqual(['connection_failed', undefined])
  })

  it('is a timeout once every attempt has timed out', async () => {
    server.willDo(hang, hang)
    const began = performance.now()
    const error = await failure(
      tributary.affiliates.list({ email: 'a@b.c' }, { timeoutMs: 150, maxRetries: 1 }).page(),
    )
    expect(performance.now() - began).toBeGreaterThan(290)
    expect(error).toBeInstanceOf(TributaryTimeoutError)
    expect(error).toBeInstanceOf(TributaryConnectionError)
    expect(error).toMatchObject({ name: 'TributaryTimeoutError', code: 'timed_out' })
    expect(error.message).toBe(`GET ${server.url}/api/v1/affiliates timed out after 150 ms.`)
  })
})

describe('deleting', () => {
  const gone = refusal(404, 'not_found')

  it.each(passing.filter(([name]) => name !== '429'))(
    'is done when %s hid that it was done',
    async (_, lost) => {
      server.willDo(lost, gone)
      expect(await tributary.webhookEndpoints.delete(1)).toBeUndefined()
      expect(server.received.map(({ method }) => method)).toEqual(['DELETE', 'DELETE'])
    },
  )

  it('fails with not_found if no attempt deleted it', async () => {
    server.willDo(gone)
    expect(await failure(tributary.webhookEndpoints.delete(1))).toMatchObject({ code: 'not_found' })
    // A rate-limited attempt had no effect.
    server.willDo(refusal(429, 'rate_limited', { 'retry-after': '0' }), gone)
    expect(await failure(tributary.webhookEndpoints.delete(1))).toMatchObject({ code: 'not_found' })
    // Nor does a proxy's error page prove anything.
    server.willDo(reset, html(404))
    expect(await failure(tributary.webhookEndpoints.delete(1))).toMatchObject({ code: 'unexpected_response' })
  })
})

describe("the caller's signal", () => {
  const reason = new Error('The visitor has left')

  it('aborted before: nothing is sent', async () => {
    server.willDo(ok)
    expect(await failure(tributary.affiliates.get(1, { signal: AbortSignal.abort(reason) }))).toBe(reason)
    expect(server.received).toEqual([])
  })

  it('aborted in flight: the request is aborted and not retried', async () => {
    const controller = new AbortController()
    server.willDo(() => controller.abort(reason), ok)
    expect(await failure(tributary.affiliates.get(1, { signal: controller.signal }))).toBe(reason)
    await expect.poll(() => server.received.map(({ abandoned }) => abandoned)).toEqual([true])
  })

  it('aborted during the backoff', async () => {
    const controller = new AbortController()
    const BACKOFF_MS = 30_000
    server.willDo(refusal(503, 'unavailable', { 'retry-after': '30' }), ok)
    const startTimer = globalThis.setTimeout
    let hasBegun = false
    // The backoff never ends, so that only the signal can end the call.
    vi.spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void, ms?: number) => {
      if (ms !== BACKOFF_MS) return startTimer(run, ms)
      hasBegun = true
      return startTimer(() => undefined)
    }) as typeof setTimeout)
    const failed = failure(tributary.affiliates.get(1, { signal: controller.signal }))
    await expect.poll(() => hasBegun).toBe(true)
    controller.abort(reason)
    expect(await failed).toBe(reason)
    expect(server.received).toHaveLength(1)
  })

  it('has no listeners left afterwards', async () => {
    const { signal } = new AbortController()
    const added = vi.spyOn(signal, 'addEventListener')
    const removed = vi.spyOn(signal, 'removeEventListener')
    server.willDo(reset, ok)
    await tributary.affiliates.get(1, { signal })
    expect(added).toHaveBeenCalledTimes(3)
    expect(removed).toHaveBeenCalledTimes(3)
  })
})
