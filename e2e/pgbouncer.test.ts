/** Protects installations behind a pooler in transaction mode: nothing may rely on meeting the same connection twice. */
import { existsSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectWithin } from '../testing/size.ts'
import { lostWrites } from './chaos/oracle.ts'
import { api } from './support/api.ts'
import { outageMs, startLoad, unexpected } from './support/load.ts'
import { BIN, OwnPostgres } from './support/own-postgres.ts'
import { type PayoutProgramme, startPayoutProgramme } from './support/payout-programme.ts'
import { hasPgBouncer, PgBouncer } from './support/pgbouncer.ts'
import { type Env, must, tributary } from './support/program.ts'
import { createProgramme } from './support/programme.ts'
import { type Service, serve } from './support/service.ts'
import { newKey, requestInTurn, revokeUnderLoad } from './support/shared-keys.ts'
import { until } from './support/until.ts'

const POOL_SIZE = 4
const LIMIT = 300
const RECOVERY_MS = 10_000
const QUERY_WAIT_MS = 5_000

function behindPgBouncer() {
  let postgres: OwnPostgres
  let bouncer: PgBouncer
  let env: Env
  let programme: PayoutProgramme
  let accountId: number
  afterAll(async () => {
    await programme?.close()
    await bouncer?.stop()
    await postgres?.stop()
  })

  beforeAll(async () => {
    postgres = await OwnPostgres.create()
    await postgres.query('postgres', 'CREATE ROLE owner LOGIN')
    await postgres.query('postgres', 'CREATE ROLE service LOGIN')
    await postgres.query('postgres', 'CREATE DATABASE pooled OWNER owner')
    bouncer = await PgBouncer.start(postgres, ['owner', 'service'], {
      default_pool_size: POOL_SIZE,
      query_wait_timeout: QUERY_WAIT_MS / 1000,
    })
    // Even the first migrations go through it: they are one transaction. Later ones need a session, as a test below shows.
    programme = await startPayoutProgramme({
      DATABASE_URL: bouncer.url('service', 'pooled'),
      TRIBUTARY_MIGRATION_DATABASE_URL: bouncer.url('owner', 'pooled'),
      TRIBUTARY_DATABASE_POOLER: 'transaction',
      TRIBUTARY_RATE_LIMIT_PER_MINUTE: '10000000',
    })
    env = programme.env
    accountId = Number(programme.account[1])
  })

  test('a conversion and its sale are delivered, paid out and balanced', async () => {
    const { earner, run, runJson, campaign, paidEvent } = programme
    const jane = await earner('jane', 10_000)
    const { digest } = await runJson('payout', 'preview', ...campaign)
    const { id } = await runJson('payout', 'create', ...campaign, '--digest', digest)
    await run('payout', 'export', '--id', String(id))
    const paid = await runJson('payout', 'pay', '--id', String(id))
    expect(paid).toMatchObject({ status: 'paid', items: [{ affiliate_id: jane, status: 'paid' }] })
    expect(await paidEvent(id)).toMatchObject({ type: 'payout.paid', data: paid })
    expect(await runJson('balance', '--affiliate', String(jane))).toMatchObject([
      { paid_out_minor: 2000, balance_minor: 0 },
    ])
  })

  test('two servers under load: every answer is right, a revoked key is dead on both within 1 s', async () => {
    const services = [programme.service, await serve(env)]
    const other = await createProgramme(env)
    const loads = await Promise.all(services.map(({ url }) => startLoad(url, other)))
    const revocation = await revokeUnderLoad(services, accountId, env)
    await Promise.all(loads.map(load => load.more(100, 201)))
    const outcomes = (await Promise.all(loads.map(load => load.stop()))).flat()
    expect(outcomes.filter(({ status }) => status !== 201)).toEqual([])
    const [one] = services as [Service]
    const acknowledged = loads.flatMap(load => load.acknowledged())
    expect(await lostWrites(api(one.url, other.key), acknowledged)).toEqual([])
    console.info(`a revoked key was last accepted ${revocation.lastAcceptedAfterMs} ms after its revocation`)
    expect(revocation.accepted).toBeGreaterThan(20)
    expectWithin(revocation.lastAcceptedAfterMs, 1_000)
    expect(new Set(revocation.lateStatuses)).toEqual(new Set([401]))
    expect(await services[1]?.stop()).toBe(0)
  })

  test(`two servers admit ${LIMIT} requests in a minute together, and not one more`, async () => {
    const limited = { ...env, TRIBUTARY_RATE_LIMIT_PER_MINUTE: String(LIMIT) }
    const services = [await serve(limited), await serve(limited)]
    const answers = await requestInTurn(services, await newKey(accountId, env), LIMIT, 6)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(LIMIT)
    expect(answers.slice(LIMIT).map(({ status }) => status)).toEqual(Array(6).fill(429))
    for (const service of services) expect(await service.stop()).toBe(0)
  })

  test('an idempotency key makes one affiliate of fifty requests at once', async () => {
    const { service, client, campaignId } = programme
    const key = await newKey(accountId, env)
    const enrol = async () => {
      const response = await fetch(`${service.url}/api/v1/affiliates`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          'idempotency-key': 'one and the same',
        },
        body: JSON.stringify({ email: 'once@example.com', campaign_id: campaignId }),
      })
      return { status: response.status, body: (await response.json()) as { id?: number } }
    }
    const answers = await Promise.all(Array.from({ length: 50 }, enrol))
    expect(answers.filter(({ status }) => ![201, 409].includes(status))).toEqual([])
    expect(new Set(answers.filter(({ status }) => status === 201).map(({ body }) => body.id)).size).toBe(1)
    expect((await client.affiliates.list({ email: 'once@example.com' }).page()).data).toHaveLength(1)
  })

  test('PostgreSQL stopped and started behind it: 503, then serving again, and nothing lost', async () => {
    const { service } = programme
    const other = await createProgramme(env)
    const load = await startLoad(service.url, other)
    await load.more(50, 201)
    await postgres.stop()
    await load.more(10, 503)
    // PgBouncer keeps who asks waiting; readiness does not.
    const askedAt = Date.now()
    expect((await fetch(`${service.url}/readyz`)).status).toBe(503)
    expectWithin(Date.now() - askedAt, QUERY_WAIT_MS - 1_000)
    await postgres.start()
    const backAt = Date.now()
    await load.more(100, 201)
    const outcomes = await load.stop()
    expect(unexpected(outcomes)).toEqual([])
    console.info(`after PostgreSQL was back: the last 503 came after ${outageMs(outcomes, backAt)} ms`)
    expectWithin(outageMs(outcomes, backAt), RECOVERY_MS)
    expect(await lostWrites(api(service.url, other.key), load.acknowledged())).toEqual([])
    await until('ready again', async () => (await fetch(`${service.url}/readyz`)).ok)
  })

  test('doctor finds nothing wrong, and all of it went through the few connections of PgBouncer', async () => {
    expect(await must(['doctor'], env)).not.toContain('FAIL')
    const pools = (await bouncer.show('POOLS')).filter(({ database }) => database === 'pooled')
    expect(pools.map(({ pool_mode }) => pool_mode)).toEqual(pools.map(() => 'transaction'))
    for (const { sv_active, sv_idle, sv_used } of pools)
      expect(Number(sv_active) + Number(sv_idle) + Number(sv_used)).toBeLessThanOrEqual(POOL_SIZE)
    const [stats] = (await bouncer.show('STATS')).filter(({ database }) => database === 'pooled')
    expect(Number(stats?.total_xact_count)).toBeGreaterThan(1_000)
  })

  test('an upgrade through it is refused with a clear message; over a direct connection it works', async () => {
    const last = 'SELECT max(version) FROM schema_migrations'
    await postgres.query(
      'pooled',
      `CREATE TABLE put_aside AS SELECT * FROM schema_migrations WHERE version = (${last})`,
    )
    await postgres.query('pooled', `DELETE FROM schema_migrations WHERE version = (${last})`)
    const { code, stderr } = await tributary(['migrate'], env)
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^Migrations need a direct connection, .* at PostgreSQL itself/),
    })
    await postgres.query(
      'pooled',
      'INSERT INTO schema_migrations SELECT * FROM put_aside; DROP TABLE put_aside',
    )
    const direct = { ...env, TRIBUTARY_MIGRATION_DATABASE_URL: postgres.url('owner', 'pooled') }
    expect(await must(['migrate'], direct)).toBe('The database is up to date.\n')
  })

  test('without the setting requests fail, none gets the answer of another, and the next start says what to set', async () => {
    const unaware = { ...env, TRIBUTARY_DATABASE_POOLER: 'none' }
    const service = await serve(unaware)
    const key = await newKey(accountId, env)
    const paths = ['/affiliates', '/campaigns', '/payouts', '/commissions', '/webhook_endpoints']
    const read = async (url: string, withKey: string, path: string) => {
      const answer = await fetch(`${url}/api/v1${path}`, { headers: { authorization: `Bearer ${withKey}` } })
      return { status: answer.status, body: await answer.json() }
    }
    const right = await Promise.all(paths.map(path => read(programme.service.url, programme.key, path)))
    const statuses = await Promise.all(
      Array.from({ length: 200 }, async (_, index) => {
        const which = index % paths.length
        const { status, body } = await read(service.url, key, paths[which] as string)
        if (status === 200) expect(body).toEqual(right[which]?.body)
        return status
      }),
    )
    expect(new Set(statuses)).toEqual(new Set([200, 500]))
    const refusal = await until('a start that meets the statements of another', async () => {
      const { code, stderr } = await tributary(['key', 'list', '--account', '1'], unaware)
      return code !== 0 && stderr
    })
    expect(refusal).toMatch(/^DATABASE_URL points to a pooler .*TRIBUTARY_DATABASE_POOLER=transaction\.$/m)
  })
}

// Chosen when the tests are defined, as for PostgreSQL 15; `.ci/run` installs PgBouncer if it can and prints a note if it cannot.
if (hasPgBouncer && existsSync(BIN)) describe('behind PgBouncer in transaction mode', behindPgBouncer)
else
  describe('behind PgBouncer in transaction mode', () => {
    test('there is no PgBouncer, or no PostgreSQL 15, on this machine', () =>
      expect(hasPgBouncer && existsSync(BIN)).toBe(false))
  })
