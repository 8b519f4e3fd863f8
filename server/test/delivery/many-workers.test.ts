/** Protects row 4: workers share one queue without losing a delivery or making one twice. */
import { expect, it } from 'vitest'
import { sql } from '../../src/db/sql.ts'
import { emit, eventually, useDeliveries } from './scene.ts'

const scene = useDeliveries()
/** Raised by the chaos run: row 4 asks for 10,000 deliveries. */
const DELIVERIES = 2000
const ENDPOINTS = 8
const MOST_DUPLICATES = 0.001

it.each([2, 8])('%i workers deliver everything to everybody, once', async workers => {
  const endpoints = await Promise.all(Array.from({ length: ENDPOINTS }, () => scene.subscribe()))
  const half = DELIVERIES / ENDPOINTS / 2
  const before = scene.receiver.received.length
  // One half waits for the workers, the other comes while they work.
  await emit(scene.database.db, scene.account.id, half)
  for (let index = 0; index < workers; index++) scene.work()
  await emit(scene.database.db, scene.account.id, half)
  await eventually(async () => {
    const [left] = await scene.database.db.many<{ count: number }>(
      sql`SELECT count(*)::integer AS count FROM deliveries WHERE status <> 'delivered'`,
    )
    expect(left?.count).toBe(0)
  }, 20_000)
  const events = (await scene.database.db.many<{ id: number }>(sql`SELECT id FROM events`)).map(
    ({ id }) => id,
  )
  expect(events).toHaveLength(2 * half)
  for (const { path } of endpoints) {
    const ids = new Set(scene.receiver.at(path).map(({ headers }) => Number(headers['tributary-event-id'])))
    expect(events.filter(id => !ids.has(id))).toEqual([])
  }
  const duplicates = scene.receiver.received.length - before - DELIVERIES
  console.info(`${workers} workers, ${DELIVERIES} deliveries: ${duplicates} duplicates`)
  expect(duplicates).toBeLessThanOrEqual(DELIVERIES * MOST_DUPLICATES)
})
