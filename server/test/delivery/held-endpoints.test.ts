/** Protects accounts from each other's locks: while an endpoint's row is held, results of all other endpoints are recorded. */
import type pg from 'pg'
import { afterEach, expect, it } from 'vitest'
import { TestClient } from '../client.ts'
import { lockWaiters } from '../interleave.ts'
import { type Behaviour, behaviours } from './receiver.ts'
import { buildStranger, deliveriesOf, emit, eventually, useDeliveries } from './scene.ts'

const scene = useDeliveries()
const PATIENT = { timeout: 120_000 }

/** Another account with an endpoint. */
async function neighbour(behaviour?: Behaviour) {
  const account = await buildStranger(scene)
  const path = `/neighbour-${account.id}`
  if (behaviour) scene.receiver.behave(path, behaviour)
  const { body } = await new TestClient(scene.app.url, account.key).post('/webhook_endpoints', {
    url: scene.receiver.url(path),
    events: ['promoter.approved'],
  })
  const deliveries = () => deliveriesOf({ ...scene, account }, body.id)
  return { accountId: account.id, endpointId: body.id as number, path, deliveries }
}

const held: (() => Promise<void>)[] = []
// Before the workers stop, which wait for what they record.
afterEach(async () => {
  for (const end of held.splice(0)) await end()
})

/** Runs statements in a transaction that stays open until the returned function is called. */
async function hold(...statements: [text: string, values?: unknown[]][]): Promise<() => Promise<void>> {
  let client: pg.PoolClient | undefined = await scene.database.owner.connect()
  const end = async () => {
    await client?.query('COMMIT')
    client?.release()
    client = undefined
  }
  held.push(end)
  await client.query('BEGIN')
  for (const [text, values] of statements) await client.query(text, values)
  return end
}

/** As a replay holds it while it inserts. */
const holdRow = (endpointId: number) =>
  hold(['SELECT 1 FROM webhook_endpoints WHERE id = $1 FOR NO KEY UPDATE', [endpointId]])

it('records the deliveries of others, and its own once the row is free', PATIENT, async () => {
  const failing = await scene.subscribe(behaviours.status(500))
  const other = await neighbour()
  const release = await holdRow(failing.id)
  scene.work()
  await emit(scene.database.db, scene.account.id)
  await scene.receiver.arrived(1, failing.path)
  for (let count = 1; count <= 3; count++) {
    await emit(scene.database.db, other.accountId)
    await eventually(async () =>
      expect(await other.deliveries()).toEqual(
        Array.from({ length: count }, () => expect.objectContaining({ status: 'delivered' })),
      ),
    )
  }
  expect(await deliveriesOf(scene, failing.id)).toMatchObject([{ status: 'pending', attempts: [] }])
  await release()
  await eventually(async () =>
    expect(await deliveriesOf(scene, failing.id)).toMatchObject([
      { status: 'pending', attempts: [{ number: 1, response_status: 500 }] },
    ]),
  )
  const { rows } = await scene.database.owner.query(
    'SELECT d.attempts, w.failing_since FROM deliveries d JOIN webhook_endpoints w ON w.id = d.endpoint_id WHERE w.id = $1',
    [failing.id],
  )
  expect(rows).toEqual([{ attempts: 1, failing_since: expect.anything() }])
  expect(scene.receiver.at(failing.path)).toHaveLength(1)
  expect(scene.receiver.at(other.path)).toHaveLength(3)
})

it('sends an endpoint nothing more while its results wait', PATIENT, async () => {
  const QUEUE = 300
  const failing = await scene.subscribe(behaviours.status(500))
  const other = await neighbour()
  await emit(scene.database.db, scene.account.id, QUEUE)
  await scene.database.owner.query('UPDATE webhook_endpoints SET failing_since = now() WHERE id = $1', [
    failing.id,
  ])
  const release = await holdRow(failing.id)
  scene.work()
  await scene.receiver.arrived(1, failing.path)
  const deliver = async (count: number) => {
    const before = scene.receiver.at(other.path).length
    await emit(scene.database.db, other.accountId, count)
    await eventually(async () => {
      const delivered = (await other.deliveries()).filter(({ status }) => status === 'delivered')
      expect(delivered).toHaveLength(before + count)
    })
  }
  // Some more are sent until the lock is noticed, one after the other.
  for (let turn = 0; turn < 5; turn++) await deliver(1)
  const sent = scene.receiver.at(failing.path).length
  expect(sent).toBeLessThan(QUEUE)
  for (let turn = 0; turn < 5; turn++) await deliver(5)
  expect(scene.receiver.at(failing.path)).toHaveLength(sent)
  await release()
  await scene.receiver.arrived(sent + 1, failing.path)
})

it('records the deliveries of others while an endpoint is being deleted', PATIENT, async () => {
  const answers: (() => void)[] = []
  const deleted = await scene.subscribe(response => answers.push(() => response.end()))
  const other = await neighbour()
  scene.work()
  await emit(scene.database.db, scene.account.id)
  await scene.receiver.arrived(1, deleted.path)
  const release = await hold(
    ['SELECT 1 FROM webhook_endpoints WHERE id = $1 FOR UPDATE', [deleted.id]],
    [
      'UPDATE webhook_endpoints SET deleted_at = now(), sealed_secret = NULL WHERE id = $1 RETURNING 1',
      [deleted.id],
    ],
    ["UPDATE deliveries SET status = 'canceled' WHERE endpoint_id = $1", [deleted.id]],
  )
  for (const answer of answers) answer()
  // One of them may be recorded before that answer.
  for (let turn = 0; turn < 3; turn++) {
    await emit(scene.database.db, other.accountId)
    await eventually(async () => expect((await other.deliveries()).at(-1)?.status).toBe('delivered'))
  }
  await release()
  await eventually(async () =>
    expect(await deliveriesOf(scene, deleted.id)).toMatchObject([
      { status: 'canceled', attempts: [{ number: 1, response_status: 200 }] },
    ]),
  )
})

it('records the deliveries of others while a 410 cancels the queue of its endpoint', PATIENT, async () => {
  const gone = await scene.subscribe(behaviours.status(410))
  const other = await neighbour()
  await emit(scene.database.db, scene.account.id, 20)
  // Canceling waits for the newest, which is not claimed while it is held.
  const release = await hold([
    'SELECT 1 FROM deliveries WHERE endpoint_id = $1 ORDER BY id DESC LIMIT 1 FOR UPDATE',
    [gone.id],
  ])
  scene.work()
  await scene.receiver.arrived(1, gone.path)
  await eventually(async () => expect(await lockWaiters(scene.database.owner)).not.toEqual([]))
  await emit(scene.database.db, other.accountId)
  await eventually(async () => expect(await other.deliveries()).toMatchObject([{ status: 'delivered' }]))
  expect((await scene.api.get('/webhook_endpoints')).body.data).toMatchObject([
    { id: gone.id, status: 'active' },
  ])
  await release()
  await eventually(async () =>
    expect((await scene.api.get('/webhook_endpoints')).body.data).toMatchObject([
      { id: gone.id, status: 'disabled' },
    ]),
  )
  const left = (await deliveriesOf(scene, gone.id)).map(({ status }) => status)
  expect(left).toContain('failed')
  expect(left).not.toContain('pending')
})

it('records a success while an event is being recorded for its endpoint', PATIENT, async () => {
  const healthy = await scene.subscribe()
  const failing = await scene.subscribe(behaviours.status(500))
  await emit(scene.database.db, scene.account.id)
  const release = await hold(
    ['SELECT 1 FROM webhook_endpoints WHERE id = $1 FOR KEY SHARE', [healthy.id]],
    ['SELECT 1 FROM webhook_endpoints WHERE id = $1 FOR UPDATE', [failing.id]],
  )
  scene.work()
  await eventually(async () =>
    expect(await deliveriesOf(scene, healthy.id)).toMatchObject([{ status: 'delivered' }]),
  )
  expect(await deliveriesOf(scene, failing.id)).toMatchObject([{ attempts: [] }])
  await release()
  await eventually(async () =>
    expect(await deliveriesOf(scene, failing.id)).toMatchObject([{ attempts: [{ number: 1 }] }]),
  )
})
