/** What has outlived its use goes, and nothing else does: pending deliveries, live links and fresh answers stay. */
import { describe, expect, it } from 'vitest'
import { sweeps } from '../src/runtime/background/sweeps.ts'
import { buildAffiliate, buildCampaign } from './factories.ts'
import { useOwnScene } from './harness.ts'
import { whileLocked } from './interleave.ts'

const scene = useOwnScene()

async function sweepAll(): Promise<void> {
  for (const sweep of Object.values(sweeps)) await sweep(scene.database.db)
}
const owner = async (text: string) => (await scene.database.owner.query(text)).rows
const count = async (table: string) => Number((await owner(`SELECT count(*) FROM ${table}`))[0].count)

it('the delivery log is kept for 90 days, pending deliveries for as long as it takes', async () => {
  const { api, database, account } = scene
  const campaign = await buildCampaign(database, account.id)
  const subscribe = async () =>
    (
      await api.post('/webhook_endpoints', {
        url: 'https://receiver.example/',
        events: ['promoter.approved'],
      })
    ).body.id
  const [kept, deleted] = [await subscribe(), await subscribe()]
  const { id } = await buildAffiliate(database, account.id, campaign.id)
  await api.patch(`/affiliates/${id}`, { status: 'approved' })
  await api.delete(`/webhook_endpoints/${deleted}`)
  await owner(`UPDATE deliveries SET created_at = now() - interval '91 days'`)
  await owner(`UPDATE webhook_endpoints SET deleted_at = now() - interval '91 days' WHERE id = ${deleted}`)

  await sweepAll()
  expect(await owner('SELECT endpoint_id::integer, status FROM deliveries')).toEqual([
    { endpoint_id: kept, status: 'pending' },
  ])
  expect(await owner('SELECT id::integer FROM webhook_endpoints')).toEqual([{ id: kept }])

  await owner(`UPDATE deliveries SET status = 'delivered', created_at = now() - interval '89 days'`)
  await sweepAll()
  expect(await count('deliveries')).toBe(1)
  await owner(`UPDATE deliveries SET created_at = now() - interval '91 days'`)
  await sweepAll()
  expect(await count('deliveries')).toBe(0)
  expect(await count('events')).toBe(1)
})

it('finds old deliveries of every endpoint, behind a pending one too, and none that are newer', async () => {
  const { api, database, account } = scene
  for (const path of ['first', 'second'])
    await api.post('/webhook_endpoints', {
      url: `https://receiver.example/${path}`,
      events: ['promoter.approved'],
    })
  await owner('DELETE FROM deliveries')
  const place = await buildCampaign(database, account.id)
  for (let events = 0; events < 4; events++) {
    const { id } = await buildAffiliate(database, account.id, place.id)
    await api.patch(`/affiliates/${id}`, { status: 'approved' })
  }
  const [oldest, ...rest] = (
    await owner('SELECT DISTINCT event_id::integer AS id FROM deliveries ORDER BY 1')
  ).map(({ id }) => id)
  await owner(`INSERT INTO delivery_attempts (account_id, delivery_id, number, started_at, duration_ms)
               SELECT account_id, id, 1, now(), 1 FROM deliveries`)
  await owner(`UPDATE deliveries SET status = 'delivered' WHERE event_id <> ${oldest}`)
  await owner(`UPDATE deliveries SET created_at = now() - interval '91 days' WHERE event_id <= ${rest[1]}`)
  const left = 'SELECT event_id::integer AS id FROM deliveries ORDER BY 1, endpoint_id'
  const endpoints = await count('(SELECT DISTINCT endpoint_id FROM deliveries) each')
  expect(endpoints).toBeGreaterThan(1)

  await sweepAll()
  expect((await owner(left)).map(({ id }) => id)).toEqual(
    [oldest, rest[2]].flatMap(id => Array.from({ length: endpoints }, () => id)),
  )
  expect(await owner('SELECT delivery_id FROM delivery_attempts ORDER BY 1')).toEqual(
    await owner('SELECT id AS delivery_id FROM deliveries ORDER BY 1'),
  )
})

it('a delivery that was promised to an endpoint just switched off is ended', async () => {
  const { api, database, account } = scene
  const campaign = await buildCampaign(database, account.id)
  await api.post('/webhook_endpoints', { url: 'https://receiver.example/', events: ['promoter.approved'] })
  const { id } = await buildAffiliate(database, account.id, campaign.id)
  await api.patch(`/affiliates/${id}`, { status: 'approved' })
  await owner(`UPDATE webhook_endpoints SET status = 'disabled'`)
  await sweepAll()
  expect(await owner(`SELECT 1 FROM deliveries WHERE status = 'pending'`)).toEqual([])
})

it('answers are kept for a day, sign-in links for a week after they expired', async () => {
  const { api, database, account } = scene
  const campaign = await buildCampaign(database, account.id)
  const { id } = await buildAffiliate(database, account.id, campaign.id)
  const mint = (key: string) =>
    api.post(`/affiliates/${id}/magic_link`, undefined, { headers: { 'idempotency-key': key } })
  await mint('old')
  await owner(`UPDATE idempotency_keys SET created_at = now() - interval '25 hours'`)
  await owner(`UPDATE magic_links SET expires_at = now() - interval '8 days'`)
  await mint('new')
  await sweepAll()
  expect(await owner('SELECT idempotency_key FROM idempotency_keys')).toEqual([{ idempotency_key: 'new' }])
  expect(await count('magic_links')).toBe(1)
})

describe('a backlog of more than one statement deletes', () => {
  const rows = 'generate_series(1, 10001) n'
  /** As many expired rows of each table. */
  const backlogs: Record<string, { table: string; insert: string }> = {
    'idempotency keys': {
      table: 'idempotency_keys',
      insert: `INSERT INTO idempotency_keys (account_id, api_key_id, idempotency_key, request_hash, sealed_answer, created_at)
               SELECT k.account_id, k.id, 'old-' || n, '', '', now() - interval '25 hours' FROM (SELECT * FROM api_keys LIMIT 1) k, ${rows}`,
    },
    'magic links': {
      table: 'magic_links',
      insert: `INSERT INTO magic_links (account_id, token_hash, affiliate_id, expires_at)
               SELECT f.account_id, sha256(n::text::bytea), f.id, now() - interval '8 days' FROM (SELECT * FROM affiliates LIMIT 1) f, ${rows}`,
    },
    'delivery log': {
      table: 'deliveries',
      insert: `INSERT INTO deliveries (account_id, event_id, endpoint_id, status, due_at, created_at)
               SELECT w.account_id, v.id, w.id, 'delivered', now(), now() - interval '91 days'
                 FROM (SELECT * FROM webhook_endpoints ORDER BY id LIMIT 1) w
                 JOIN LATERAL (SELECT * FROM events v WHERE v.account_id = w.account_id LIMIT 1) v ON true, ${rows}`,
    },
    'pending credits': {
      table: 'pending_credits',
      insert: `WITH made AS (
                 INSERT INTO conversions (account_id, campaign_id, customer_ref, attribution, occurred_at)
                 SELECT c.account_id, c.id, gen_random_uuid(), '{}', now() FROM (SELECT * FROM campaigns LIMIT 1) c, ${rows} RETURNING account_id, id)
               INSERT INTO pending_credits (account_id, affiliate_id, conversion_id, attribution, place, is_test, review, credit_until)
               SELECT f.account_id, f.id, made.id, '{}', 0, false, '{}', now() - interval '8 days'
                 FROM made JOIN LATERAL (SELECT * FROM affiliates f WHERE f.account_id = made.account_id LIMIT 1) f ON true`,
    },
  }
  const fill = async ({ table, insert }: { table: string; insert: string }) => {
    await owner(`DELETE FROM ${table}`)
    await owner(insert)
    expect(await count(table)).toBe(10_001)
  }

  for (const [name, backlog] of Object.entries(backlogs))
    it(`of ${name} is gone after one run, or when it goes on after a stop`, async () => {
      await fill(backlog)
      await sweeps[name]?.(scene.database.db, AbortSignal.abort())
      expect(await count(backlog.table)).toBe(1)
      await fill(backlog)
      await sweeps[name]?.(scene.database.db)
      expect(await count(backlog.table)).toBe(0)
      // Rows that another process is at are not waited for.
      await fill(backlog)
      const held = `SELECT 1 FROM ${backlog.table} LIMIT 1 FOR UPDATE`
      await whileLocked(scene.database.owner, held, async () => {
        for (let runs = 0; runs < 2; runs++) await sweeps[name]?.(scene.database.db)
      })
      expect(await count(backlog.table)).toBe(1)
    })
})
