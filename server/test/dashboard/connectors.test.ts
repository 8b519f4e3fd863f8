/** Protects the billing page: who may connect, that secrets stay secret, and that each event shows its outcome. */
import { createHmac } from 'node:crypto'
import type { ConnectorMapping } from '@tributary/contract/dashboard'
import { LONGEST_SAMPLE } from '@tributary/contract/dashboard/connector-providers'
import { beforeAll, expect, it } from 'vitest'
import { listAudit } from '../../src/programme/audit/audit.store.ts'
import { deliver, SECRET, signed, work } from '../connectors/scene.ts'
import { event, invoice, START } from '../connectors/stripe-objects.ts'
import { buildAccount } from '../factories.ts'
import { useOwnScene } from '../harness.ts'
import { Person } from './person.ts'

const scene = useOwnScene()
let admin: Person
let viewer: Person
let stranger: Person
beforeAll(async () => {
  admin = await Person.join(scene.app, scene.account.id, 'admin')
  viewer = await Person.join(scene.app, scene.account.id, 'viewer')
  stranger = await Person.join(scene.app, (await buildAccount(scene.database)).id, 'owner')
})

const connect = async () =>
  (await admin.call('createConnector', { body: { provider: 'stripe', base: 'gross' } })).body
const setSecret = (id: number, signing_secret = SECRET) =>
  admin.call('setConnectorSecrets', { id, body: { signing_secret } })
const lastAudit = async () => (await listAudit(scene.database.db, scene.account.id, { limit: 1 }))[0]

it('a connector has its URL before its secret, refuses events until then, and never shows the secret', async () => {
  const connector = await connect()
  expect(connector).toMatchObject({
    provider: 'stripe',
    base: 'gross',
    needs_secret: true,
    last_event_at: null,
  })
  expect(connector.webhook_url).toMatch(new RegExp(`/connect/stripe/${connector.id}$`))
  expect(await lastAudit()).toMatchObject({ action: 'connector.add', details: { provider: 'stripe' } })
  const body = JSON.stringify(event('invoice.paid', invoice('in_1', { customer: 'cus_1' }), START))
  expect((await deliver(scene, connector, body)).status).toBe(400)

  const set = await setSecret(connector.id)
  expect(set.body).toEqual({ ...connector, needs_secret: false })
  expect(set.text).not.toContain(SECRET)
  expect(await lastAudit()).toMatchObject({
    action: 'connector.set_secrets',
    subject_id: connector.id,
    details: { provider: 'stripe', fields: ['signing_secret'] },
  })
  expect(JSON.stringify(await lastAudit())).not.toContain(SECRET)
  await admin.call('setConnectorSecrets', { id: connector.id, body: { api_key: 'rk_live_of_the_tests' } })
  expect((await lastAudit())?.details).toMatchObject({ fields: ['api_key'] })
  expect(JSON.stringify(await lastAudit())).not.toContain('rk_live_of_the_tests')
  await expect.poll(async () => (await deliver(scene, connector, body)).status).toBe(200)
  const shown = (await viewer.call('getConnector', { id: connector.id })).body
  expect(shown.last_event_at).not.toBeNull()
})

it('an event says why it was ignored, and is processed again on request', async () => {
  const { id } = await connect()
  await setSecret(id)
  const paid = event('invoice.paid', invoice('in_2', { customer: 'cus_2' }), START)
  const body = JSON.stringify(paid)
  await expect.poll(async () => (await deliver(scene, { id }, body)).status).toBe(200)
  await work(scene)
  const listed = async () => (await viewer.call('listConnectorEvents', { id })).body.data[0]
  expect(await listed()).toMatchObject({
    provider_id: paid.id,
    status: 'ignored',
    reason: 'Customer cus_2 has no referral',
    referral_id: null,
    commission_ids: [],
  })
  const replayed = await admin.call('replayConnectorEvents', { id, body: { provider_id: paid.id } })
  expect(replayed.body).toEqual({ events: 1 })
  expect(await listed()).toMatchObject({ status: 'received' })
  await work(scene)
  expect(await listed()).toMatchObject({ status: 'ignored', attempts: 2 })
  expect((await admin.call('replayConnectorEvents', { id, body: {} })).body).toEqual({ events: 0 })
  const unknown = await admin.call('replayConnectorEvents', { id, body: { provider_id: 'evt_none' } })
  expect(unknown.status).toBe(404)
})

it('a replaced secret refuses what the old one signed; a disconnected system is gone', async () => {
  const connector = await connect()
  await setSecret(connector.id)
  await setSecret(connector.id, 'another secret')
  const body = JSON.stringify(event('invoice.paid', invoice('in_3', { customer: 'cus_3' }), START))
  const send = (secret: string) =>
    deliver(scene, connector, body, { 'stripe-signature': signed(body, secret) })
  await expect.poll(async () => (await send('another secret')).status).toBe(200)
  expect((await send(SECRET)).status).toBe(400)

  expect((await admin.call('removeConnector', { id: connector.id, body: {} })).status).toBe(200)
  expect((await admin.call('removeConnector', { id: connector.id, body: {} })).status).toBe(404)
  expect((await setSecret(connector.id)).status).toBe(404)
  expect((await viewer.call('getConnector', { id: connector.id })).status).toBe(404)
  await expect.poll(async () => (await send('another secret')).status).toBe(404)
})

it('only who may change settings connects, and another account sees nothing', async () => {
  const { id } = await connect()
  const body = { provider: 'stripe' }
  expect((await viewer.call('createConnector', { body })).status).toBe(403)
  expect((await viewer.call('setConnectorSecrets', { id, body: {} })).status).toBe(403)
  expect((await viewer.call('replayConnectorEvents', { id, body: {} })).status).toBe(403)
  for (const route of ['getConnector', 'listConnectorEvents'] as const)
    expect((await stranger.call(route, { id })).status).toBe(404)
  expect((await stranger.call('setConnectorSecrets', { id, body: { signing_secret: 'x' } })).status).toBe(404)
  expect((await stranger.call('removeConnector', { id, body: {} })).status).toBe(404)
  expect((await stranger.call('replayConnectorEvents', { id, body: {} })).status).toBe(404)
  expect((await stranger.call('listConnectors')).body).toEqual({ data: [] })
})

it.each([
  ['a provider that is unknown', { provider: 'invoices' }],
  ['an unknown campaign', { provider: 'stripe', campaign_id: 999_999 }],
])('%s is refused', async (_, body) => {
  expect((await admin.call('createConnector', { body })).status).toBe(422)
})

it('an empty secret is refused', async () => {
  const { id } = await connect()
  expect((await setSecret(id, '')).status).toBe(422)
  expect((await admin.call('setConnectorSecrets', { id, body: {} })).status).toBe(422)
})

const mapping = (sale: string, signature_header = 'x-signature'): ConnectorMapping => ({
  fields: [
    { field: 'type', path: 'kind' },
    { field: 'customer', path: 'buyer.id' },
    { field: 'sale_id', path: sale },
    { field: 'amount', path: 'net' },
    { field: 'currency', path: 'currency' },
  ],
  events: [{ type: 'paid', kind: 'sale' }],
  amounts: 'minor',
  signature_header,
})
const sample = JSON.stringify({ kind: 'paid', buyer: { id: 'b1' }, order: 7, net: 900, currency: 'USD' })

it('a mapping is tried without being stored, and events are read with the stored one', async () => {
  const account = await buildAccount(scene.database)
  const owner = await Person.join(scene.app, account.id, 'owner')
  const { id, mapping: plain } = (await owner.call('createConnector', { body: { provider: 'custom' } })).body
  expect(plain.fields).toContainEqual({ field: 'amount', path: 'amount' })
  await owner.call('setConnectorSecrets', { id, body: { signing_secret: SECRET } })

  const before = await listAudit(scene.database.db, account.id, { limit: 50 })
  const tried = await owner.call('setConnectorMapping', {
    id,
    body: { mapping: mapping('order'), sample, dry_run: true },
  })
  expect(tried.body.trial).toMatchObject({
    problem: null,
    reports: [{ kind: 'sale', external_id: 'custom:7', customer: 'b1', amount_minor: 900, currency: 'USD' }],
  })
  const draft = { mapping: mapping('order..id'), sample, dry_run: true }
  const wrong = (await owner.call('setConnectorMapping', { id, body: draft })).body.trial
  expect(wrong.problem).toContain('sale_id')
  expect((await owner.call('getConnector', { id })).body.mapping).toEqual(plain)
  expect(await listAudit(scene.database.db, account.id, { limit: 50 })).toHaveLength(before.length)

  const refused = await owner.call('setConnectorMapping', { id, body: { mapping: mapping('order..id') } })
  expect(refused.status).toBe(422)
  expect(refused.body.error.message).toContain('sale_id')
  const set = await owner.call('setConnectorMapping', { id, body: { mapping: mapping('order'), sample } })
  expect(set.body.mapping).toEqual(mapping('order'))
  const [audit] = await listAudit(scene.database.db, account.id, { limit: 1 })
  expect(audit).toMatchObject({ action: 'connector.set_mapping', subject_id: id })
  // The sample of a real event has personal data.
  expect(JSON.stringify(audit)).not.toContain('b1')

  const signature = createHmac('sha256', SECRET).update(sample).digest('hex')
  const send = async () =>
    (await deliver(scene, { id }, sample, { 'x-signature': signature }, `/connect/custom/${id}`)).status
  await expect.poll(send).toBe(200)
  await work(scene)
  expect((await owner.call('listConnectorEvents', { id })).body.data).toMatchObject([
    { type: 'paid', status: 'ignored', reason: 'Customer b1 has no referral', sale_external_id: 'custom:7' },
  ])
  const found = async (q: string, more: object = {}) =>
    (await owner.call('listConnectorEvents', { id, query: { q, ...more } })).body.data.length
  const [{ provider_id }] = (await owner.call('listConnectorEvents', { id })).body.data
  for (const q of [provider_id, 'custom:7', ' 7 ']) expect(await found(q)).toBe(1)
  expect([await found('77'), await found('7', { status: 'failed' })]).toEqual([0, 0])

  // A second connector of one system has IDs with its name.
  await scene.database.owner.query(`UPDATE connectors SET name = 'eu' WHERE id = $1`, [id])
  await scene.database.owner.query(
    `UPDATE connector_events SET sale_external_id = 'custom-eu:7' WHERE connector_id = $1`,
    [id],
  )
  for (const q of ['custom-eu:7', '7']) expect(await found(q)).toBe(1)
})

it('a mapping is bounded, and only for systems that need one', async () => {
  const { id } = await connect()
  const body = { mapping: mapping('order') }
  expect((await admin.call('setConnectorMapping', { id, body })).status).toBe(422)
  expect((await admin.call('setConnectorMapping', { id: 999_999, body })).status).toBe(404)
  expect((await viewer.call('setConnectorMapping', { id, body })).status).toBe(403)
  expect((await stranger.call('setConnectorMapping', { id, body })).status).toBe(404)
  const large = { ...body, sample: 'x'.repeat(LONGEST_SAMPLE + 1), dry_run: true }
  expect((await admin.call('setConnectorMapping', { id, body: large })).status).toBe(422)
  const long = { mapping: mapping('x'.repeat(256)) }
  expect((await admin.call('setConnectorMapping', { id, body: long })).status).toBe(422)
})
