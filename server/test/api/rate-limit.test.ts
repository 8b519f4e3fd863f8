/** Protects the limit: in any 60 seconds a key gets exactly so many requests through, however many processes serve it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Answer, TestClient } from '../client.ts'
import { buildAccount } from '../factories.ts'
import { createDatabase, startApp, type TestApp, type TestDatabase } from '../harness.ts'

let database: TestDatabase
const apps = new Map<number, [TestApp, TestApp]>()

beforeAll(async () => {
  database = await createDatabase()
  for (const limit of [30, 300, 1_000_000]) {
    const env = { TRIBUTARY_RATE_LIMIT_PER_MINUTE: String(limit) }
    apps.set(limit, [await startApp(database, env), await startApp(database, env)])
  }
})
afterAll(async () => {
  for (const pair of apps.values()) for (const app of pair) await app.close()
  await database.drop()
})

/** A client for each of the two processes, with one new key. */
async function twoClients(limit: number) {
  const account = await buildAccount(database)
  const [first, second] = (apps.get(limit) as [TestApp, TestApp]).map(
    app => new TestClient(app.url, account.key),
  )
  return { account, first: first as TestClient, second: second as TestClient }
}
const ask = (client: TestClient) => client.get('/campaigns?limit=1')
const burst = (clients: TestClient[], count: number) =>
  Promise.all(Array.from({ length: count }, (_, index) => ask(clients[index % clients.length] as TestClient)))
const statuses = (answers: Answer[]) => answers.map(({ status }) => status)
const count = (answers: Answer[], wanted: number) =>
  statuses(answers).filter(status => status === wanted).length

function limitHeaders({ headers }: Answer) {
  const [, policy, allowed, window] =
    /^"(\w+)";q=(\d+);w=(\d+)$/.exec(headers.get('ratelimit-policy') ?? '') ?? []
  const [, samePolicy, remaining, seconds] =
    /^"(\w+)";r=(\d+);t=(\d+)$/.exec(headers.get('ratelimit') ?? '') ?? []
  expect(samePolicy).toBe(policy)
  expect(headers.get('x-ratelimit-limit')).toBe(allowed)
  expect(headers.get('x-ratelimit-remaining')).toBe(remaining)
  expect(headers.get('x-ratelimit-reset')).toBe(seconds)
  return {
    policy,
    allowed: Number(allowed),
    window: Number(window),
    remaining: Number(remaining),
    seconds: Number(seconds),
  }
}

it('requests are admitted one after another and counted down, then refused, and refusals do not count', async () => {
  const limit = 30
  const { account, first } = await twoClients(limit)
  for (let used = 1; used <= limit; used++) {
    const answer = await ask(first)
    expect(answer.status).toBe(200)
    expect(limitHeaders(answer)).toMatchObject({
      policy: 'requests',
      allowed: limit,
      window: 60,
      remaining: limit - used,
    })
  }
  const refused = await ask(first)
  expect([refused.status, refused.body.error.code]).toEqual([429, 'rate_limited'])
  const { remaining, seconds } = limitHeaders(refused)
  expect(remaining).toBe(0)
  expect(refused.headers.get('retry-after')).toBe(String(seconds))
  expect(seconds).toBeGreaterThan(0)
  expect(seconds).toBeLessThanOrEqual(60)
  await burst([first], 20)
  const { rows } = await database.owner.query(
    'SELECT sum(slots)::integer AS slots FROM api_key_admissions WHERE api_key_id = $1',
    [account.keyId],
  )
  expect(rows).toEqual([{ slots: limit }])
})

describe.each([30, 300])('a limit of %i', limit => {
  it('admits exactly so many of a burst, through one process and through two', async () => {
    for (const both of [false, true]) {
      const { first, second } = await twoClients(limit)
      const answers = await burst(both ? [first, second] : [first], limit + 25)
      expect([count(answers, 200), count(answers, 429)]).toEqual([limit, 25])
      const left = answers
        .filter(({ status }) => status === 200)
        .map(answer => limitHeaders(answer).remaining)
      expect(left.toSorted((a, b) => a - b)).toEqual(Array.from({ length: limit }, (_, index) => index))
    }
  })

  it('is a sliding log: as many come through as have left the window', async () => {
    const { account, first, second } = await twoClients(limit)
    // A full log, of which seven slots are 60 seconds old at this moment.
    await database.owner.query(
      `INSERT INTO api_key_admissions (account_id, api_key_id, slots, counts_until)
       VALUES ($1, $2, 7, now()), ($1, $2, $3, now() + interval '50.5 seconds')`,
      [account.id, account.keyId, limit - 7],
    )
    const answers = await burst([first, second], 20)
    expect([count(answers, 200), count(answers, 429)]).toEqual([7, 13])
    // Rounded up, by the clock of the database.
    const left = async () =>
      (
        await database.owner.query(
          `SELECT ceil(extract(epoch FROM max(counts_until) FILTER (WHERE slots = $2) - clock_timestamp()))::integer AS seconds
             FROM api_key_admissions WHERE api_key_id = $1`,
          [account.keyId, limit - 7],
        )
      ).rows[0].seconds as number
    const before = await left()
    const { seconds } = limitHeaders(await ask(second))
    expect(seconds).toBeLessThanOrEqual(before)
    expect(seconds).toBeGreaterThanOrEqual(await left())
  })
})

it('counts a request for 60 seconds from when it was made', async () => {
  const { account, first } = await twoClients(30)
  const { rows: before } = await database.owner.query('SELECT clock_timestamp()::text AS time')
  await ask(first)
  const { rows } = await database.owner.query(
    `SELECT slots, counts_until - interval '60 seconds' BETWEEN $2::timestamptz AND clock_timestamp() AS is_then
     FROM api_key_admissions WHERE api_key_id = $1`,
    [account.keyId, before[0].time],
  )
  expect(rows).toEqual([{ slots: 1, is_then: true }])
})

it('is per key: another key of another account is not touched', async () => {
  const [a, b] = [await twoClients(30), await twoClients(30)]
  await burst([a.first], 31)
  expect((await ask(a.second)).status).toBe(429)
  expect((await ask(b.first)).status).toBe(200)
})

it('counts requests that are refused for other reasons, since they were admitted', async () => {
  const { first } = await twoClients(30)
  const paths = ['/nothing', '/affiliates/0', '/affiliates?limit=0']
  for (let n = 0; n < 30; n++)
    expect((await first.get(paths[n % 3] as string)).status).toBeGreaterThanOrEqual(404)
  expect((await ask(first)).status).toBe(429)
})

describe('a limit of 1,000,000', () => {
  it('admits whatever comes and never counts less than what was admitted', async () => {
    const { account, first, second } = await twoClients(1_000_000)
    for (let round = 0; round < 6; round++) {
      const answers = await burst([first, second], 100)
      expect(count(answers, 200)).toBe(100)
      expect(answers.every(answer => limitHeaders(answer).remaining <= 1_000_000 - 1)).toBe(true)
    }
    const { rows } = await database.owner.query(
      'SELECT sum(slots)::integer AS slots, count(*)::integer AS grants FROM api_key_admissions WHERE api_key_id = $1',
      [account.keyId],
    )
    expect(rows[0].slots).toBeGreaterThanOrEqual(600)
    // Slots are granted ahead to a busy key, so there are fewer questions than requests; what expires unused is bounded.
    expect(rows[0].grants).toBeLessThan(600)
    expect(rows[0].slots).toBeLessThan(600 + 4 * (1_000_000 / 300))
  })

  it('is never exceeded either: with few slots left exactly those are given', async () => {
    const { account, first, second } = await twoClients(1_000_000)
    await database.owner.query(
      `INSERT INTO api_key_admissions (account_id, api_key_id, slots, counts_until)
       VALUES ($1, $2, 999950, now() + interval '50 seconds')`,
      [account.id, account.keyId],
    )
    const answers = await burst([first, second], 200)
    const { rows } = await database.owner.query(
      'SELECT sum(slots)::integer AS slots FROM api_key_admissions WHERE api_key_id = $1',
      [account.keyId],
    )
    expect(rows[0].slots).toBeLessThanOrEqual(1_000_000)
    expect(count(answers, 200)).toBeLessThanOrEqual(50)
    expect(count(answers, 200)).toBeGreaterThan(0)
    expect(count(answers, 200) + count(answers, 429)).toBe(200)
  })
})

describe.each([300, 1_000_000])('with a limit of %i a revoked key', limit => {
  it('is dead within a second on both processes, while it is in constant use', async () => {
    const { account, first, second } = await twoClients(limit)
    await burst([first, second], 40)
    const { revokeApiKey } = await import('../../src/programme/api-keys/api-key.store.ts')
    await revokeApiKey(database.db, account.id, account.keyId)
    const revokedAt = performance.now()
    let lastAdmitted = 0
    const dead = new Set<TestClient>()
    while (dead.size < 2 && performance.now() - revokedAt < 20_000)
      for (const client of [first, second]) {
        const sentAt = performance.now()
        const { status } = await ask(client)
        if (status === 401) dead.add(client)
        else lastAdmitted = sentAt - revokedAt
      }
    expect(dead.size).toBe(2)
    expect(lastAdmitted).toBeLessThan(1_000)
    expect(statuses(await burst([first, second], 10))).toEqual(Array(10).fill(401))
  })
})
