import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { expectWithin, isFull, reportMeasurement, sized } from '../testing/size.ts'
import { Oracle, reportAudit } from './chaos/oracle.ts'
import { api } from './support/api.ts'
import { type Load, outageMs, startLoad, unexpected } from './support/load.ts'
import { isAlive, postmasterPid, untilGone } from './support/postgres-process.ts'
import type { Env } from './support/program.ts'
import type { Programme } from './support/programme.ts'
import { type Service, serve } from './support/service.ts'
import { preparedDataDir } from './support/shared.ts'
import { until } from './support/until.ts'

// The guarantee: a write that was acknowledged is there afterwards, and its event comes, whatever was killed; and an outage of
// the database looks like 503 with Retry-After from outside, and is over within 5 s without anybody's help.

const READY_MS = 10_000
const RECOVERY_MS = 5_000
const ROUNDS = sized(1, 10)

let dataDir: string
let env: Env
let service: Service
let programme: Programme
let oracle: Oracle
const slowest = { readyMs: 0, outageMs: 0 }

const postgres = () => postmasterPid(dataDir) ?? expect.unreachable('PostgreSQL does not run')

beforeAll(async () => {
  ;({ dataDir, programme } = await preparedDataDir())
  oracle = await Oracle.start()
  env = { ...oracle.env, TRIBUTARY_DATA_DIR: dataDir, TRIBUTARY_RATE_LIMIT_PER_MINUTE: '10000000' }
  service = await serve(env)
  // What a killed server had claimed is given back when its lease has run out: only the full size waits for that.
  if (isFull) await oracle.attach(api(service.url, programme.key), env, programme.accountId)
})
afterAll(() => oracle?.close())

// A service that the test before has lost must not fail the next one too.
beforeEach(async () => {
  if (hasEnded()) service = await serve(env)
})

const hasEnded = () => service.child.exitCode !== null || service.child.signalCode !== null

async function underLoad(): Promise<Load> {
  const load = await startLoad(service.url, programme)
  await load.more(50, 201)
  return load
}

describe.each(Array.from({ length: ROUNDS }, (_, round) => round + 1))('kill -9, round %i', () => {
  test('of the server: the next start picks up the orphan PostgreSQL with every write', async () => {
    const load = await underLoad()
    const orphan = postgres()
    service.child.kill('SIGKILL')
    expect(await service.ended).toBe('SIGKILL')
    await load.stop()
    oracle.acknowledge(...load.acknowledged())
    expect(isAlive(orphan)).toBe(true)

    service = await serve(env)
    slowest.readyMs = Math.max(slowest.readyMs, service.readyMs)
    expectWithin(service.readyMs, READY_MS)
    expect(postgres()).toBe(orphan)
  })

  test('of PostgreSQL under load: 503, never 500, and serving again', async () => {
    const load = await underLoad()
    const killed = postgres()
    const killedAt = Date.now()
    process.kill(killed, 'SIGKILL')
    await until('serving again', () => {
      if (hasEnded()) throw new Error(`The service went down with PostgreSQL: ${service.output.stderr}`)
      return load.succeededSince(killedAt) >= 100
    })
    const outcomes = await load.stop()
    oracle.acknowledge(...load.acknowledged())

    expect(unexpected(outcomes)).toEqual([])
    expect(outcomes.some(({ status }) => status === 503)).toBe(true)
    slowest.outageMs = Math.max(slowest.outageMs, outageMs(outcomes, killedAt))
    expectWithin(outageMs(outcomes, killedAt), RECOVERY_MS)
    expect(postgres()).not.toBe(killed)
  })

  test('of both: the next start recovers', async () => {
    const load = await underLoad()
    const killed = postgres()
    process.kill(killed, 'SIGKILL')
    service.child.kill('SIGKILL')
    await service.ended
    await load.stop()
    oracle.acknowledge(...load.acknowledged())
    await untilGone(killed)

    service = await serve(env)
    slowest.readyMs = Math.max(slowest.readyMs, service.readyMs)
  })
})

test('after all of it nothing is lost, and doctor finds nothing', async () => {
  const { readyMs: ready, outageMs: outage } = slowest
  const [whatReady, whatOutage] = ['ready in ms after kill -9', 'last 503 in ms after kill -9 of PostgreSQL']
  reportMeasurement({ row: 1, what: whatReady, value: ready, bar: '< 10000', holds: ready < READY_MS })
  reportMeasurement({ row: 3, what: whatOutage, value: outage, bar: '< 5000', holds: outage < RECOVERY_MS })
  const audit = await oracle.audit(api(service.url, programme.key), env, 60_000)
  const of = `${oracle.acknowledged.length} acknowledged`
  expect(reportAudit(3, audit, of), JSON.stringify(audit)).toBe(true)
})
