/** Several processes act as one to callers and operators, whichever of them starts or stops. */
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { beforeAll, describe, expect, test } from 'vitest'
import { expectWithin } from '../testing/size.ts'
import { lostWrites } from './chaos/oracle.ts'
import { api, statusOf } from './support/api.ts'
import { holdRequest } from './support/held-request.ts'
import { startLoad } from './support/load.ts'
import { isAlive, pidFile, postmasterPid, untilGone } from './support/postgres-process.ts'
import { checkout, type Env, tributary } from './support/program.ts'
import { createProgramme, type Programme } from './support/programme.ts'
import { type Service, serve, untilClosed } from './support/service.ts'
import { revokeUnderLoad } from './support/shared-keys.ts'
import { newDataDir, temporaryDirectory } from './support/temporary.ts'
import { until } from './support/until.ts'

const LIMIT = 40

let dataDir: string
let env: Env
let programme: Programme

beforeAll(async () => {
  dataDir = await newDataDir()
  env = { TRIBUTARY_DATA_DIR: dataDir, TRIBUTARY_PROCESSES: '2' }
})

/** The processes that a service keeps, without its PostgreSQL. */
function membersOf({ pid }: Service): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
  const isOurs = (child: string) => readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('tributary.js')
  return children.filter(isOurs).map(Number).filter(isAlive)
}

/** On a separate connection, so that any process may respond. */
const ask = (url: string, key = 'none') =>
  fetch(url, { headers: { authorization: `Bearer ${key}`, connection: 'close' } })

/** The number of responses of a route with a status, from /metrics. */
async function answered(url: string, route: string, status: number): Promise<number> {
  const metrics = await (await ask(`${url}/metrics`)).text()
  const sample = `tributary_http_request_duration_seconds_count\\{method="\\w+",route="${route}",status="${status}"\\} (\\d+)`
  return Number(new RegExp(`^${sample}$`, 'm').exec(metrics)?.[1] ?? 0)
}

describe('two processes', () => {
  let service: Service

  test('greet once, when both serve', async () => {
    service = await serve({ ...env, TRIBUTARY_RATE_LIMIT_PER_MINUTE: String(LIMIT), LOG_LEVEL: 'debug' })
    expect(membersOf(service)).toHaveLength(2)
    expect(service.output.stdout.match(/^Tributary is listening on /gm)).toHaveLength(1)
    expect(service.output.stdout.match(/^Setup code: \S+$/gm)).toHaveLength(1)
    programme = await createProgramme(env)
  })

  test('share the requests, and enforce the limit together', async () => {
    const statuses: number[] = []
    for (let sent = 0; sent < LIMIT + 10; sent++)
      statuses.push((await ask(`${service.url}/api/v1/campaigns`, programme.key)).status)
    expect(statuses).toEqual([...Array(LIMIT).fill(200), ...Array(10).fill(429)])
    const lines = service.output.stdout
      .split('\n')
      .filter(line => line.includes('"route":"/api/v1/campaigns"'))
    const counts = membersOf(service).map(pid => lines.filter(line => line.includes(`"pid":${pid},`)).length)
    for (const count of counts) expect(count).toBeGreaterThan(LIMIT / 4)
  })

  test('count wrong keys together', async () => {
    const guess = () => ask(`${service.url}/api/v1/campaigns`, 'trib_wrong')
    const answers = await Promise.all(Array.from({ length: 3 * LIMIT }, guess))
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(LIMIT)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(2 * LIMIT)
  })

  test('report the metrics of both from either process, and the backlog only once', async () => {
    for (let asked = 0; asked < 2; asked++)
      expect(await answered(service.url, '/api/v1/campaigns', 200)).toBe(LIMIT)
    const metrics = await (await ask(`${service.url}/metrics`)).text()
    const newest = Number(readdirSync(join(checkout, 'server/migrations')).sort().at(-1)?.slice(0, 4))
    expect(metrics).toMatch(new RegExp(`^tributary_schema_version ${newest}$`, 'm'))
    expect(metrics).toMatch(/^tributary_build_info\{version="[^"]+"\} 1$/m)
  })

  test('keep a burst of connections waiting while they are busy, and respond to each', async () => {
    const allowed = Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8'))
    const connections = Math.min(800, allowed)
    const { hostname, port } = new URL(service.url)
    const connect = async () => {
      const socket = createConnection({ host: hostname, port: Number(port) })
      await once(socket, 'connect')
      return socket
    }
    process.kill(service.pid, 'SIGSTOP')
    const sockets = await Promise.all(Array.from({ length: connections }, connect)).finally(() =>
      process.kill(service.pid, 'SIGCONT'),
    )
    const answers = sockets.map(async socket => {
      socket.end('GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
      return (await text(socket)).split('\r\n', 1)[0]
    })
    expect(await Promise.all(answers)).toEqual(Array(connections).fill('HTTP/1.1 200 OK'))
  })

  test('end in good order when a terminal interrupts all of them', async () => {
    const members = membersOf(service)
    const postgres = postmasterPid(dataDir) as number
    for (const pid of members) process.kill(pid, 'SIGINT')
    expect(await service.stop('SIGINT')).toBe(0)
    expect(service.output.stderr).toBe('')
    expect([...members, postgres].filter(isAlive)).toEqual([])
  })
})

describe('two processes under load', () => {
  let service: Service
  let limitFile: string

  beforeAll(async () => {
    limitFile = join(await temporaryDirectory(), 'limit')
    await writeFile(limitFile, '10000000')
    env.TRIBUTARY_RATE_LIMIT_PER_MINUTE_FILE = limitFile
    service = await serve(env)
  })

  test('a key that is revoked is dead on both', async () => {
    const found = await revokeUnderLoad([service, service], programme.accountId, env)
    expect(found.accepted).toBeGreaterThan(20)
    expectWithin(found.lastAcceptedAfterMs, 1_000)
    expect(new Set(found.lateStatuses)).toEqual(new Set([401]))
  })

  test('a killed process is replaced, while the other keeps serving', async () => {
    const load = await startLoad(service.url, programme)
    await load.more(20, 201)
    const [killed, other] = membersOf(service) as [number, number]
    process.kill(killed, 'SIGKILL')
    await load.more(20, 201)
    const listened = () => service.output.stdout.match(/Server listening at/g)?.length
    await until('a third one listens', () => listened() === 3)
    expect(membersOf(service)).toHaveLength(2)
    expect(membersOf(service)).toContain(other)
    expect(membersOf(service)).not.toContain(killed)
    // Requests in flight in the killed process get no response, only a client timeout; no request gets a wrong one.
    const outcomes = await load.stop()
    expect(outcomes.filter(({ status }) => status !== 201 && status !== 0)).toEqual([])
    expect(await lostWrites(api(service.url, programme.key), load.acknowledged())).toEqual([])
  })

  test('a rolling restart with a setting that is not right leaves them as they are', async () => {
    const before = membersOf(service)
    await writeFile(limitFile, 'many')
    process.kill(service.pid, 'SIGHUP')
    await until('it is said', () => /the new process did not start/.test(service.output.stdout))
    expect(service.output.stderr).toMatch(
      /^Invalid settings:\n {2}TRIBUTARY_RATE_LIMIT_PER_MINUTE must be .*\n$/,
    )
    expect(membersOf(service)).toEqual(before)
  })

  test('a rolling restart replaces both, no request fails, and no counter drops', async () => {
    const before = membersOf(service)
    await writeFile(limitFile, '20000000')
    const countedBefore = await answered(service.url, '/api/v1/affiliates', 201)
    const load = await startLoad(service.url, programme)
    await load.more(20, 201)
    const notReady: string[] = []
    process.kill(service.pid, 'SIGHUP')
    await until('both have been replaced', async () => {
      const response = await ask(`${service.url}/readyz`)
      const text = await response.text()
      // A busy machine is slow to ask its database, with or without a restart.
      if (response.status !== 200 && !text.includes('The database does not respond.')) notReady.push(text)
      return /rolling restart finished/.test(service.output.stdout)
    })
    await load.more(20, 201)
    const outcomes = await load.stop()
    expect(outcomes.filter(({ status }) => status !== 201)).toEqual([])
    expect(notReady).toEqual([])
    expect(membersOf(service)).toHaveLength(2)
    expect(membersOf(service).filter(pid => before.includes(pid))).toEqual([])
    const { headers } = await ask(`${service.url}/api/v1/campaigns`, programme.key)
    expect(headers.get('x-ratelimit-limit')).toBe('20000000')
    const enrolled = load.acknowledged().filter(({ kind }) => kind === 'affiliates').length
    // The load began by enrolling its seller.
    const expected = countedBefore + enrolled + 1
    await until('all are counted', async () => {
      return (await answered(service.url, '/api/v1/affiliates', 201)) === expected
    })
  })

  test('SIGTERM: requests in flight finish, then all processes exit', async () => {
    const members = membersOf(service)
    const said = service.output.stderr
    const postgres = postmasterPid(dataDir) as number
    const held = await Promise.all(Array.from({ length: 4 }, () => holdRequest(service.url, programme)))
    const stopped = service.stop()
    await untilClosed(service.url)
    for (const request of held) expect(await request.finish()).toMatchObject({ status: 201, complete: true })
    expect(await stopped).toBe(0)
    expect(service.output.stderr).toBe(said)
    expect([...members, postgres].filter(isAlive)).toEqual([])
    expect(pidFile(dataDir)).toBeUndefined()
  })
})

test('when the first process is killed the others end, and the next start finds PostgreSQL', async () => {
  const service = await serve(env)
  const members = membersOf(service)
  const postgres = postmasterPid(dataDir) as number
  process.kill(service.pid, 'SIGKILL')
  for (const pid of members) await untilGone(pid)
  expect(isAlive(postgres)).toBe(true)

  const taken = await serve({ ...env, TRIBUTARY_PROCESSES: '' })
  expect(await statusOf(api(taken.url, programme.key).campaigns.list().page())).toBe(200)
  expect(postmasterPid(dataDir)).toBe(postgres)
  const { port } = new URL(taken.url)
  const result = await tributary(['serve', '--processes', '2'], { ...env, PORT: port, LOG_LEVEL: 'silent' })
  expect(result).toMatchObject({ code: 1, stdout: '' })
  expect(result.stderr).toMatch(new RegExp(`^Port ${port} on 127.0.0.1 is already in use. .*\\n$`))
  expect(await taken.stop()).toBe(0)
})

test.each(['0', '33', 'two'])('--processes %s is refused', async count => {
  const { code, stdout, stderr } = await tributary(['serve', '--processes', count], env)
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/--processes .*Must be a whole number/)
})
