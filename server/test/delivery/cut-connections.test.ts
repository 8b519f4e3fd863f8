/** Protects the process: a database connection that is cut at a bad moment must not end the worker. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import { afterEach, expect, inject, it } from 'vitest'
import { asAdmin } from './admin.ts'
import { Gate } from './receiver.ts'
import { emit, eventually, useDeliveries } from './scene.ts'
import { databaseUrl, spawnWorker, type WorkerProcess } from './worker-process.ts'

const scene = useDeliveries()
/** Starting the program takes its time on a busy machine. */
const PATIENT = { timeout: 120_000 }
let worker: WorkerProcess
let proxy: Server | undefined

const database = () => scene.database.service.database as string
const ownerUrl = () => databaseUrl({ ...inject('postgres').owner, database: database() })

afterEach(async () => {
  if (worker.child.exitCode === null) {
    worker.child.kill('SIGKILL')
    await worker.gone
  }
  proxy?.close()
  proxy = undefined
})

/** It is alive, and what comes now is delivered. */
async function expectToWork(path: string, already: number): Promise<void> {
  await emit(scene.database.db, scene.account.id)
  await Promise.race([scene.receiver.arrived(already + 1, path), worker.gone])
  expect(worker.child.exitCode, worker.output.slice(-15).join('\n')).toBeNull()
  expect(scene.receiver.at(path).length).toBeGreaterThan(already)
}

it('survives the loss of the connection on which it is recording', PATIENT, async () => {
  const gate = new Gate()
  const endpoint = await scene.subscribe(gate.behaviour)
  worker = spawnWorker(databaseUrl({ ...inject('postgres').service, database: database() }), ownerUrl())
  await worker.running
  await emit(scene.database.db, scene.account.id)
  await scene.receiver.arrived(1, endpoint.path)
  // Recording waits for this lock inside its transaction, and is cut off there.
  const blocker = await scene.database.owner.connect()
  try {
    await blocker.query('BEGIN; LOCK TABLE delivery_attempts IN ACCESS EXCLUSIVE MODE')
    gate.open()
    const [waiting] = await eventually(async () => {
      // On a busy machine a sweep of old deliveries may begin meanwhile, and wait too.
      const found = await asAdmin<{ pid: number }>(
        `SELECT pid FROM pg_stat_activity
          WHERE datname = $1 AND wait_event_type = 'Lock' AND query LIKE '%INSERT INTO delivery_attempts%'`,
        [database()],
      )
      expect(found).toHaveLength(1)
      return found
    })
    await asAdmin('SELECT pg_terminate_backend($1)', [waiting?.pid])
  } finally {
    // Closed, so that a failure doesn't leave the lock to what comes after.
    blocker.release(true)
  }
  await expectToWork(endpoint.path, 1)
})

it('survives a connection that is cut just as it begins to listen', PATIENT, async () => {
  const endpoint = await scene.subscribe()
  const { host, port, ...service } = inject('postgres').service
  let cuts = 0
  proxy = createServer(client => {
    const server = connect(`${host}/.s.PGSQL.${port}`)
    client.on('error', () => server.destroy()).on('close', () => server.destroy())
    server.on('error', () => client.destroy()).on('close', () => client.destroy())
    server.pipe(client)
    client.on('data', chunk => {
      if (cuts > 0 || !chunk.includes('LISTEN')) return server.write(chunk)
      cuts++
      return client.destroy()
    })
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const near = { host: '127.0.0.1', port: (proxy.address() as AddressInfo).port, database: database() }
  worker = spawnWorker(databaseUrl({ ...service, ...near }), ownerUrl())
  await Promise.race([worker.running, worker.gone])
  await eventually(() => expect(cuts).toBe(1))
  await expectToWork(endpoint.path, 0)
})
