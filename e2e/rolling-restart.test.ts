/** Protects callers during a deployment: two processes behind a proxy are restarted in turn, and no request fails. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { lostWrites } from './chaos/oracle.ts'
import { api, statusOf } from './support/api.ts'
import { freePort } from './support/free-port.ts'
import { startLoad } from './support/load.ts'
import type { Env } from './support/program.ts'
import type { Programme } from './support/programme.ts'
import { type ReverseProxy, startReverseProxy } from './support/reverse-proxy.ts'
import { type Service, serve } from './support/service.ts'
import { preparedDataDir } from './support/shared.ts'
import { until } from './support/until.ts'

const DRAIN_DELAY_MS = 4000
/** Enough to leave room on a small machine for the process that is starting. */
const PAUSE_MS = 50

let env: Env
let programme: Programme
let ports: string[]
let services: Service[]
let proxy: ReverseProxy

const start = (port: string) => serve({ ...env, PORT: port })

beforeAll(async () => {
  const prepared = await preparedDataDir()
  programme = prepared.programme
  env = {
    TRIBUTARY_DATA_DIR: prepared.dataDir,
    TRIBUTARY_RATE_LIMIT_PER_MINUTE: '10000000',
    TRIBUTARY_DRAIN_DELAY_SECONDS: String(DRAIN_DELAY_MS / 1000),
  }
  ports = [String(await freePort()), String(await freePort())]
  services = await Promise.all(ports.map(start))
  proxy = await startReverseProxy(services.map(({ url }) => url))
  for (const { url } of services) await until(`${url} is up`, () => proxy.isUp(url))
})
afterAll(() => proxy?.close())

/** Reads with a few clients until it is stopped; a read that failed counts as 0. */
function startReading(url: string) {
  const statuses: number[] = []
  let stopped = false
  const client = api(url, programme.key)
  const readers = Array.from({ length: 4 }, async () => {
    while (!stopped) {
      statuses.push(await statusOf(client.affiliates.list({ limit: 5 }).page()).catch(() => 0))
      await sleep(PAUSE_MS)
    }
  })
  return async () => {
    stopped = true
    await Promise.all(readers)
    return statuses
  }
}

test('no request fails while both are restarted under load, one after the other', async () => {
  const writes = await startLoad(proxy.url, programme, PAUSE_MS)
  const stopReading = startReading(proxy.url)
  await writes.more(50, 201)
  for (const [index, service] of services.entries()) {
    const stopped = service.stop()
    await until(`the proxy has left ${service.url}`, () => !proxy.isUp(service.url))
    expect(await stopped).toBe(0)
    services[index] = await start(ports[index] as string)
    await until(`the proxy is back at ${service.url}`, () => proxy.isUp(service.url))
    await writes.more(50, 201)
  }
  const reads = await stopReading()
  const outcomes = await writes.stop()
  console.info(
    `${outcomes.length} writes and ${reads.length} reads over two restarts, ${proxy.retries} sent to the other upstream`,
  )
  expect(outcomes.filter(({ status }) => status !== 201)).toEqual([])
  expect(reads.filter(status => status !== 200)).toEqual([])
  expect(await lostWrites(api(proxy.url, programme.key), writes.acknowledged())).toEqual([])
})

test('a stopping process reports draining first, keeps serving, and closes its connections', async () => {
  const [service] = services as [Service]
  const askedAt = Date.now()
  const stopped = service.stop()
  const ready = () => fetch(`${service.url}/readyz`)
  await until('it is not ready', async () => (await ready()).status === 503)
  expect(await (await ready()).json()).toEqual({ status: 'draining' })
  expect((await fetch(`${service.url}/healthz`)).status).toBe(200)
  const answer = await api(service.url, programme.key).campaigns.list().page().withResponse()
  expect(answer.status).toBe(200)
  expect(answer.headers.get('connection')).toBe('close')
  expect(await stopped).toBe(0)
  expect(Date.now() - askedAt).toBeGreaterThanOrEqual(DRAIN_DELAY_MS)
})
