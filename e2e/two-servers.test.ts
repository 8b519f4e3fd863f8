import { TributaryError } from '@tributary/sdk'
import { beforeAll, describe, expect, test } from 'vitest'
import { api, statusOf } from './support/api.ts'
import { isAlive, pidFile, postmasterPid } from './support/postgres-process.ts'
import { type Env, must } from './support/program.ts'
import { createProgramme, lastLine, type Programme } from './support/programme.ts'
import { type Service, serve } from './support/service.ts'
import { newDataDir } from './support/temporary.ts'

const LIMIT = 300

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

  test(`admit ${LIMIT} requests in a minute together, and not one more`, async () => {
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
  // Where the limit is high, a busy key is granted requests ahead; that is where a revoked one could live on.
  test('is dead on both servers within 1 s, under load', async () => {
    const services = await pair({ TRIBUTARY_RATE_LIMIT_PER_MINUTE: '10000000' })
    const key = await newKey()
    const answers: { status: number; sentAt: number }[] = []
    let running = true
    const clients = [...services, ...services].map(async ({ url }) => {
      for (let sent = 0; running && sent < 5_000; sent++) {
        const sentAt = Date.now()
        answers.push({ status: await statusOf(api(url, key).campaigns.list({ limit: 1 }).page()), sentAt })
      }
    })
    const id = await keyId(key)
    const said = await must(['key', 'revoke', '--account', String(programme.accountId), '--id', id], env)
    // The moment in the database, which has the same clock: the command itself ends a little later.
    const revokedAt = Date.parse(/revoked since (\S+)\.$/m.exec(said)?.[1] ?? '')
    const deadline = revokedAt + 1_000
    while (Date.now() < deadline + 300)
      await Promise.all(services.map(({ url }) => statusOf(api(url, key).payouts.list().page())))
    running = false
    await Promise.all(clients)

    const accepted = answers.filter(({ status }) => status === 200)
    const lastAccepted = Math.max(...accepted.map(({ sentAt }) => sentAt))
    console.info(`a revoked key was last accepted ${lastAccepted - revokedAt} ms after its revocation`)
    expect(accepted.length).toBeGreaterThan(20)
    expect(lastAccepted).toBeLessThan(deadline)
    const late = answers.filter(({ sentAt }) => sentAt >= deadline)
    expect(late.length).toBeGreaterThan(0)
    expect(new Set(late.map(({ status }) => status))).toEqual(new Set([401]))
    for (const service of services) expect(await service.stop()).toBe(0)
  })
})
