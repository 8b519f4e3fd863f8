import { TributaryError } from '@tributary/sdk'
import { beforeAll, describe, expect, test } from 'vitest'
import { sized, tell } from './chaos/size.ts'
import { api, statusOf } from './support/api.ts'
import { isAlive, pidFile, postmasterPid } from './support/postgres-process.ts'
import { type Env, must } from './support/program.ts'
import { createProgramme, lastLine, type Programme } from './support/programme.ts'
import { fillWindow, mostInAWindow, sendEvenly } from './support/request-log.ts'
import { type Service, serve } from './support/service.ts'
import { newDataDir } from './support/temporary.ts'

const LIMIT = 300
/** In the small size the minute before is made up, so that seconds show what minutes would. */
const PACED_SECONDS = sized(3, 180)
const REVOCATIONS = sized(1, 10)
const CLIENTS_PER_SERVER = sized(2, 8)
const MOST_REQUESTS = sized(5_000, 100_000)

let dataDir: string
let env: Env
let programme: Programme

beforeAll(async () => {
  dataDir = await newDataDir()
  env = { TRIBUTARY_DATA_DIR: dataDir }
  programme = await createProgramme(env)
})

const pair = (extra: Env = {}) => Promise.all([serve({ ...env, ...extra }), serve({ ...env, ...extra })])

async function newKey(): Promise<string> {
  return lastLine(await must(['key', 'create', '--account', String(programme.accountId), '--name', 'x'], env))
}

async function keyId(key: string): Promise<string> {
  const keys = JSON.parse(
    await must(['key', 'list', '--account', String(programme.accountId), '--json'], env),
  ) as { id: number; last_four: string }[]
  return String(keys.find(({ last_four }) => last_four === key.slice(-4))?.id)
}

describe('two servers on one data directory', () => {
  let services: Service[]

  test('share one PostgreSQL', async () => {
    services = await pair({ TRIBUTARY_RATE_LIMIT_PER_MINUTE: String(LIMIT) })
    const [one, other] = services as [Service, Service]
    expect(one.url).not.toBe(other.url)
    const made = await api(one.url, programme.key).affiliates.create({
      email: 'a@example.com',
      campaign_id: programme.campaignId,
    })
    expect(await api(other.url, programme.key).affiliates.get(made.id)).toEqual(made)
  })

  test(`the limit: ${LIMIT} requests in a minute are admitted together, and not one more`, async () => {
    const key = await newKey()
    const began = Date.now()
    let admitted = 0
    const refused: unknown[] = []
    const send = async (index: number) => {
      const { url } = services[index % 2] as Service
      await api(url, key)
        .campaigns.list({ limit: 1 })
        .page()
        .then(
          () => admitted++,
          error => refused.push(error),
        )
    }
    // Up to the limit ten at a time; what follows comes one by one, to either server.
    for (let sent = 0; sent < LIMIT; sent += 10)
      await Promise.all(Array.from({ length: 10 }, (_, index) => send(sent + index)))
    expect([admitted, refused]).toEqual([LIMIT, []])
    for (let extra = 0; extra < 6; extra++) await send(extra)
    // Later the first requests would have left the window, and this test would say nothing.
    expect(Date.now() - began).toBeLessThan(60_000)
    expect(admitted).toBe(LIMIT)
    expect(refused).toHaveLength(6)
    for (const error of refused) {
      expect(error).toBeInstanceOf(TributaryError)
      expect(error).toMatchObject({ status: 429, code: 'rate_limited' })
      expect((error as TributaryError).retryAfterSeconds).toBeGreaterThan(0)
    }
  })

  test('the limit lets 295 a minute through, and never more than 300 in any 60 s of 600', async () => {
    const urls = services.map(({ url }) => url)
    const keys = [await newKey(), await newKey()] as const
    const [steadyPast, eagerPast] = await fillWindow(dataDir, [
      { id: await keyId(keys[0]), perMinute: 295 },
      { id: await keyId(keys[1]), perMinute: LIMIT },
    ])
    const [steady, eager] = await Promise.all([
      sendEvenly(urls, keys[0], { perMinute: 295, seconds: PACED_SECONDS }),
      sendEvenly(urls, keys[1], { perMinute: 600, seconds: PACED_SECONDS }),
    ])
    const refused = steady.filter(({ status }) => status !== 200).length / steady.length
    const most = Math.max(
      mostInAWindow([...(steadyPast ?? []), ...steady]),
      mostInAWindow([...(eagerPast ?? []), ...eager]),
    )
    tell({
      row: 17,
      what: `most admitted in 60 s, of 600 a minute for ${PACED_SECONDS} s`,
      value: most,
      bar: '≤ 300',
      holds: most <= LIMIT,
    })
    tell({
      row: 17,
      what: `wrongly refused of ${steady.length} at 295 a minute`,
      value: `${(100 * refused).toFixed(2)} %`,
      bar: '≤ 1 %',
      holds: refused <= 0.01,
    })
    expect(most).toBeLessThanOrEqual(LIMIT)
    expect(refused).toBeLessThanOrEqual(0.01)
    // Both kinds of answer came, and no other.
    expect(new Set(eager.map(({ status }) => status))).toEqual(new Set([200, 429]))
  })

  test('one stops and the other goes on; the last one out stops PostgreSQL', async () => {
    const [one, other] = services as [Service, Service]
    const postgres = postmasterPid(dataDir) as number
    expect(await one.stop()).toBe(0)
    expect(isAlive(postgres)).toBe(true)
    expect(await statusOf(api(other.url, programme.key).campaigns.list().page())).toBe(200)
    expect(await other.stop()).toBe(0)
    expect(isAlive(postgres)).toBe(false)
    expect(pidFile(dataDir)).toBeUndefined()
  })
})

describe('a key that is revoked by the command', () => {
  /** Revokes a new key that is in use on all servers; how long after it each of them still said yes, in ms. */
  async function revokeUnderLoad(services: Service[]): Promise<number[]> {
    const key = await newKey()
    const answers: { status: number; sentAt: number; url: string }[] = []
    let running = true
    const clients = services.flatMap(({ url }) =>
      Array.from({ length: CLIENTS_PER_SERVER }, async () => {
        for (let sent = 0; running && sent < MOST_REQUESTS; sent++) {
          const sentAt = Date.now()
          const status = await statusOf(api(url, key).campaigns.list({ limit: 1 }).page())
          answers.push({ status, sentAt, url })
        }
      }),
    )
    const id = await keyId(key)
    const said = await must(['key', 'revoke', '--account', String(programme.accountId), '--id', id], env)
    // The moment in the database, which has the same clock: the command itself ends a little later.
    const revokedAt = Date.parse(/revoked since (\S+)\.$/m.exec(said)?.[1] ?? '')
    const deadline = revokedAt + 1_000
    while (Date.now() < deadline + 300)
      await Promise.all(services.map(({ url }) => statusOf(api(url, key).payouts.list().page())))
    running = false
    await Promise.all(clients)
    return services.map(({ url }) => {
      const here = answers.filter(answer => answer.url === url)
      const late = here.filter(({ sentAt }) => sentAt >= deadline)
      expect(late.length).toBeGreaterThan(0)
      expect(new Set(late.map(({ status }) => status))).toEqual(new Set([401]))
      const accepted = here.filter(({ status }) => status === 200)
      expect(accepted.length).toBeGreaterThan(10)
      return Math.max(...accepted.map(({ sentAt }) => sentAt)) - revokedAt
    })
  }

  // Where the limit is high, a busy key is granted requests ahead; that is where a revoked one could live on.
  test('is dead on both servers within 1 s, under load', async () => {
    const services = await pair({ TRIBUTARY_RATE_LIMIT_PER_MINUTE: '10000000' })
    const last: number[] = []
    for (let round = 0; round < REVOCATIONS; round++) last.push(...(await revokeUnderLoad(services)))
    const value = Math.max(...last)
    const what = `last success in ms after one of ${REVOCATIONS} revocations, on ${services.length} processes`
    tell({ row: 16, what, value, bar: '< 1000', holds: value < 1_000 })
    expect(value).toBeLessThan(1_000)
    for (const service of services) expect(await service.stop()).toBe(0)
  })
})
