import { beforeAll, describe, expect, test } from 'vitest'
import { api, statusOf } from './support/api.ts'
import { isAlive, pidFile, postmasterPid } from './support/postgres-process.ts'
import type { Env } from './support/program.ts'
import { createProgramme, type Programme } from './support/programme.ts'
import { type Service, serve } from './support/service.ts'
import { askInTurn, newKey, revokeUnderLoad } from './support/shared-keys.ts'
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
    const key = await newKey(programme.accountId, env)
    const began = Date.now()
    const answers = await askInTurn(services, key, LIMIT, 6)
    // Later the first requests would have left the window, and this test would say nothing.
    expect(Date.now() - began).toBeLessThan(60_000)
    const [admitted, refused] = [answers.slice(0, LIMIT), answers.slice(LIMIT)]
    expect(admitted.filter(({ status }) => status === 200)).toHaveLength(LIMIT)
    expect(refused).toHaveLength(6)
    for (const { refusal } of refused) {
      expect(refusal).toMatchObject({ status: 429, code: 'rate_limited' })
      expect(refusal?.retryAfterSeconds).toBeGreaterThan(0)
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
    const { accepted, lastAcceptedAfterMs, lateStatuses } = await revokeUnderLoad(
      services,
      programme.accountId,
      env,
    )
    console.info(`a revoked key was last accepted ${lastAcceptedAfterMs} ms after its revocation`)
    expect(accepted).toBeGreaterThan(20)
    expect(lastAcceptedAfterMs).toBeLessThan(1_000)
    expect(lateStatuses.length).toBeGreaterThan(0)
    expect(new Set(lateStatuses)).toEqual(new Set([401]))
    for (const service of services) expect(await service.stop()).toBe(0)
  })
})
