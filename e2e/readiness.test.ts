/** Guarantees of /readyz: 200 means that the process can serve, anything else that it cannot. */
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { api, statusOf } from './support/api.ts'
import { asOwner, withOwner } from './support/embedded-sql.ts'
import { freePort } from './support/free-port.ts'
import { postmasterPid } from './support/postgres-process.ts'
import { type Env, must } from './support/program.ts'
import type { Programme } from './support/programme.ts'
import { type Service, serve, startWorker } from './support/service.ts'
import { preparedDataDir } from './support/shared.ts'
import { until } from './support/until.ts'

let dataDir: string
let env: Env
let service: Service
let programme: Programme

beforeAll(async () => {
  ;({ dataDir, programme } = await preparedDataDir())
  env = { TRIBUTARY_DATA_DIR: dataDir }
  service = await serve(env)
})

/** The status of /readyz; 0 if nothing listens. */
const readiness = (url: string) =>
  fetch(`${url}/readyz`).then(
    async response => (await response.text()) && response.status,
    () => 0,
  )

const killPostgres = () => process.kill(postmasterPid(dataDir) as number, 'SIGKILL')

/** Kills PostgreSQL and waits for the next one: a connection of the killed one can still respond for a moment. */
async function replacePostgres(): Promise<void> {
  const killed = postmasterPid(dataDir)
  killPostgres()
  await until('the next PostgreSQL runs', () => ![undefined, killed].includes(postmasterPid(dataDir)))
}

describe('a server is not ready', () => {
  test('while PostgreSQL is dead, and is again when it is back', async () => {
    let killed: number | undefined
    await until('not ready', async () => {
      // The next one too, if it was there before the service was asked.
      const running = postmasterPid(dataDir)
      if (running !== undefined && running !== killed) {
        process.kill(running, 'SIGKILL')
        killed = running
      }
      return (await readiness(service.url)) === 503
    })
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200)
    await until('ready', async () => (await readiness(service.url)) === 200)
    expect(await statusOf(api(service.url, programme.key).campaigns.list().page())).toBe(200)
  })

  test('while the database is read-only, as a standby is', async () => {
    await asOwner(dataDir, 'ALTER DATABASE tributary SET default_transaction_read_only = on')
    await replacePostgres()
    const answer = await until('it says why', async () => {
      const response = await fetch(`${service.url}/readyz`)
      const { error } = (await response.json()) as { error?: { message: string } }
      return response.status === 503 && /is read-only/.test(error?.message ?? '')
    })
    expect(answer).toBe(true)
    await asOwner(
      dataDir,
      'SET default_transaction_read_only = off',
      'ALTER DATABASE tributary RESET default_transaction_read_only',
    )
    await replacePostgres()
    await until('ready', async () => (await readiness(service.url)) === 200)
  })

  test('while it waits for a migration', async () => {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const starting = await withOwner(dataDir, async client => {
      await client.query(`SELECT pg_advisory_lock(hashtextextended('tributary migrations', 0))`)
      // As after an update that changes grants: the next start has work to do.
      await client.query('COMMENT ON TABLE schema_migrations IS NULL')
      const second = serve({ ...env, PORT: String(port) })
      // It is blocked from reading the migrations: no traffic may reach it yet, whatever they are.
      await until('it waits for the lock', async () => {
        const { rows } = await client.query(
          `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`,
        )
        return rows.length === 1
      })
      for (let asked = 0; asked < 10; asked++) {
        expect(await readiness(url)).toBe(0)
        await sleep(50)
      }
      return { second }
    })
    const second = await starting.second
    expect(await readiness(url)).toBe(200)
    expect(await second.stop()).toBe(0)
  })
})

describe('a worker', () => {
  let url: string
  let workerEnv: Env
  beforeAll(async () => {
    const port = await freePort()
    url = `http://127.0.0.1:${port}`
    workerEnv = { ...env, TRIBUTARY_WORKER_PORT: String(port) }
  })

  test('reports its state and metrics, and is not ready after a stop signal', async () => {
    let held: ServerResponse | undefined
    const receiver = createServer((_request, response) => {
      held = response
    }).listen(0, '127.0.0.1')
    await once(receiver, 'listening')
    const address = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
    const endpoint = await api(service.url, programme.key).webhookEndpoints.create({
      url: address,
      events: ['promoter.approved'],
    })
    // From here on the worker is alone, so the delivery is its own.
    expect(await service.stop()).toBe(0)
    const worker = startWorker(workerEnv)
    await until('the worker is ready', async () => (await readiness(url)) === 200)
    expect(await (await fetch(`${url}/healthz`)).json()).toEqual({ status: 'ok' })
    const named = ['--account', String(programme.accountId), '--endpoint', String(endpoint.id)]
    await must(['webhook', 'test', ...named], env)
    const response = await until('the delivery arrives', () => held)

    const stopped = worker.stop()
    await until('the worker is draining', async () => (await readiness(url)) === 503)
    response.end('thank you')
    expect(await stopped).toBe(0)
    expect(await readiness(url)).toBe(0)
    receiver.close()
    service = await serve(env)
    const metrics = await (await fetch(`${service.url}/metrics`)).text()
    expect(metrics, 'what the worker sent is recorded').toMatch(/^tributary_delivery_queue_depth 0$/m)
  })

  test('names the setting of a port in use, and listens only if one is set', async () => {
    const { port } = new URL(service.url)
    const refused = startWorker({ ...env, TRIBUTARY_WORKER_PORT: port })
    expect(await refused.ended).toBe(1)
    expect(refused.output.stderr).toMatch(
      `Port ${port} on 127.0.0.1 is already in use. Set TRIBUTARY_WORKER_PORT`,
    )
    const silent = startWorker(env)
    await until('it runs', () => silent.output.stdout.includes('worker started'))
    expect(silent.output.stdout).not.toContain('listening')
    expect(await silent.stop()).toBe(0)
  })
})
