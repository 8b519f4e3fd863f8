/**
 * Protects accepted billing events: many are stored in one commit and each exactly once, whatever else is in the batch, and a burst neither
 * takes the pool nor the memory.
 */
import { beforeAll, expect, it } from 'vitest'
import { insertEvents, type NewEvent } from '../../src/connectors/connector-event.store.ts'
import { EventWriter } from '../../src/connectors/event-writer.ts'
import { addConnector } from '../../src/connectors/manage-connectors.ts'
import type { Db } from '../../src/db/database.ts'
import { buildAccount, unique } from '../factories.ts'
import { startApp, useOwnScene } from '../harness.ts'
import { lockWaiters } from '../interleave.ts'
import { type Billing, connectStripe, deliver, events, SECRET, signed, work } from './scene.ts'
import * as stripe from './stripe-objects.ts'

const scene = useOwnScene()
let billing: Billing
let other: Billing
beforeAll(async () => {
  billing = await connectStripe(scene)
  other = await connectStripe(scene)
})

const at = '2026-01-01T00:00:00.000Z'
const eventOf = (
  id: string,
  { connector }: Pick<Billing, 'connector'> = billing,
  occurredAt = at,
): NewEvent => ({
  accountId: connector.account_id,
  connectorId: connector.id,
  event: { id, type: 'product.created', occurredAt },
  body: '{}',
})
const storedIds = async (of = billing) => (await events(scene, of)).map(({ provider_id }) => provider_id)

/** The statements that a writer has sent and not finished. */
function counted(db: Db) {
  const statements = { most: 0, running: 0, sent: 0, accounts: [] as unknown[][] }
  const many: Db['many'] = async query => {
    statements.sent += 1
    statements.accounts.push(query.values[0] as unknown[])
    statements.running += 1
    statements.most = Math.max(statements.most, statements.running)
    return db.many<never>(query).finally(() => {
      statements.running -= 1
    })
  }
  return { statements, db: { many } as Db }
}

it('stores many events in few statements, one at a time, and each once', async () => {
  const { statements, db } = counted(scene.database.db)
  const writer = new EventWriter(db)
  const ids = Array.from({ length: 300 }, () => unique('evt'))
  const written = await Promise.all([...ids, ...ids].map(id => writer.write(eventOf(id))))
  expect(written.filter(isNew => isNew)).toHaveLength(ids.length)
  expect(statements).toMatchObject({ most: 1, running: 0 })
  // The first alone, the others in batches of 200.
  expect(statements.sent).toBe(4)
  const stored = await storedIds()
  expect(ids.filter(id => stored.filter(known => known === id).length !== 1)).toEqual([])
})

it('two processes store the same events at once, in whatever order they arrive', async () => {
  const ids = Array.from({ length: 400 }, () => unique('evt'))
  for (let turn = 0; turn < 5; turn++) {
    const batch = ids.map(id => eventOf(`${id}-${turn}`))
    const results = await Promise.all([
      insertEvents(scene.database.db, batch),
      insertEvents(scene.database.db, batch.toReversed()),
    ])
    expect(results.flat().filter(isNew => isNew)).toHaveLength(ids.length)
  }
})

it('an event that PostgreSQL refuses fails alone', async () => {
  const writer = new EventWriter(scene.database.db)
  const first = writer.write(eventOf(unique('evt')))
  const [good, bad] = [eventOf(unique('evt')), eventOf(unique('evt'), billing, 'never')]
  const results = await Promise.allSettled([first, writer.write(good), writer.write(bad)])
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected'])
  expect(await storedIds()).toContain(good.event.id)
})

it('one that is refused costs few statements, however many are with it', async () => {
  const { statements, db } = counted(scene.database.db)
  const writer = new EventWriter(db)
  const first = writer.write(eventOf(unique('evt')))
  const batch = Array.from({ length: 128 }, (_, index) =>
    eventOf(unique('evt'), billing, index === 77 ? 'never' : at),
  )
  const results = await Promise.allSettled(batch.map(event => writer.write(event)))
  await first
  expect(results.flatMap(({ status }, index) => (status === 'rejected' ? [index] : []))).toEqual([77])
  // The first, the batch, and two halves each of seven times.
  expect(statements).toMatchObject({ most: 1, sent: 1 + 1 + 2 * 7 })
  const stored = new Set(await storedIds())
  expect(batch.filter(({ event }) => !stored.has(event.id))).toHaveLength(1)
})

it('the same ID of two connectors is two events', async () => {
  const id = unique('evt')
  const writer = new EventWriter(scene.database.db)
  const written = await Promise.all([writer.write(eventOf(id)), writer.write(eventOf(id, other))])
  expect(written).toEqual([true, true])
  expect(await storedIds(other)).toContain(id)
})

it('refuses what would take too much memory, and takes it again afterwards', async () => {
  const writer = new EventWriter(scene.database.db, 5)
  const first = writer.write({ ...eventOf(unique('evt')), body: '{"large":true}' })
  await expect(writer.write(eventOf(unique('evt')))).rejects.toMatchObject({ code: 'unavailable' })
  expect(await first).toBe(true)
  expect(await writer.write(eventOf(unique('evt')))).toBe(true)
})

it('one account can take neither the memory nor the turns of the others', async () => {
  const { database, app } = scene
  const { id: neighbour } = await buildAccount(database)
  const connector = await addConnector(database.db, app.services.secrets, neighbour, {
    provider: 'stripe',
    signingSecret: SECRET,
  })
  const { statements, db } = counted(database.db)
  const writer = new EventWriter(db, 4000)
  const busy = Promise.allSettled(Array.from({ length: 800 }, () => writer.write(eventOf(unique('evt')))))
  const late = writer.write(eventOf(unique('evt'), { connector }))
  const results = await busy
  expect(await late).toBe(true)
  // The first was sent alone at once; then the other account has its turn, although 499 events came before its own.
  expect(statements.accounts.map(accounts => accounts.includes(neighbour))).toEqual([
    false,
    true,
    false,
    false,
  ])
  // A quarter of 4000, in events of 2.
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(500)
  expect(results.at(-1)).toMatchObject({ status: 'rejected', reason: { code: 'unavailable' } })
  expect(await writer.write(eventOf(unique('evt')))).toBe(true)
})

it('a stop waits for an event that waits for its commit', async () => {
  const { database } = scene
  const app = await startApp(database)
  const lock = await database.owner.connect()
  const event = stripe.event('product.created', { object: 'product' } as never, stripe.START)
  const body = JSON.stringify(event)
  try {
    await lock.query('BEGIN')
    await lock.query('LOCK TABLE connector_events IN SHARE MODE')
    // A connection that is kept alive would keep the app as long.
    const headers = { 'stripe-signature': signed(body), connection: 'close' }
    const delivery = deliver({ ...scene, app }, other.connector, body, headers)
    // Not in the transaction: it would see the same state each time.
    const waiting = () =>
      database.db.pool.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      )
    await expect.poll(async () => (await waiting()).rowCount, { timeout: 30_000, interval: 10 }).toBe(1)
    const closed = app.close()
    await lock.query('COMMIT')
    expect((await delivery).status).toBe(200)
    await closed
  } finally {
    await lock.query('ROLLBACK')
    lock.release()
  }
  expect(await storedIds(other)).toContain(event.id)
})

it.each([253_402_300_800, -62_167_219_201, -1])(
  'refuses an event of a time that cannot be reported: %i',
  async created => {
    const event = {
      ...stripe.event('product.created', { object: 'product' } as never, stripe.START),
      created,
    }
    expect((await deliver(scene, other.connector, JSON.stringify(event))).status).toBe(400)
    expect(await storedIds(other)).not.toContain(event.id)
  },
)

it('a burst whose commits are slow holds up no call of the API, and each event is stored once', async () => {
  const { database, api } = scene
  const get = () => api.get(`/affiliates/${billing.affiliate.id}`)
  // From now on the API is in use.
  expect((await get()).status).toBe(200)
  const lock = await database.owner.connect()
  const sent = Array.from({ length: 40 }, () =>
    stripe.event('product.created', { object: 'product', id: unique('prod') } as never, stripe.START),
  )
  let accepted: Promise<{ status: number }[]>
  try {
    await lock.query('BEGIN')
    await lock.query('LOCK TABLE connector_events IN SHARE MODE')
    accepted = Promise.all(sent.map(event => deliver(scene, other.connector, JSON.stringify(event))))
    await expect
      .poll(() => lockWaiters(database.owner), { timeout: 60_000, interval: 10 })
      .not.toHaveLength(0)
    for (let call = 0; call < 5; call++) expect((await get()).status).toBe(200)
  } finally {
    await lock.query('ROLLBACK')
    lock.release()
  }
  expect(new Set((await accepted).map(({ status }) => status))).toEqual(new Set([200]))
  const stored = await storedIds(other)
  expect(sent.filter(({ id }) => stored.filter(known => known === id).length !== 1)).toEqual([])
})

it('many deliveries at once are all answered and all processed', async () => {
  await scene.database.owner.query('UPDATE connector_events SET due_at = NULL')
  const sent = Array.from({ length: 50 }, () =>
    stripe.event('product.created', { object: 'product', id: unique('prod') } as never, stripe.START),
  )
  const responses = await Promise.all(
    sent.map(event => deliver(scene, other.connector, JSON.stringify(event))),
  )
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
  await work(scene)
  const states = new Map((await events(scene, other)).map(({ provider_id, status }) => [provider_id, status]))
  expect(sent.map(({ id }) => states.get(id)).every(status => status === 'ignored')).toBe(true)
})
