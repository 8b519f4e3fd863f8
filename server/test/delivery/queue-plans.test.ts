/** Claiming and recording cost the same however long the queue and the log are: after an outage they must not get slower with the backlog. */
import { expect, it } from 'vitest'
import type { Db, Tx } from '../../src/db/database.ts'
import type { Sql } from '../../src/db/sql.ts'
import { claimDeliveries } from '../../src/webhooks/delivery/claim-deliveries.store.ts'
import type { AttemptResult } from '../../src/webhooks/delivery/delivery.ts'
import { recordAttempts } from '../../src/webhooks/delivery/delivery-queue.store.ts'
import { rowsRead } from '../rows-read.ts'
import { useDeliveries } from './scene.ts'

const scene = useDeliveries()

const BACKLOG = 5000
const AT_ONCE = 16

/** The statements that record one delivered attempt for each of these deliveries. */
function recording(accountId: number, ids: number[]): Sql[] {
  const sent: Sql[] = []
  const tx = { send: (statement: Sql) => void sent.push(statement) } as unknown as Tx
  const results = ids.map(id => ({
    delivery: { account_id: accountId, id, attempts: 0, leased_until: null },
    outcome: { durationMs: 1, status: 200, response: Buffer.alloc(0) },
    startedAtMs: Date.now(),
    next: { status: 'delivered' },
  }))
  recordAttempts(tx, { offsetMs: 0 }, results as unknown as AttemptResult[])
  return sent
}

/** The statement that claims deliveries of one endpoint. */
function claiming(endpointId: number): Sql[] {
  const sent: Sql[] = []
  const db = { many: async (statement: Sql) => void sent.push(statement) } as unknown as Db
  const known = new Map([[endpointId, { limit: AT_ONCE, inFlight: 0 }]])
  const limits = { free: 512, freeForFailing: 256, perNewEndpoint: 2, perFailingEndpoint: 1, known }
  void claimDeliveries(db, { offsetMs: 0 }, { ...limits, accounts: new Map() })
  return sent
}

/** How many deliveries these statements read, and the rows that the last one returns. */
async function reads(statements: Sql[]): Promise<{ read: number; rows: object[] }> {
  const client = await scene.database.owner.connect()
  let rows: object[] = []
  try {
    const read = await rowsRead(client, 'deliveries', async () => {
      for (const [index, { text, values }] of statements.entries())
        ({ rows } = await client.query({ name: `${statements.length} ${index}`, text, values }))
    })
    return { read, rows }
  } finally {
    client.release()
  }
}

const copies = (endpointId: number, status: string) =>
  scene.database.owner.query(
    `INSERT INTO deliveries (account_id, event_id, endpoint_id, due_at, status)
     SELECT d.account_id, d.event_id, d.endpoint_id, now(), $3
       FROM (SELECT * FROM deliveries WHERE endpoint_id = $1 LIMIT 1) d, generate_series(1, $2::integer)`,
    [endpointId, BACKLOG, status],
  )
const analyze = () => scene.database.owner.query('ANALYZE deliveries')
const pending = async (): Promise<number[]> =>
  (await scene.database.owner.query(`SELECT id::integer FROM deliveries WHERE status = 'pending'`)).rows.map(
    ({ id }) => id,
  )

it('recording reads no other delivery, also where the planner expects an empty queue', async () => {
  const endpoint = await scene.subscribe()
  await scene.approve()
  await copies(endpoint.id, 'delivered')
  await analyze()
  await copies(endpoint.id, 'pending')

  const ids = (await pending()).slice(0, 50)
  const statements = recording(scene.account.id, ids)
  expect(statements).toHaveLength(2)
  // One for each delivery's update.
  expect((await reads(statements)).read).toBeLessThanOrEqual(2 * ids.length)
  expect(await pending()).toHaveLength(BACKLOG + 1 - ids.length)
})

it.each([
  { expects: 'an empty queue', inOrder: ['delivered', 'analyze', 'pending'] },
  { expects: 'the backlog', inOrder: ['delivered', 'pending', 'analyze'] },
])('claiming reads a few for each that it claims where the planner expects $expects', async ({ inOrder }) => {
  const endpoint = await scene.subscribe()
  await scene.approve()
  for (const step of inOrder) await (step === 'analyze' ? analyze() : copies(endpoint.id, step))

  const { read, rows } = await reads(claiming(endpoint.id))
  expect(rows).toHaveLength(AT_ONCE)
  // One to find the endpoint, and each counted, locked and updated.
  expect(read).toBeLessThanOrEqual(4 * AT_ONCE)
})
