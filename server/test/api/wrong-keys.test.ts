/**
 * Protects callers from others' failures: a right key works however many wrong ones came from its address, and wrong ones cost the
 * database one statement at a time.
 */
import { setImmediate as turn } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { Admissions } from '../../src/http/authenticate/admissions.ts'
import { newApiKey } from '../../src/kit/tokens.ts'
import { TestClient } from '../client.ts'
import { buildAccount } from '../factories.ts'
import { createDatabase, startApp, type TestApp, type TestDatabase } from '../harness.ts'

const LIMIT = 30
const SETTINGS = { TRIBUTARY_RATE_LIMIT_PER_MINUTE: String(LIMIT), TRIBUTARY_TRUST_PROXY: 'true' }
let database: TestDatabase
let app: TestApp
beforeAll(async () => {
  database = await createDatabase()
})
afterAll(() => database.drop())
beforeEach(async () => {
  app = await startApp(database, SETTINGS)
  return () => app.close()
})

/** Watches the statements about keys. The app runs others too, whenever their time has come. */
function watchStatements() {
  const spy = vi.spyOn(database.db.pool, 'query')
  onTestFinished(() => spy.mockRestore())
  const count = () =>
    spy.mock.calls.filter(([query]) =>
      /admit_requests|api_keys/.test((query as { text?: string }).text ?? ''),
    ).length
  return { spy, count }
}

const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })
const guess = (address: string, key = newApiKey()) =>
  new TestClient(app.url, key).get('/campaigns', from(address))

/** How many wrong keys are still allowed. */
const leftOf = (headers: Headers) =>
  Number(/^"wrong-keys";r=(\d+);t=\d+$/.exec(headers.get('ratelimit') ?? '')?.[1])

describe('wrong keys', () => {
  it('are limited, one after another', async () => {
    for (let n = 1; n <= LIMIT; n++) {
      const { status, headers } = await guess('192.0.2.1')
      expect([status, leftOf(headers)]).toEqual([401, LIMIT - n])
    }
    const refused = await guess('192.0.2.1')
    expect([refused.status, refused.body.error.code]).toEqual([429, 'rate_limited'])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60)
    expect(leftOf(refused.headers)).toBe(0)
    expect(refused.headers.get('ratelimit-policy')).toBe(`"wrong-keys";q=${LIMIT};w=60`)
  })

  it('cost two statements at a time in a burst, one of them for addresses over their limit', async () => {
    let open = () => {}
    const gate = new Promise<void>(resolve => {
      open = resolve
    })
    const query = database.db.pool.query.bind(database.db.pool) as (...given: unknown[]) => Promise<unknown>
    const asked = watchStatements()
    asked.spy.mockImplementation((async (...given: unknown[]) => {
      await gate
      return query(...given)
    }) as never)
    const lookups = vi.spyOn(Admissions.prototype, 'isLive')
    onTestFinished(() => lookups.mockRestore())
    const answers = Array.from({ length: LIMIT * 4 }, async () => (await guess('192.0.2.2')).status)
    try {
      // Each request has come to where its key is looked up; a turn later its statement would have been sent.
      await expect.poll(() => lookups.mock.calls.length).toBe(LIMIT * 4)
      await turn()
      expect(asked.count()).toBe(2)
    } finally {
      open()
    }
    const statuses = (await Promise.all(answers)).toSorted()
    expect(statuses).toEqual([...Array(LIMIT).fill(401), ...Array(LIMIT * 3).fill(429)])
    expect(asked.count()).toBeLessThanOrEqual(20)
  })

  it('with a wrong checksum or form count too, and never reach the database', async () => {
    const asked = watchStatements()
    const mistyped = newApiKey().replace(/.$/, last => (last === 'x' ? 'y' : 'x'))
    for (let n = 0; n < LIMIT; n++)
      expect((await guess('192.0.2.3', n % 2 ? mistyped : `trib_${n}`)).status).toBe(401)
    expect((await guess('192.0.2.3', mistyped)).status).toBe(429)
    expect(asked.count()).toBe(0)
  })

  it('do not concern other addresses', async () => {
    for (let n = 0; n <= LIMIT; n++) await guess('192.0.2.4')
    expect((await guess('192.0.2.4')).status).toBe(429)
    expect((await guess('192.0.2.5')).status).toBe(401)
  })

  it('of one network are counted together, also for a request without a key', async () => {
    expect(leftOf((await guess('2001:db8:1:2::1')).headers)).toBe(LIMIT - 1)
    expect(leftOf((await guess('2001:db8:1:2:ffff::2')).headers)).toBe(LIMIT - 2)
    const { headers } = await new TestClient(app.url).get('/campaigns', from('2001:db8:1:2::3'))
    expect(leftOf(headers)).toBe(LIMIT - 2)
    expect(leftOf((await guess('2001:db8:1:3::1')).headers)).toBe(LIMIT - 1)
  })

  it('are only those that are wrong: neither a right one that is new here, nor one that could not be looked up', async () => {
    for (let n = 0; n < 3; n++) {
      const { key } = await buildAccount(database)
      expect((await guess('192.0.2.12', key)).status).toBe(200)
    }
    const { spy } = watchStatements()
    spy.mockRejectedValue(new Error('Connection terminated unexpectedly') as never)
    expect((await guess('192.0.2.12')).status).toBe(503)
    spy.mockRestore()
    expect(leftOf((await guess('192.0.2.12')).headers)).toBe(LIMIT - 1)
  })

  it('leave a key alone that is in use from the same address', async () => {
    const { key } = await buildAccount(database)
    expect((await guess('192.0.2.6', key)).status).toBe(200)
    for (let n = 0; n <= LIMIT; n++) await guess('192.0.2.6')
    expect((await guess('192.0.2.6')).status).toBe(429)
    expect((await guess('192.0.2.6', key)).status).toBe(200)
  })

  it('leave a key alone that has never been seen here, from the same address', async () => {
    for (let n = 0; n <= LIMIT; n++) await guess('192.0.2.9')
    expect((await guess('192.0.2.9')).status).toBe(429)
    const { key } = await buildAccount(database)
    const mine = await guess('192.0.2.9', key)
    expect([mine.status, mine.headers.get('ratelimit-policy')]).toEqual([200, `"requests";q=${LIMIT};w=60`])
    expect((await guess('192.0.2.9')).status).toBe(429)
  })

  it('leave a key alone after a restart, while they go on', async () => {
    const { key } = await buildAccount(database)
    let isOver = false
    const flood = Array.from({ length: 20 }, async () => {
      while (!isOver) await guess('192.0.2.10').catch(() => undefined)
    })
    try {
      for (let restart = 0; restart < 2; restart++) {
        await app.close()
        app = await startApp(database, SETTINGS)
        await expect.poll(async () => (await guess('192.0.2.10')).status).toBe(429)
        const answers = await Promise.all(Array.from({ length: 5 }, () => guess('192.0.2.10', key)))
        expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(200))
      }
    } finally {
      isOver = true
      await Promise.all(flood)
    }
  })

  it('include revoked keys', async () => {
    const { key, id } = await buildAccount(database)
    await database.owner.query('UPDATE api_keys SET revoked_at = now() WHERE account_id = $1', [id])
    for (let n = 0; n < LIMIT; n++) expect((await guess('192.0.2.11', key)).status).toBe(401)
    expect((await guess('192.0.2.11', key)).status).toBe(429)
  })

  it('get rate limit headers on every 401', async () => {
    const { headers } = await guess('192.0.2.7')
    expect(headers.get('ratelimit-policy')).toMatch(new RegExp(`;q=${LIMIT};w=60$`))
    for (const name of ['ratelimit', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'])
      expect(headers.get(name)).toBeTruthy()
  })
})

it('a request without any credentials always gets a 401', async () => {
  for (let n = 0; n <= LIMIT + 5; n++) {
    const { status, headers } = await new TestClient(app.url).get('/campaigns', from('192.0.2.8'))
    expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer, Basic'])
  }
})

it('without a trusted proxy the caller cannot choose its address', async () => {
  const direct = await startApp(database, { TRIBUTARY_RATE_LIMIT_PER_MINUTE: '5' })
  try {
    const tries = []
    for (let n = 0; n < 7; n++)
      tries.push(
        (await new TestClient(direct.url, newApiKey()).get('/campaigns', from(`192.0.2.${n}`))).status,
      )
    expect(tries).toEqual([401, 401, 401, 401, 401, 429, 429])
  } finally {
    await direct.close()
  }
})
