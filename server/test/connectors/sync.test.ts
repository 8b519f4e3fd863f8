/** Protects merchants whose webhooks were lost: a sync makes up for all of them, says what differs and why, and repeats nothing. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { findConnector } from '../../src/connectors/connector.store.ts'
import { setConnectorSecrets } from '../../src/connectors/manage-connectors.ts'
import { syncConnector, syncStaleConnectors } from '../../src/connectors/sync-connector.ts'
import { startRoutines } from '../../src/runtime/background/routines.ts'
import { brokenInvariants, useOwnScene } from '../harness.ts'
import { whileHeld } from '../interleave.ts'
import { FakeStripe, rejected } from './fake-stripe.ts'
import {
  type Billing,
  connectStripe,
  earnedBySale,
  events,
  log,
  passWait,
  send,
  work,
  workOnce,
} from './scene.ts'
import * as stripe from './stripe-objects.ts'

const { event, START, DAY } = stripe
const scene = useOwnScene()
const fake = new FakeStripe('rk_test')
let billing: Billing
beforeAll(async () => {
  const apiUrl = await fake.start()
  billing = await connectStripe(scene, { apiKey: 'rk_test', apiUrl })
})
afterAll(() => fake.stop())

const services = () => ({ db: scene.database.db, secrets: scene.app.services.secrets, log })
const since = new Date(START * 1000).toISOString()
const sync = () => syncConnector(services(), billing.connector, since)

async function servedBy(key: string) {
  const served = new FakeStripe(key)
  return { url: await served.start(), stop: () => served.stop() }
}

it('applies what the webhooks missed, in any part, and compares totals', async () => {
  const names = Array.from({ length: 5 }, (_, index) => `s${index}`)
  const year = names.map((name, index) => {
    const at = START + index * DAY
    const [customer, payment] = [`cus_${name}`, `pi_${name}`]
    const session = stripe.session(`cs_${name}`, {
      customer,
      created: at,
      client_reference_id: billing.affiliate.token,
    })
    const payments = { data: [stripe.invoicePayment(`in_${name}`, payment)] }
    const invoice = stripe.invoice(`in_${name}`, { customer, created: at + 1, payments })
    const refund = stripe.refund(`re_${name}`, { payment_intent: payment, amount: 3000, created: at + 2 })
    return { at, session, invoice, refund }
  })
  for (const { session, invoice, refund } of year) {
    fake.lists['/v1/checkout/sessions'].push(session as never)
    fake.lists['/v1/invoices'].push(invoice as never)
    fake.lists['/v1/refunds'].push(refund as never)
  }
  const lost = stripe.dispute('dp_s0', {
    payment_intent: 'pi_s0',
    amount: 12_000,
    status: 'lost',
    balance_transactions: [{ id: 'txn_1' }],
  })
  fake.lists['/v1/disputes'].push(lost as never)
  // Of the first nothing arrived, of the others a part.
  for (const [index, { at, session, invoice, refund }] of year.entries()) {
    if (index & 1) await send(scene, billing, event('checkout.session.completed', session, at))
    if (index & 2) await send(scene, billing, event('invoice.paid', { ...invoice, payments: undefined }, at))
    if (index & 4) await send(scene, billing, event('refund.created', refund, at))
  }
  await work(scene)

  const first = await sync()
  expect(first).toMatchObject({
    provider: [{ currency: 'USD', sales_minor: 50_000, refunds_minor: 27_000 }],
    ours: [{ currency: 'USD', sales_minor: 50_000, refunds_minor: 27_000 }],
    differences: [],
  })
  expect(first.missed).toBeGreaterThan(0)
  const earned = Object.fromEntries(names.slice(1).map(name => [`stripe:in_${name}`, 1500]))
  const withoutNothing = (all: Record<string, number>) =>
    Object.fromEntries(Object.entries(all).filter(([, amount]) => amount !== 0))
  expect(withoutNothing(await earnedBySale(scene, billing))).toEqual(earned)

  const again = await sync()
  expect(again).toEqual({ ...first, missed: 0 })
  expect(withoutNothing(await earnedBySale(scene, billing))).toEqual(earned)
  expect(
    (await events(scene, billing)).filter(({ status }) => ['failed', 'waiting', 'received'].includes(status)),
  ).toEqual([])
  expect(await brokenInvariants(scene.database)).toEqual([])
})

it('takes back a sale that was made from a charge, when only the link to its invoice was lost', async () => {
  const at = START + 40 * DAY
  const [customer, payment] = ['cus_unlinked', 'pi_unlinked']
  const session = stripe.session('cs_unlinked', {
    customer,
    created: at,
    client_reference_id: billing.affiliate.token,
  })
  const amounts = { amount: 10_000, amount_captured: 10_000 }
  const charge = stripe.charge('ch_unlinked', { customer, created: at, payment_intent: payment, ...amounts })
  const payments = { data: [stripe.invoicePayment('in_unlinked', payment)] }
  const invoice = stripe.invoice('in_unlinked', { customer, created: at, payments })
  await send(
    scene,
    billing,
    event('checkout.session.completed', session, at),
    event('charge.succeeded', charge, at),
    event('invoice.paid', { ...invoice, payments: undefined }, at),
  )
  await work(scene)
  await passWait(scene)
  await work(scene)
  const earned = async () => {
    const all = await earnedBySale(scene, billing)
    return [all['stripe:pi_unlinked'] ?? 0, all['stripe:in_unlinked'] ?? 0]
  }
  expect(await earned()).toEqual([2000, 2000])
  fake.lists['/v1/invoices'].push(invoice as never)
  expect((await sync()).missed).toBe(1)
  expect(await earned()).toEqual([0, 2000])
  expect((await sync()).missed).toBe(0)
  expect(await brokenInvariants(scene.database)).toEqual([])
})

it('finds what ended since, however long ago it began', async () => {
  const began = START - 60 * DAY
  const [customer, payment] = ['cus_late', 'pi_late']
  const metadata = { via: billing.affiliate.token }
  const paid = { customer, payments: { data: [stripe.invoicePayment('in_early', payment)] }, metadata }
  const failed = stripe.refund('re_late', { payment_intent: payment, amount: 6000, created: began })
  const won = stripe.dispute('dp_late', { payment_intent: payment, amount: 6000, created: began })
  await send(
    scene,
    billing,
    event('invoice.paid', stripe.invoice('in_early', { ...paid, created: began }), began),
    event('refund.created', failed, began),
    event('charge.dispute.funds_withdrawn', won, began),
  )
  await work(scene)
  const earned = async () => {
    const all = await earnedBySale(scene, billing)
    return ['in_early', 'in_late', 'pi_bare'].map(name => all[`stripe:${name}`] ?? 0)
  }
  expect(await earned()).toEqual([0, 0, 0])
  const at = START + DAY
  const late = stripe.invoice('in_late', {
    customer,
    created: START - 14 * DAY,
    status_transitions: { paid_at: at },
  })
  const note = stripe.creditNote('cn_late', { invoice: 'in_late', out_of_band_amount: 3000, created: at })
  const bare = { customer, payment_intent: 'pi_bare', created: at, amount: 4000, amount_captured: 4000 }
  fake.lists['/v1/events'].push(
    event('invoice.paid', late, at),
    event('refund.failed', { ...failed, status: 'failed' }, at),
    event('charge.dispute.funds_reinstated', { ...won, status: 'won' }, at),
    event('charge.succeeded', stripe.charge('ch_bare', bare), at),
    event('credit_note.created', note, at + 1),
    event('payout.paid', {}, at),
  )
  expect((await sync()).missed).toBe(5)
  await passWait(scene)
  await work(scene)
  expect(await earned()).toEqual([2000, 1500, 800])
  expect((await sync()).missed).toBe(0)
  expect(await brokenInvariants(scene.database)).toEqual([])
})

it('fetches no event twice that a webhook delivered', async () => {
  const paid = event('invoice.paid', stripe.invoice('in_known', { customer: 'cus_known' }), START)
  fake.lists['/v1/events'].push(paid)
  await send(scene, billing, paid)
  await work(scene)
  expect((await sync()).missed).toBe(0)
})

it('finds that a Checkout was paid which was not when it was synced first', async () => {
  const parts = { mode: 'payment', payment_intent: 'pi_async', amount_total: 5000 } as const
  const session = stripe.session('cs_async', {
    ...parts,
    customer: 'cus_async',
    client_reference_id: billing.affiliate.token,
    payment_status: 'unpaid',
  })
  fake.lists['/v1/checkout/sessions'].push(session as never)
  expect((await sync()).missed).toBe(1)
  expect((await sync()).missed).toBe(0)
  session.payment_status = 'paid'
  expect((await sync()).missed).toBe(1)
  expect((await earnedBySale(scene, billing))['stripe:cs_async']).toBe(1000)
  expect((await sync()).missed).toBe(0)
})

it('has the time of the payment of a Checkout that only the list has', async () => {
  const session = stripe.session('cs_slow', {
    mode: 'payment',
    payment_intent: 'pi_slow',
    amount_total: 5000,
    customer: 'cus_slow',
    client_reference_id: billing.affiliate.token,
  })
  fake.lists['/v1/checkout/sessions'].push(session as never)
  const charges = [
    stripe.charge('ch_slow', { payment_intent: 'pi_slow', created: START + 7200 }),
    stripe.charge('ch_declined', { payment_intent: 'pi_slow', created: START + 9000, paid: false }),
    stripe.charge('ch_other', { payment_intent: 'pi_other', created: START + 9000 }),
  ]
  fake.lists['/v1/charges'].push(...(charges as never[]))
  expect((await sync()).missed).toBe(1)
  const { rows } = await scene.database.owner.query(
    `SELECT occurred_at FROM sales WHERE external_id = 'stripe:cs_slow'`,
  )
  expect(rows[0].occurred_at).toEqual(new Date((START + 7200) * 1000))
})

it('says what is wrong with the key', async () => {
  const wrong = await connectStripe(scene, {
    apiKey: 'rk_wrong',
    apiUrl: billing.connector.api_url ?? '',
  })
  await expect(syncConnector(services(), wrong.connector, since)).rejects.toThrow('Invalid API Key provided')
  const without = await connectStripe(scene)
  await expect(syncConnector(services(), without.connector, since)).rejects.toThrow('has no API key')
})

it('finds what the lists have with a key that cannot read events, shows the problem, and starts there again', async () => {
  let isNarrow = true
  const narrow = new FakeStripe('rk_narrow', ({ path }) =>
    isNarrow && path === '/v1/events'
      ? rejected('The provided key does not have the required permissions', 403)
      : undefined,
  )
  const restricted = await connectStripe(scene, { apiKey: 'rk_narrow', apiUrl: await narrow.start() })
  const metadata = { via: restricted.affiliate.token }
  const add = (name: string) =>
    narrow.lists['/v1/invoices'].push(
      stripe.invoice(`in_${name}`, { customer: `cus_${name}`, metadata }) as never,
    )
  add('narrow')
  expect(await syncConnector(services(), restricted.connector, since)).toMatchObject({
    missed: 1,
    problem: "The API key can't read events. Give it read access to Events at Stripe.",
    differences: [],
  })
  const { id } = restricted.connector
  const before = new Date((START - DAY) * 1000).toISOString()
  await scene.database.owner.query(
    'UPDATE connectors SET synced_at = CASE id WHEN $1 THEN $2 ELSE now() END',
    [id, before],
  )
  add('nightly')
  await syncStaleConnectors(services())
  expect(await earnedBySale(scene, restricted)).toEqual({
    'stripe:in_narrow': 2000,
    'stripe:in_nightly': 2000,
  })
  const shown = () => findConnector(scene.database.db, scene.account.id, id)
  expect(await shown()).toMatchObject({
    synced_at: before,
    sync_problem: "The API key can't read events. Give it read access to Events at Stripe.",
  })
  // With another key it is due at once, and what was wrong with the first one is gone.
  const { secrets } = scene.app.services
  await setConnectorSecrets(scene.database.db, secrets, scene.account.id, id, { apiKey: 'rk_wide' })
  expect((await shown())?.sync_problem).toBeNull()
  narrow.key = 'rk_wide'
  isNarrow = false
  await syncStaleConnectors(services())
  expect(await shown()).toMatchObject({ sync_problem: null, synced_at: expect.not.stringMatching(before) })
  await narrow.stop()
})

it('keeps why a sync failed, for the page, until one succeeds', async () => {
  const { url, stop } = await servedBy('rk_right')
  const wrong = await connectStripe(scene, { apiKey: 'rk_wrong', apiUrl: url })
  const shown = async () =>
    (await findConnector(scene.database.db, scene.account.id, wrong.connector.id))?.sync_problem
  await expect(syncConnector(services(), wrong.connector, since)).rejects.toThrow('Invalid API Key')
  expect(await shown()).toMatch('Invalid API Key')
  const { secrets } = scene.app.services
  const set = { apiKey: 'rk_right' }
  await setConnectorSecrets(scene.database.db, secrets, scene.account.id, wrong.connector.id, set)
  await syncConnector(services(), wrong.connector, since)
  expect(await shown()).toBeNull()
  await stop()
})

it('is done soon after a connector has its first key', async () => {
  const { url, stop } = await servedBy('rk_first')
  const { connector } = await connectStripe(scene, { apiKey: 'rk_first', apiUrl: url })
  await syncStaleConnectors(services())
  const { synced_at } = (await findConnector(scene.database.db, scene.account.id, connector.id)) ?? {}
  expect(synced_at).not.toBeNull()
  await stop()
})

it('finds many events in few statements, and the rest again after a failure', async () => {
  let failsAfter = Number.POSITIVE_INFINITY
  const flaky = new FakeStripe('rk_flaky', ({ path }) => {
    if (path !== '/v1/events') return undefined
    failsAfter -= 1
    return failsAfter < 0 ? rejected('Down for a moment', 500) : undefined
  })
  const { connector, affiliate } = await connectStripe(scene, {
    apiKey: 'rk_flaky',
    apiUrl: await flaky.start(),
  })
  for (let number = 0; number < 150; number++) {
    const metadata = { via: affiliate.token }
    const invoice = stripe.invoice(`in_many_${number}`, { customer: `cus_many_${number}`, metadata })
    flaky.lists['/v1/events'].push(event('invoice.paid', invoice, START + number) as never)
  }
  // Two pages of 50, as the fake has them: after 60, the second batch is not complete.
  failsAfter = 60
  await expect(syncConnector(services(), connector, since)).rejects.toThrow('Down for a moment')
  const stored = async () => (await events(scene, { connector, affiliate } as Billing)).length
  expect(await stored()).toBe(100)
  failsAfter = Number.POSITIVE_INFINITY
  expect((await syncConnector(services(), connector, since)).missed).toBe(50)
  expect(await stored()).toBe(150)
  await flaky.stop()
})

it('is done once a day by one of several processes', async () => {
  const { id } = billing.connector
  await scene.database.owner.query(
    `UPDATE connectors SET synced_at = now() - CASE id WHEN $1 THEN interval '25 hours' ELSE interval '1 hour' END`,
    [id],
  )
  fake.calls = 0
  await Promise.all([syncStaleConnectors(services()), syncStaleConnectors(services())])
  const once = fake.calls
  expect(once).toBeGreaterThan(0)
  await syncStaleConnectors(services())
  expect(fake.calls).toBe(once)
  const { synced_at } = (await findConnector(scene.database.db, scene.account.id, id)) ?? {}
  expect(Date.now() - Date.parse(synced_at ?? '')).toBeLessThan(3_600_000)
})

it('starts again from the last success after a failure, but not at once', async () => {
  const wrong = await connectStripe(scene, { apiKey: 'rk_wrong', apiUrl: billing.connector.api_url ?? '' })
  const { owner } = scene.database
  const { id } = wrong.connector
  const before = new Date(Date.now() - 5 * 86_400_000).toISOString()
  await owner.query(`UPDATE connectors SET synced_at = CASE id WHEN $1 THEN $2 ELSE now() END`, [id, before])
  fake.calls = 0
  await syncStaleConnectors(services())
  const once = fake.calls
  expect(once).toBeGreaterThan(0)
  await syncStaleConnectors(services())
  expect(fake.calls).toBe(once)
  expect((await findConnector(scene.database.db, scene.account.id, id))?.synced_at).toBe(before)

  await owner.query(`UPDATE connectors SET sync_claimed_at = now() - interval '7 hours' WHERE id = $1`, [id])
  await syncStaleConnectors(services())
  expect(fake.calls).toBeGreaterThan(once)
})

it("leaves other connectors' events to the service", async () => {
  const other = await connectStripe(scene)
  const [theirs, ours] = [event('invoice.paid', stripe.invoice('in_theirs', {}), START), 'in_ours']
  await send(scene, other, theirs)
  await send(scene, billing, event('invoice.paid', stripe.invoice(ours, { customer: 'cus_ours' }), START))
  await sync()
  expect((await events(scene, other)).map(({ status }) => status)).toEqual(['received'])
  expect((await events(scene, billing)).filter(({ status }) => status === 'received')).toEqual([])
  await work(scene)
})

it('waits for the process that is at work on the connector', async () => {
  const payments = { data: [stripe.invoicePayment('in_held', 'pi_held')] }
  const metadata = { via: billing.affiliate.token }
  const invoice = stripe.invoice('in_held', { customer: 'cus_held', payments, metadata })
  const refund = stripe.refund('re_held', { payment_intent: 'pi_held', amount: 6000 })
  await send(scene, billing, event('invoice.paid', invoice, START + DAY))
  // The sale is made but not committed while the sync finds its refund, which claims to be older.
  await whileHeld(
    scene.database,
    async tx => {
      await workOnce(scene, tx)
      await send(scene, billing, event('refund.created', refund, START))
    },
    sync,
  )
  expect((await earnedBySale(scene, billing))['stripe:in_held']).toBe(1000)
})

it('that is interrupted by a stop asks for no further page, and goes on after the restart', async () => {
  let isEndless = true
  let pages = 0
  const endless = new FakeStripe('rk_endless', ({ path }) => {
    if (!isEndless || path !== '/v1/events') return undefined
    const data = [event('customer.deleted', { id: `cus_${++pages}`, object: 'customer' }, START)]
    return { status: 200, body: { object: 'list', url: path, data, has_more: true } }
  })
  const { connector } = await connectStripe(scene, { apiKey: 'rk_endless', apiUrl: await endless.start() })
  const before = new Date(Date.now() - 5 * 86_400_000).toISOString()
  await scene.database.owner.query(
    'UPDATE connectors SET synced_at = CASE id WHEN $1 THEN $2 ELSE now() END',
    [connector.id, before],
  )
  const failed: string[] = []
  const metrics = { done: () => undefined, failed: (name: string) => failed.push(name) }
  const run = (signal: AbortSignal) => syncStaleConnectors(services(), signal)
  const routines = startRoutines([{ name: 'sync', everyMs: 3_600_000, run }], log, metrics)
  await expect.poll(() => pages).toBeGreaterThan(3)
  const asked = pages
  await routines.stop()
  // One call may have been under way.
  expect(pages - asked).toBeLessThanOrEqual(1)
  expect(failed).toEqual([])
  const shown = async () =>
    (await findConnector(scene.database.db, scene.account.id, connector.id))?.synced_at
  expect(await shown()).toBe(before)
  isEndless = false
  await syncStaleConnectors(services())
  expect(await shown()).not.toBe(before)
  await endless.stop()
})
