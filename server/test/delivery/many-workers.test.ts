/** Protects row 4: workers share one queue without losing a delivery or making one twice. */
import { expect, it } from 'vitest'
import { reportMeasurement, sized } from '../../../testing/size.ts'
import { sql } from '../../src/db/sql.ts'
import { emit, eventually, useDeliveries } from './scene.ts'

const scene = useDeliveries()
const DELIVERIES = sized(800, 10_000)
const PATIENCE_MS = sized(180_000, 300_000)
const ENDPOINTS = 8
const MOST_DUPLICATES = 0.001

it.each([2, 8])(
  '%i workers deliver everything to everybody, once',
  { timeout: 2 * PATIENCE_MS },
  async workers => {
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
    }, PATIENCE_MS)
    const events = (await scene.database.db.many<{ id: number }>(sql`SELECT id FROM events`)).map(
      ({ id }) => id,
    )
    expect(events).toHaveLength(2 * half)
    const lost = endpoints.flatMap(({ path }) => {
      const ids = new Set(scene.receiver.at(path).map(({ headers }) => Number(headers['tributary-event-id'])))
      return events.filter(id => !ids.has(id))
    })
    const duplicates = (scene.receiver.received.length - before - DELIVERIES) / DELIVERIES
    const of = `of ${DELIVERIES} deliveries by ${workers} workers`
    reportMeasurement({ row: 4, what: `lost ${of}`, value: lost.length, bar: '0', holds: lost.length === 0 })
    reportMeasurement({
      row: 4,
      what: `duplicates ${of}`,
      value: `${(100 * duplicates).toFixed(2)} %`,
      bar: '≤ 0.1 %',
      holds: duplicates <= MOST_DUPLICATES,
    })
    expect(lost).toEqual([])
    expect(duplicates).toBeLessThanOrEqual(MOST_DUPLICATES)
  },
)
