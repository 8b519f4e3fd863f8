/** Protects against a database that goes away: polling is the net under LISTEN, and what is not recorded is sent again. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { LEASE_MS } from '../../src/webhooks/delivery/claim-deliveries.store.ts'
import { asAdmin } from './admin.ts'
import { deliveriesOf, emit, eventually, useDeliveries, wakeWorkers } from './scene.ts'

const scene = useDeliveries()
const HOUR_MS = 3_600_000
const databaseName = () => scene.database.service.database as string

/** A port that leads to a socket, and can be closed for a while. */
async function openWay(socket: string) {
  const sockets = new Set<Socket>()
  const server = createServer(client => {
    const far = connect(socket)
    for (const each of [client, far]) {
      sockets.add(each)
      each.on('error', () => undefined).on('close', () => [client, far].map(one => one.destroy()))
    }
    client.pipe(far).pipe(client)
  })
  const open = async (port: number) => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }
  const port = await open(0)
  return {
    port,
    reopen: () => open(port),
    close() {
      server.close()
      for (const each of sockets) each.destroy()
    },
  }
}

const listeners = () =>
  asAdmin<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity WHERE datname = $1 AND application_name = 'tributary listener' AND query LIKE 'LISTEN%'`,
    [databaseName()],
  )

it('delivers by polling while it cannot listen, and listens again', async () => {
  const endpoint = await scene.subscribe()
  const lines: Record<string, unknown>[] = []
  const { service } = scene.database
  const way = await openWay(`${service.host}/.s.PGSQL.${service.port}`)
  onTestFinished(() => way.close())
  scene.work({
    listening: { ...service, host: '127.0.0.1', port: way.port },
    onLog: line => lines.push(line),
  })
  const [before] = await eventually(async () => {
    const found = await listeners()
    expect(found).toHaveLength(1)
    return found
  })
  // Until the way is open again nothing can wake the worker, so what arrives was found by polling.
  way.close()
  await eventually(() =>
    expect(lines.map(({ msg }) => msg)).toContainEqual(
      expect.stringMatching(/^the LISTEN connection was lost/),
    ),
  )
  await emit(scene.database.db, scene.account.id)
  await scene.receiver.arrived(1, endpoint.path)
  await way.reopen()
  await eventually(async () => {
    const [after] = await listeners()
    expect(after?.pid).toEqual(expect.any(Number))
    expect(after?.pid).not.toBe(before?.pid)
  })
  await emit(scene.database.db, scene.account.id)
  await scene.receiver.arrived(2, endpoint.path)
})

it('sends again after the lease what was sent but could not be recorded', async () => {
  const clock = { offsetMs: 0 }
  const lines: Record<string, unknown>[] = []
  const endpoint = await scene.subscribe()
  // Recording fails as a whole, for a reason that passes.
  await scene.database.owner.query(
    'ALTER TABLE delivery_attempts ADD CONSTRAINT refuse_all CHECK (false) NOT VALID',
  )
  scene.work({ clock, onLog: line => lines.push(line) })
  await emit(scene.database.db, scene.account.id)
  await scene.receiver.arrived(1, endpoint.path)
  await eventually(() => expect(lines.map(({ msg }) => msg)).toContain('failed to record delivery attempts'))
  expect(await deliveriesOf(scene)).toMatchObject([{ status: 'pending', attempts: [] }])
  await scene.database.owner.query('ALTER TABLE delivery_attempts DROP CONSTRAINT refuse_all')
  // Not before the lease is over: another worker could still be at it. It is longer here, so that none of it passes meanwhile.
  const { rows } = await scene.database.owner.query(
    `UPDATE deliveries d SET leased_until = now() + interval '1 hour' FROM deliveries old
      WHERE old.id = d.id RETURNING extract(epoch FROM now() - old.leased_until)::float8 * 1000 AS over_ms`,
  )
  expect(rows[0].over_ms).toBeGreaterThanOrEqual(-LEASE_MS)
  clock.offsetMs = HOUR_MS - 60_000
  await wakeWorkers(scene.database.db)
  await emit(scene.database.db, scene.account.id)
  await scene.receiver.arrived(2, endpoint.path)
  clock.offsetMs = HOUR_MS + 1000
  await wakeWorkers(scene.database.db)
  const received = await scene.receiver.arrived(3, endpoint.path)
  expect(received[2]?.body).toEqual(received[0]?.body)
  expect(received[2]?.headers['tributary-attempt']).toBe('1')
  await eventually(async () =>
    expect(await deliveriesOf(scene)).toMatchObject([
      { status: 'delivered', attempts: [{ number: 1 }] },
      { status: 'delivered', attempts: [{ number: 1 }] },
    ]),
  )
})

it('does not send again what it is still recording, though the lease runs out meanwhile', async () => {
  const clock = { offsetMs: 0 }
  const endpoint = await scene.subscribe()
  const held = await scene.database.owner.connect()
  await held.query('BEGIN; LOCK TABLE delivery_attempts IN EXCLUSIVE MODE')
  scene.work({ clock })
  await emit(scene.database.db, scene.account.id)
  await scene.receiver.arrived(1, endpoint.path)
  const leasedUntil = async () =>
    (await held.query('SELECT leased_until FROM deliveries')).rows[0].leased_until as Date
  const before = await leasedUntil()
  clock.offsetMs = LEASE_MS + 1000
  await wakeWorkers(scene.database.db)
  // It was claimed once more: the lease is another.
  await eventually(async () => expect((await leasedUntil()) > before).toBe(true))
  // What it would have sent with that claim comes before what it sends with the next.
  await emit(scene.database.db, scene.account.id)
  await scene.receiver.arrived(2, endpoint.path)
  await held.query('COMMIT')
  held.release()
  await eventually(async () =>
    expect(await deliveriesOf(scene)).toMatchObject([
      { status: 'delivered', attempts: [{ number: 1 }] },
      { status: 'delivered', attempts: [{ number: 1 }] },
    ]),
  )
  const ids = scene.receiver.at(endpoint.path).map(({ body }) => JSON.parse(String(body)).id)
  expect(new Set(ids).size).toBe(2)
  expect(ids).toHaveLength(2)
})

it('does not log the row that PostgreSQL refused, which holds the answer of the receiver', async () => {
  const lines: Record<string, unknown>[] = []
  await scene.subscribe()
  await scene.database.owner.query(
    'ALTER TABLE delivery_attempts ADD CONSTRAINT refuse_all CHECK (false) NOT VALID',
  )
  scene.work({ onLog: line => lines.push(line) })
  await emit(scene.database.db, scene.account.id)
  await eventually(() => expect(lines.map(({ msg }) => msg)).toContain('failed to record delivery attempts'))
  await scene.database.owner.query('ALTER TABLE delivery_attempts DROP CONSTRAINT refuse_all')
  expect(JSON.stringify(lines)).not.toContain(Buffer.from('thank you').toString('hex'))
})
