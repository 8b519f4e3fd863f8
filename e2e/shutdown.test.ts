import { Agent } from 'node:http'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Acknowledged, lostWrites } from './chaos/oracle.ts'
import { api } from './support/api.ts'
import { holdRequest } from './support/held-request.ts'
import { startLoad } from './support/load.ts'
import { pidFile, postmasterPid, untilGone } from './support/postgres-process.ts'
import { type Env, start } from './support/program.ts'
import type { Programme } from './support/programme.ts'
import { type Service, serve, untilClosed, untilServing } from './support/service.ts'
import { preparedDataDir } from './support/shared.ts'

let dataDir: string
let env: Env
let programme: Programme

beforeAll(async () => {
  ;({ dataDir, programme } = await preparedDataDir())
  env = { TRIBUTARY_DATA_DIR: dataDir, TRIBUTARY_RATE_LIMIT_PER_MINUTE: '10000000' }
})

async function expectCleanExit(service: Service, postgres: number, code: Promise<unknown>): Promise<void> {
  expect(await code).toBe(0)
  expect(service.output.stderr).toBe('')
  await untilGone(postgres)
  expect(pidFile(dataDir)).toBeUndefined()
}

describe('SIGTERM under load', () => {
  test('every accepted request is answered in full, then everything ends', async () => {
    const service = await serve(env)
    const postgres = postmasterPid(dataDir) as number
    const load = await startLoad(service.url, programme)
    await load.more(30, 201)
    const held = await Promise.all(Array.from({ length: 10 }, () => holdRequest(service.url, programme)))

    const stopped = service.stop()
    await untilClosed(service.url)
    const answers = await Promise.all(held.map(request => request.finish()))
    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 201, complete: true })
      expect(JSON.parse(answer.body)).toMatchObject({ status: 'pending' })
    }
    await expectCleanExit(service, postgres, stopped)

    // A connection that was refused or closed before an answer began is no answer; a bad answer would be one.
    const outcomes = await load.stop()
    expect(outcomes.filter(({ status }) => status !== 201 && status !== 0)).toEqual([])
    const next = await serve(env)
    const heldOnes = answers.map(
      ({ body }): Acknowledged => ({ kind: 'affiliates', id: JSON.parse(body).id }),
    )
    expect(await lostWrites(api(next.url, programme.key), [...load.acknowledged(), ...heldOnes])).toEqual([])
    expect(await next.stop('SIGINT')).toBe(0)
  })
})

test('a connection that is kept alive does not keep the server: it ends with its last answer', async () => {
  const service = await serve(env)
  const agent = new Agent({ keepAlive: true })
  const held = await holdRequest(service.url, programme, agent)
  const stopped = service.stop()
  await untilClosed(service.url)
  expect(await held.finish()).toMatchObject({ status: 201, complete: true })
  expect(await stopped).toBe(0)
  agent.destroy()
})

describe('npm start', () => {
  test('passes SIGTERM on and ends with the service', async () => {
    const npm = await untilServing(start('npm', ['start'], { PORT: '0', ...env }, {}))
    const postgres = postmasterPid(dataDir) as number
    const held = await holdRequest(npm.url, programme)
    const stopped = npm.stop()
    await untilClosed(npm.url)
    expect(await held.finish()).toMatchObject({ status: 201, complete: true })
    expect(await stopped).toBe(0)
    await untilGone(postgres)
    expect(pidFile(dataDir)).toBeUndefined()
  })
})
