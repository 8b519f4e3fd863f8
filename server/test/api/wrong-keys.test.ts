/** Protects against guessing: wrong keys from one address are refused before they cost a question to the database. */
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { newApiKey } from '../../src/kit/tokens.ts'
import { TestClient } from '../client.ts'
import { buildAccount } from '../factories.ts'
import { createDatabase, startApp, type TestApp, type TestDatabase } from '../harness.ts'

const LIMIT = 30
let database: TestDatabase
let app: TestApp
beforeAll(async () => {
  database = await createDatabase()
})
afterAll(() => database.drop())
beforeEach(async () => {
  app = await startApp(database, {
    TRIBUTARY_RATE_LIMIT_PER_MINUTE: String(LIMIT),
    TRIBUTARY_TRUST_PROXY: 'true',
  })
  return () => app.close()
})

/** Watches what the database is asked about keys. The app asks it other things too, whenever their time has come. */
function watchQuestions() {
  const spy = vi.spyOn(database.db.pool, 'query')
  onTestFinished(() => spy.mockRestore())
  const count = () =>
    spy.mock.calls.filter(([query]) => (query as { text?: string }).text?.includes('admit_requests')).length
  return { spy, count }
}

const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })
const guess = (address: string, key = newApiKey()) =>
  new TestClient(app.url, key).get('/campaigns', from(address))

describe('wrong keys', () => {
  it('are limited one after another, and the database is not asked any more', async () => {
    const asked = watchQuestions()
    for (let n = 0; n < LIMIT; n++) expect((await guess('192.0.2.1')).status).toBe(401)
    expect(asked.count()).toBe(LIMIT)
    const refused = await guess('192.0.2.1')
    expect([refused.status, refused.body.error.code]).toEqual([429, 'rate_limited'])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60)
    expect(refused.headers.get('ratelimit')).toMatch(/r=0;t=\d+$/)
    expect(asked.count()).toBe(LIMIT)
  })

  it('are limited in a burst as well, while the database has not answered yet', async () => {
    let open = () => {}
    const gate = new Promise<void>(resolve => {
      open = resolve
    })
    const query = database.db.pool.query.bind(database.db.pool) as (...given: unknown[]) => Promise<unknown>
    const asked = watchQuestions()
    asked.spy.mockImplementation((async (...given: unknown[]) => {
      await gate
      return query(...given)
    }) as never)
    let refused = 0
    const answers = Array.from({ length: LIMIT * 4 }, async () => {
      const { status } = await guess('192.0.2.2')
      if (status === 429) refused++
      return status
    })
    try {
      await expect.poll(() => refused + asked.count(), { timeout: 10_000 }).toBe(LIMIT * 4)
    } finally {
      open()
    }
    await Promise.all(answers)
    expect(asked.count()).toBeLessThanOrEqual(LIMIT)
  })

  it('of a wrong form count too, and never reach the database', async () => {
    const asked = watchQuestions()
    for (let n = 0; n < LIMIT; n++) expect((await guess('192.0.2.3', `trib_${n}`)).status).toBe(401)
    expect((await guess('192.0.2.3', 'trib_x')).status).toBe(429)
    expect(asked.count()).toBe(0)
  })

  it('do not concern other addresses', async () => {
    for (let n = 0; n <= LIMIT; n++) await guess('192.0.2.4')
    expect((await guess('192.0.2.4')).status).toBe(429)
    expect((await guess('192.0.2.5')).status).toBe(401)
  })

  it('leave a key alone that is in use from the same address', async () => {
    const { key } = await buildAccount(database)
    expect((await guess('192.0.2.6', key)).status).toBe(200)
    for (let n = 0; n <= LIMIT; n++) await guess('192.0.2.6')
    expect((await guess('192.0.2.6')).status).toBe(429)
    expect((await guess('192.0.2.6', key)).status).toBe(200)
  })

  it('tell of their limit on every 401', async () => {
    const { headers } = await guess('192.0.2.7')
    expect(headers.get('ratelimit-policy')).toMatch(new RegExp(`;q=${LIMIT};w=60$`))
    for (const name of ['ratelimit', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'])
      expect(headers.get(name)).toBeTruthy()
  })
})

it('a request without any credentials is told so, however often', async () => {
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
