/** Protects against a database that goes away: polling is the net under LISTEN, and what is not recorded is sent again. */

import { expect, it } from 'vitest'
import { LEASE_MS } from '../../src/delivery/delivery-queue.store.ts'
import { asAdmin } from './admin.ts'
import { deliveriesOf, emit, eventually, useDeliveries, wakeWorkers } from './scene.ts'

const scene = useDeliveries()
const databaseName = () => scene.database.service.database as string

const listeners = () =>
  asAdmin<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity WHERE datname = $1 AND application_name = 'tributary listener' AND query LIKE 'LISTEN%'`,
    [databaseName()],
  )

it('delivers by polling while it cannot listen, and listens again', async () => {
  const endpoint = await scene.subscribe()
  const lines: Record<string, unknown>[] = []
  scene.work({ onLog: line => lines.push(line) })
  const [before] = await eventually(async () => {
    const found = await listeners()
    expect(found).toHaveLength(1)
    return found
  })
  await asAdmin('SELECT pg_terminate_backend($1)', [before?.pid])
  await eventually(() =>
    expect(lines.map(({ msg }) => msg)).toContainEqual(expect.stringMatching(/^listening was/)),
  )
  await emit(scene.database.db, scene.account.id)
  const [received] = await scene.receiver.arrived(1, endpoint.path, 5000)
  const { created_at } = JSON.parse(String(received?.body))
  expect((received?.atMs as number) - Date.parse(created_at)).toBeLessThan(2000)
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
  await eventually(() => expect(lines.map(({ msg }) => msg)).toContain('attempts could not be recorded'))
  expect(await deliveriesOf(scene)).toMatchObject([{ status: 'pending', attempts: [] }])
  await scene.database.owner.query('ALTER TABLE delivery_attempts DROP CONSTRAINT refuse_all')
  // Not before the lease is over: another worker could still be at it.
  clock.offsetMs = LEASE_MS - 5000
  await wakeWorkers(scene.database.db)
  await emit(scene.database.db, scene.account.id)
  await scene.receiver.arrived(2, endpoint.path)
  clock.offsetMs = LEASE_MS + 1000
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
  await eventually(() => expect(lines.map(({ msg }) => msg)).toContain('attempts could not be recorded'))
  await scene.database.owner.query('ALTER TABLE delivery_attempts DROP CONSTRAINT refuse_all')
  expect(JSON.stringify(lines)).not.toContain(Buffer.from('thank you').toString('hex'))
})
