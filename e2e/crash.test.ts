import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { lostWrites, outageMs, startLoad, unexpected } from './support/load.ts'
import { isAlive, postmasterPid, untilGone } from './support/postgres-process.ts'
import type { Env } from './support/program.ts'
import { createProgramme, type Programme } from './support/programme.ts'
import { type Service, serve } from './support/service.ts'
import { newDataDir } from './support/temporary.ts'
import { until } from './support/until.ts'

// The guarantee: a write that was acknowledged is there afterwards, whatever was killed; and an outage of the database
// looks like 503 with Retry-After from outside, and is over within 5 s without anybody's help.

const RECOVERY_MS = 5_000

let dataDir: string
let env: Env
let service: Service
let programme: Programme

const postgres = () => postmasterPid(dataDir) ?? expect.unreachable('PostgreSQL does not run')

beforeAll(async () => {
  dataDir = await newDataDir()
  env = { TRIBUTARY_DATA_DIR: dataDir, TRIBUTARY_RATE_LIMIT_PER_MINUTE: '10000000' }
  service = await serve(env)
  programme = await createProgramme(env)
})

// A service that the test before has lost must not fail the next one too.
beforeEach(async () => {
  if (hasEnded()) service = await serve(env)
})

const hasEnded = () => service.child.exitCode !== null || service.child.signalCode !== null

describe('kill -9', () => {
  test('of the server: the next start picks up the orphan PostgreSQL with every write', async () => {
    const load = startLoad(service.url, programme)
    await load.more(50, 201, 10_000)
    const orphan = postgres()
    service.child.kill('SIGKILL')
    expect(await service.ended).toBe('SIGKILL')
    await load.stop()
    expect(isAlive(orphan)).toBe(true)

    service = await serve(env)
    console.info(`after kill -9 of the server: ready in ${service.readyMs} ms`)
    expect(service.readyMs).toBeLessThan(RECOVERY_MS)
    expect(postgres()).toBe(orphan)
    expect(await lostWrites(service.url, programme.key, load.acknowledged())).toEqual([])
  })

  test('of PostgreSQL under load: 503, never 500, and serving again within 5 s', async () => {
    const load = startLoad(service.url, programme)
    await load.more(50, 201, 10_000)
    const killed = postgres()
    const killedAt = Date.now()
    process.kill(killed, 'SIGKILL')
    await until('serving again', 2 * RECOVERY_MS, () => {
      if (hasEnded()) throw new Error(`The service went down with PostgreSQL: ${service.output.stderr}`)
      return load.acknowledged().filter(({ sentAt }) => sentAt > killedAt).length >= 100
    })
    const outcomes = await load.stop()

    expect(unexpected(outcomes)).toEqual([])
    expect(outcomes.some(({ status }) => status === 503)).toBe(true)
    console.info(`after kill -9 of PostgreSQL: the last 503 came after ${outageMs(outcomes, killedAt)} ms`)
    expect(outageMs(outcomes, killedAt)).toBeLessThan(RECOVERY_MS)
    expect(postgres()).not.toBe(killed)
    expect(await lostWrites(service.url, programme.key, load.acknowledged())).toEqual([])
  })

  test('of both: the next start recovers', async () => {
    const load = startLoad(service.url, programme)
    await load.more(50, 201, 10_000)
    const killed = postgres()
    process.kill(killed, 'SIGKILL')
    service.child.kill('SIGKILL')
    await service.ended
    await load.stop()
    await untilGone(killed, 5_000)

    service = await serve(env)
    console.info(`after kill -9 of both: ready in ${service.readyMs} ms`)
    expect(await lostWrites(service.url, programme.key, load.acknowledged())).toEqual([])
  })
})
