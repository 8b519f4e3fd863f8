/** Protects lists from a rare source: a request looks at a bounded number of rows, and the next one goes on until all are found. */
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, it } from 'vitest'
import { listEvents } from '../../src/connectors/connector-event.store.ts'
import { lookForCommissions } from '../../src/dashboard/commissions/commission-search.store.ts'
import { MOST_LOOKED_AT } from '../../src/dashboard/look-through.store.ts'
import { lookForMails } from '../../src/dashboard/mail/mail-list.store.ts'
import { lookForReferrals } from '../../src/dashboard/referrals/referral-list.store.ts'
import { lookForClicks } from '../../src/dashboard/traffic/click-list.store.ts'
import { lookForSales } from '../../src/dashboard/traffic/sale-list.store.ts'
import { lookUpSales } from '../../src/dashboard/traffic/sale-search.store.ts'
import type { Db } from '../../src/db/database.ts'
import type { Sql } from '../../src/db/sql.ts'
import { listDeliverySummaries } from '../../src/webhooks/endpoints/delivery-log.store.ts'
import { buildAffiliate } from '../factories.ts'
import { useOwnScene } from '../harness.ts'
import { rowsRead } from '../rows-read.ts'
import { Person } from './person.ts'

const scene = useOwnScene()
const ROWS = 2 * MOST_LOOKED_AT + 100
const rare = { source: 'referrer', source_value: 'rare.example' } as const
let viewer: Person

beforeAll(async () => {
  const { database, account, place } = scene
  viewer = await Person.join(scene.app, account.id, 'viewer')
  const values = [account.id, place.campaign_id, place.affiliate_id]
  await database.owner.query(
    `INSERT INTO referrals (account_id, campaign_id, affiliate_id, customer_ref, status, occurred_at)
     SELECT $1, $2, $3, 'customer-' || n, 'approved', now() FROM generate_series(1, $4::integer) n`,
    [...values, ROWS],
  )
  await database.owner.query(
    `INSERT INTO commissions (account_id, campaign_id, affiliate_id, referral_id, entry_type, beneficiary, amount_minor, currency,
                              payout_amount_minor, payout_currency, status)
     SELECT $1, $2, $3, r.id, 'earned', 'affiliate', 100, 'USD', 100, 'USD', 'approved' FROM referrals r WHERE r.account_id = $1`,
    values,
  )
  // The first one and the last one.
  await database.owner.query(
    `INSERT INTO referral_sources (account_id, referral_id, campaign_id, affiliate_id, referrer)
     SELECT $1, r.id, $2, $3, CASE WHEN r.customer_ref IN ('customer-1', $4) THEN 'rare.example' ELSE 'common.example' END
       FROM referrals r WHERE r.account_id = $1`,
    [...values, `customer-${ROWS}`],
  )
  // The newest sale has the lowest id.
  await database.owner.query(
    `INSERT INTO sales (account_id, external_id, customer_ref, referral_id, amount_minor, currency, occurred_at)
     SELECT r.account_id, r.customer_ref, r.customer_ref, r.id, 100, 'USD', now() - row_number() OVER (ORDER BY r.id) * interval '1 second'
       FROM referrals r WHERE r.account_id = $1 ORDER BY r.id`,
    [account.id],
  )
  await database.owner.query(
    `INSERT INTO clicks (account_id, campaign_id, affiliate_id, is_bot, referrer, created_at)
     SELECT $1, $2, $3, false, 'https://' || CASE WHEN n IN (1, $4) THEN 'rare' ELSE 'common' END || '.example/', now()
       FROM generate_series(1, $4::integer) n`,
    [...values, ROWS],
  )
  await database.owner.query('ANALYZE')
})

/** The statement that looks for a page. */
async function statementOf(list: (db: Db) => Promise<unknown>): Promise<Sql> {
  const asked: Sql[] = []
  const hear = async (statement: Sql) => void asked.push(statement)
  await list({ first: hear, many: hear } as unknown as Db)
  return asked[0] as Sql
}

/** How many rows of a table and its partitions a statement reads. */
async function rowsReadBy(table: string, { text, values }: Sql): Promise<number> {
  const client = await scene.database.owner.connect()
  try {
    return await rowsRead(client, table, () => client.query({ name: randomUUID(), text, values }))
  } finally {
    client.release()
  }
}

const lists = {
  listReferrals: { table: 'referrals', lookFor: lookForReferrals },
  listCommissions: { table: 'commissions', lookFor: lookForCommissions },
  listSales: {
    table: 'sales',
    lookFor: (db: Db, accountId: number, query: typeof rare) => lookForSales(db, accountId, query),
  },
  listClicks: { table: 'clicks', lookFor: lookForClicks },
}
const routes = ['listReferrals', 'listCommissions', 'listSales', 'listClicks'] as const

it.each(routes)('%s', async route => {
  const { table, lookFor } = lists[route]
  const source = { dimension: rare.source, value: rare.source_value }
  const looking = await statementOf(db => lookFor(db, scene.account.id, rare, source))
  // Sorting by time and id reads one more.
  expect(await rowsReadBy(table, looking)).toBeLessThanOrEqual(MOST_LOOKED_AT + 1)
  for (const order of ['newest', 'oldest'] as const) {
    const sizes: number[] = []
    let after: number | undefined
    do {
      const { body } = await viewer.call(route, { query: { ...rare, order, ...(after && { after }) } })
      sizes.push(body.data.length)
      after = body.next ?? undefined
    } while (after !== undefined)
    expect(sizes).toEqual([1, 0, 1])
    // A page that is full ends with its last row.
    const common = { ...rare, source_value: 'common.example', order, limit: 2 }
    const { body } = await viewer.call(route, { query: common })
    expect([body.data.length, body.next]).toEqual([2, body.data[1].id])
  }
})

it('deliveries and billing events are looked up by an ID', async () => {
  const { account, database } = scene
  const owner = await Person.join(scene.app, account.id, 'owner')
  const connector = (await owner.call('createConnector', { body: { provider: 'stripe' } })).body
  const body = { url: 'https://hooks.example/', events: ['promoter.approved'] }
  const endpoint = (await owner.call('createWebhookEndpoint', { body })).body
  await database.owner.query(
    `INSERT INTO connector_events (account_id, connector_id, provider_id, type, occurred_at, body, status, due_at, sale_external_id)
     SELECT $1, $2, 'evt_' || n, 'invoice.paid', now(), '', 'applied', NULL, 'stripe:in_' || n % $3 FROM generate_series(1, $3::integer) n`,
    [account.id, connector.id, ROWS],
  )
  await database.owner.query(
    `INSERT INTO events (account_id, kind, subject_id, body, created_at)
     SELECT $1, 'promoter.approved', n, '{}', now() FROM generate_series(1, $2::integer) n`,
    [account.id, ROWS],
  )
  await database.owner.query(
    `INSERT INTO deliveries (account_id, event_id, endpoint_id, status, due_at)
     SELECT $1, e.id, $2, 'delivered', now() FROM events e WHERE e.account_id = $1`,
    [account.id, endpoint.id],
  )
  await database.owner.query('ANALYZE connector_events, deliveries')
  const { body: log } = await viewer.call('listDeliveries', { query: { order: 'oldest', limit: 1 } })
  for (const [table, list] of [
    ['deliveries', db => listDeliverySummaries(db, account.id, { q: `${log.data[0].id}` })],
    ['connector_events', db => listEvents(db, account.id, connector.id, { q: 'evt_1' })],
    ['connector_events', db => listEvents(db, account.id, connector.id, { q: 'in_1' })],
  ] as [string, (db: Db) => Promise<unknown>][])
    expect(await rowsReadBy(table, await statementOf(list))).toBeLessThan(10)
})

it('emails of a rare recipient', async () => {
  const { account, database } = scene
  await database.owner.query(
    `INSERT INTO mails (account_id, kind, to_address, subject, text_body, html_body, status)
     SELECT $1, 'approved', CASE WHEN n IN (1, $2) THEN 'rare' ELSE 'common' END || '@example.com', 'Welcome', '', '', 'sent'
       FROM generate_series(1, $2::integer) n`,
    [account.id, ROWS],
  )
  await database.owner.query('ANALYZE mails')
  const looking = await statementOf(db => lookForMails(db, account.id, { q: 'rare@' }))
  expect(await rowsReadBy('mails', looking)).toBeLessThanOrEqual(MOST_LOOKED_AT)
  const admin = await Person.join(scene.app, account.id, 'admin')
  for (const order of ['newest', 'oldest'] as const) {
    const sizes: number[] = []
    let after: number | undefined
    do {
      const query = { q: 'rare@', order, ...(after && { after }) }
      const { body } = await admin.call('listMails', { query })
      sizes.push(body.data.length)
      after = body.next ?? undefined
    } while (after !== undefined)
    expect(sizes).toEqual([1, 0, 1])
  }
})

it('sales of the past are found by their time, and pages follow it', async () => {
  const { account, database } = scene
  const { rows } = await database.owner.query(
    'SELECT occurred_at FROM sales WHERE account_id = $1 ORDER BY occurred_at OFFSET 100 LIMIT 1',
    [account.id],
  )
  const created_before = new Date(rows[0].occurred_at).toISOString()
  const looking = await statementOf(db => lookForSales(db, account.id, { created_before }))
  expect(await rowsReadBy('sales', looking)).toBeLessThan(200)
  for (const order of ['newest', 'oldest'] as const) {
    const times: string[] = []
    let after: number | undefined
    do {
      const query = { created_before, order, limit: 30, ...(after && { after }) }
      const { body } = await viewer.call('listSales', { query })
      times.push(...body.data.map((sale: { occurred_at: string }) => sale.occurred_at))
      after = body.next ?? undefined
    } while (after !== undefined)
    expect(times.length).toBeGreaterThan(60)
    expect(times).toEqual(order === 'oldest' ? times.toSorted() : times.toSorted().reverse())
    expect(new Set(times).size).toBe(times.length)
  }
})

/** All pages of a list, in both orders. */
async function everyPage(route: (typeof routes)[number], query: object): Promise<number[][][]> {
  const orders: number[][][] = []
  for (const order of ['newest', 'oldest'] as const) {
    const pages: number[][] = []
    let after: number | undefined
    do {
      const { body } = await viewer.call(route, { query: { ...query, order, ...(after && { after }) } })
      pages.push(body.data.map(({ id }: { id: number }) => id))
      after = body.next ?? undefined
    } while (after !== undefined)
    orders.push(pages)
  }
  return orders
}

it('a search reads a bounded number of commissions of all that it matches, and pages find all', async () => {
  const { account, database, place } = scene
  const MATCHES = 10
  const affiliates: number[] = []
  for (let n = 0; n < MATCHES; n++)
    affiliates.push((await buildAffiliate(database, account.id, place.campaign_id, { name: 'Prolific' })).id)
  // The first one and the last one of each are of the rare source.
  await database.owner.query(
    `INSERT INTO commissions (account_id, campaign_id, affiliate_id, referral_id, entry_type, beneficiary, amount_minor, currency,
                              payout_amount_minor, payout_currency, status)
     SELECT $1, $2, a.id, r.id, 'earned', 'affiliate', 100, 'USD', 100, 'USD', 'approved'
       FROM generate_series(1, $4::integer) n CROSS JOIN unnest($3::bigint[]) a (id)
       JOIN referrals r ON r.account_id = $1 AND r.customer_ref = CASE WHEN n IN (1, $4) THEN 'customer-1' ELSE 'customer-2' END
      ORDER BY n, a.id`,
    [account.id, place.campaign_id, affiliates, 1000],
  )
  await database.owner.query('ANALYZE commissions')
  const source = { dimension: rare.source, value: rare.source_value }
  const found = { affiliates, referrals: [], sales: [], id: null }
  const looking = await statementOf(db => lookForCommissions(db, account.id, {}, source, found))
  // Each is found by an index, then read.
  expect(await rowsReadBy('commissions', looking)).toBeLessThanOrEqual(2 * MOST_LOOKED_AT + MATCHES)
  for (const pages of await everyPage('listCommissions', { ...rare, q: 'Prolific' }))
    expect([pages.flat().length, new Set(pages.flat()).size]).toEqual([2 * MATCHES, 2 * MATCHES])
})

it('a search reads only the sales that it found', async () => {
  const { account, database } = scene
  const found = await lookUpSales(database.db, account.id, { text: 'customer-77', ofEmail: [] })
  // 77, 770 to 779 and 7700 to 7799, each by the ID of its sale and by its customer.
  const MATCHES = 111
  expect([found.ids.length, found.referrals.length]).toEqual([MATCHES, MATCHES])
  const looking = await statementOf(db => lookForSales(db, account.id, {}, found))
  expect(await rowsReadBy('sales', looking)).toBeLessThanOrEqual(3 * MATCHES)
  for (const pages of await everyPage('listSales', { q: 'customer-77', limit: 50 }))
    expect([pages.flat().length, new Set(pages.flat()).size]).toEqual([MATCHES, MATCHES])
})

it('a search reads a bounded number of sales of a customer who has many', async () => {
  const { account, database } = scene
  await database.owner.query(
    `INSERT INTO sales (account_id, external_id, customer_ref, amount_minor, currency, occurred_at)
     SELECT $1, 'guest-' || n, 'guest', 100, 'USD', now() - n * interval '1 minute' FROM generate_series(1, $2::integer) n`,
    [account.id, ROWS],
  )
  await database.owner.query('ANALYZE sales')
  // Of many matches, the first page of each.
  const others = Array.from({ length: 99 }, (_, n) => `absent-${n}`)
  const found = {
    ids: [],
    referrals: [],
    customers: ['guest', ...others],
    needs_referral: false,
    is_partial: false,
  }
  const looking = await statementOf(db => lookForSales(db, account.id, {}, found))
  expect(await rowsReadBy('sales', looking)).toBeLessThan(ROWS / 2)
  const [newest] = await everyPage('listSales', { q: 'guest', limit: 200 })
  expect(new Set(newest?.flat()).size).toBe(ROWS)
})

it('clicks of an affiliate are found by their time, and pages follow it', async () => {
  const { account, database, place } = scene
  const affiliate = await buildAffiliate(database, account.id, place.campaign_id)
  // The newest one has the lowest id.
  const { rows } = await database.owner.query(
    `INSERT INTO clicks (account_id, campaign_id, affiliate_id, is_bot, created_at)
     SELECT $1, $2, $3, false, now() - n / 2 * interval '1 second' FROM generate_series(1, 5) n RETURNING id, created_at`,
    [account.id, place.campaign_id, affiliate.id],
  )
  // Statistics as with many affiliates.
  await database.owner.query(
    `INSERT INTO clicks (account_id, campaign_id, affiliate_id, is_bot, created_at)
     SELECT $1, $2, $3 + n, false, now() FROM generate_series(1, 1000) n`,
    [account.id, place.campaign_id, affiliate.id],
  )
  await database.owner.query('ANALYZE clicks')
  const query = { affiliate_id: affiliate.id }
  expect(
    await rowsReadBy('clicks', await statementOf(db => lookForClicks(db, account.id, query))),
  ).toBeLessThan(20)
  const oldestFirst = rows
    .toSorted((a, b) => a.created_at - b.created_at || a.id - b.id)
    .map(({ id }) => Number(id))
  const [newest, oldest] = await everyPage('listClicks', { ...query, limit: 2 })
  expect(oldest?.flat()).toEqual(oldestFirst)
  expect(newest?.flat()).toEqual(oldestFirst.toReversed())
})

it('clicks of a month are found without those of the months around it', async () => {
  const { account, database, place } = scene
  // The months of partitions that exist: this one, which has clicks, and the next two.
  await database.owner.query(
    `INSERT INTO clicks (account_id, campaign_id, affiliate_id, is_bot, created_at)
     SELECT $1, $2, $3, false, (date_trunc('month', now() AT TIME ZONE 'UTC') + months * interval '1 month') AT TIME ZONE 'UTC'
       FROM (VALUES (1, 3), (2, $4::integer)) x (months, clicks) CROSS JOIN generate_series(1, clicks) ORDER BY months`,
    [account.id, place.campaign_id, place.affiliate_id, MOST_LOOKED_AT + 100],
  )
  const now = new Date()
  const firstOf = (months: number) => Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 1)
  const query = {
    created_after: new Date(firstOf(1) - 1).toISOString(),
    created_before: new Date(firstOf(2)).toISOString(),
  }
  expect(
    await rowsReadBy('clicks', await statementOf(db => lookForClicks(db, account.id, query))),
  ).toBeLessThan(20)
  expect((await everyPage('listClicks', query)).map(pages => pages.map(ids => ids.length))).toEqual([
    [3],
    [3],
  ])
})
