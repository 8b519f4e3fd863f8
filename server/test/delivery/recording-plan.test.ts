/** Recording results costs the same however long the queue is: after an outage it must not get slower with the backlog. */
import { expect, it } from 'vitest'
import type { Tx } from '../../src/db/database.ts'
import type { Sql } from '../../src/db/sql.ts'
import type { AttemptResult } from '../../src/webhooks/delivery/delivery.ts'
import { recordAttempts } from '../../src/webhooks/delivery/delivery-queue.store.ts'
import { useDeliveries } from './scene.ts'

const scene = useDeliveries()

const BACKLOG = 5000

/** The statements that record one delivered attempt for each of these deliveries. */
function statementsFor(accountId: number, ids: number[]): Sql[] {
  const sent: Sql[] = []
  const tx = { send: (statement: Sql) => void sent.push(statement) } as unknown as Tx
  const results = ids.map(id => ({
    delivery: { account_id: accountId, id, attempts: 0 },
    outcome: { durationMs: 1, status: 200, response: Buffer.alloc(0) },
    startedAtMs: Date.now(),
    next: { status: 'delivered' },
  }))
  recordAttempts(tx, { offsetMs: 0 }, results as unknown as AttemptResult[])
  return sent
}

it('reads no other delivery, also where the planner expects an empty queue', async () => {
  const { owner } = scene.database
  const endpoint = await scene.subscribe()
  await scene.approve()
  const copies = (count: number, status: string) =>
    owner.query(
      `INSERT INTO deliveries (account_id, event_id, endpoint_id, due_at, status)
       SELECT d.account_id, d.event_id, d.endpoint_id, now(), $3
         FROM (SELECT * FROM deliveries WHERE endpoint_id = $1 LIMIT 1) d, generate_series(1, $2::integer)`,
      [endpoint.id, count, status],
    )
  await copies(BACKLOG, 'delivered')
  await owner.query('ANALYZE deliveries')
  await copies(BACKLOG, 'pending')

  const { rows } = await owner.query(`SELECT id::integer FROM deliveries WHERE status = 'pending' LIMIT 50`)
  const statements = statementsFor(
    scene.account.id,
    rows.map(({ id }) => id),
  )
  expect(statements).toHaveLength(2)
  const client = await owner.connect()
  try {
    const read = async () =>
      (
        await client.query(`SELECT (coalesce(idx_tup_fetch, 0) + seq_tup_read)::integer AS n
                             FROM pg_stat_xact_user_tables WHERE relname = 'deliveries'`)
      ).rows[0].n
    // As in the service, where the statements are prepared and soon get a generic plan.
    await client.query('BEGIN; SET LOCAL plan_cache_mode = force_generic_plan')
    const before = await read()
    for (const [index, { text, values }] of statements.entries())
      await client.query({ name: `recording ${index}`, text, values })
    // One for each delivery's update, and one for each attempt's foreign key.
    expect((await read()) - before).toBeLessThanOrEqual(3 * rows.length)
    await client.query('COMMIT')
  } finally {
    client.release()
  }
  const left = await owner.query(`SELECT count(*)::integer AS n FROM deliveries WHERE status = 'pending'`)
  expect(left.rows[0].n).toBeGreaterThanOrEqual(BACKLOG - rows.length)
  expect(left.rows[0].n).toBeLessThan(BACKLOG)
})
