/** Protects the webhooks page: what it shows of a delivery is what was sent, and every change is in the audit log. */
import type { DeliveryDetail, DeliverySummary } from '@tributary/contract/dashboard'
import { beforeAll, describe, expect, it } from 'vitest'
import { listAudit } from '../../src/programme/audit/audit.store.ts'
import { behaviours } from '../delivery/receiver.ts'
import { assertSigned, emit, eventually, useDeliveries } from '../delivery/scene.ts'
import { buildAccount } from '../factories.ts'
import { Person } from './person.ts'

const scene = useDeliveries()
let admin: Person
let viewer: Person
let stranger: Person
beforeAll(async () => {
  admin = await Person.join(scene.app, scene.account.id, 'admin')
  viewer = await Person.join(scene.app, scene.account.id, 'viewer')
  const other = await buildAccount(scene.database)
  stranger = await Person.join(scene.app, other.id, 'owner')
})

const lastAudit = async () => (await listAudit(scene.database.db, scene.account.id, { limit: 1 }))[0]

const untilSettled = (id: number) =>
  eventually(async () => {
    const { body } = await admin.call('getDelivery', { id })
    expect((body as DeliveryDetail).attempts.length).toBeGreaterThan(0)
    return body as DeliveryDetail
  })

describe('endpoints', () => {
  it('are added with a secret that is shown once and never written down in the clear', async () => {
    const url = scene.receiver.url('/added')
    const body = { url, events: ['payout.paid', 'payout.paid', 'promoter.approved'] }
    const added = await admin.call('createWebhookEndpoint', { body })
    expect(added.status).toBe(200)
    expect(added.body).toMatchObject({ url, events: ['payout.paid', 'promoter.approved'], status: 'active' })
    expect(added.body.secret).toMatch(/^whsec_/)
    const list = await viewer.call('listWebhookEndpoints')
    expect(list.body).toEqual({
      data: [
        {
          id: added.body.id,
          url,
          events: ['payout.paid', 'promoter.approved'],
          status: 'active',
          failing_since: null,
          last_delivery: null,
          created_at: added.body.created_at,
        },
      ],
      next: null,
    })
    const line = await lastAudit()
    expect(line).toMatchObject({
      actor_kind: 'user',
      actor_name: admin.email,
      address: '127.0.0.1',
      action: 'webhook_endpoint.create',
      subject_id: added.body.id,
      details: { url },
    })
    expect(JSON.stringify(line)).not.toContain('whsec_')
  })

  it.each([
    [{ url: 'http://169.254.169.254/', events: ['payout.paid'] }, 'url'],
    [{ url: 'not a url', events: ['payout.paid'] }, 'url'],
    [{ url: 'https://example.com/', events: [] }, 'events'],
    [{ url: 'https://example.com/', events: ['payout.lost'] }, 'events'],
    [{ url: 'https://example.com/' }, 'events'],
    [{ url: 'https://example.com/', events: ['payout.paid'], colour: 'red' }, 'colour'],
  ])('%j is refused by field', async (body, field) => {
    const { status, body: answer } = await admin.call('createWebhookEndpoint', { body })
    expect(status).toBe(422)
    expect(answer.error.message).toContain(field)
  })

  it('are switched off and on again', async () => {
    const endpoint = await scene.subscribe()
    await emit(scene.database.db, scene.account.id)
    const off = await admin.call('switchWebhookEndpoint', { id: endpoint.id, body: { status: 'disabled' } })
    expect(off.body).toMatchObject({ id: endpoint.id, status: 'disabled' })
    expect(await lastAudit()).toMatchObject({
      action: 'webhook_endpoint.switch',
      subject_id: endpoint.id,
      details: { status: 'disabled', url: endpoint.url },
    })
    const { body } = await viewer.call('listWebhookEndpoints', { query: { status: 'disabled' } })
    expect(body.data).toMatchObject([{ id: endpoint.id, last_delivery: { status: 'canceled' } }])
    expect((await admin.call('sendTestEvent', { id: endpoint.id })).status).toBe(409)
    const on = await admin.call('switchWebhookEndpoint', { id: endpoint.id, body: { status: 'active' } })
    expect(on.body.status).toBe('active')
    const wrong = await admin.call('switchWebhookEndpoint', { id: endpoint.id, body: { status: 'off' } })
    expect(wrong.status).toBe(422)
  })

  it('are deleted, and their deliveries stay to be looked at', async () => {
    const endpoint = await scene.subscribe()
    await emit(scene.database.db, scene.account.id)
    expect((await admin.call('deleteWebhookEndpoint', { id: endpoint.id })).body).toEqual({})
    expect(await lastAudit()).toMatchObject({
      action: 'webhook_endpoint.delete',
      subject_id: endpoint.id,
      details: { url: endpoint.url },
    })
    expect((await admin.call('listWebhookEndpoints')).body.data).toEqual([])
    const { body } = await viewer.call('listDeliveries')
    expect(body.data).toMatchObject([{ url: endpoint.url, status: 'canceled', attempts: 0 }])
    const { body: delivery } = await admin.call('getDelivery', { id: body.data[0].id })
    expect(delivery).toMatchObject({ endpoint_status: 'deleted', attempts: [] })
    expect((await admin.call('redeliver', { id: delivery.id })).status).toBe(404)
    expect((await admin.call('deleteWebhookEndpoint', { id: endpoint.id })).status).toBe(404)
  })
})

describe('a test event', () => {
  it('arrives signed, and the page shows it byte for byte', async () => {
    const endpoint = await scene.subscribe()
    scene.work()
    const sent = await admin.call('sendTestEvent', { id: endpoint.id, body: { kind: 'payout.paid' } })
    expect(sent.status).toBe(200)
    expect(await lastAudit()).toMatchObject({
      action: 'webhook_endpoint.test',
      subject_id: endpoint.id,
      details: { kind: 'payout.paid', delivery_id: sent.body.delivery_id },
    })
    const [received] = await scene.receiver.arrived(1, endpoint.path)
    if (!received) expect.unreachable()
    assertSigned(received, endpoint.secret)
    const shown = await untilSettled(sent.body.delivery_id)
    expect(shown).toMatchObject({
      status: 'delivered',
      is_test: true,
      event_kind: 'payout.paid',
      url: endpoint.url,
      next_attempt_at: null,
      endpoint_status: 'active',
      attempts: [{ number: 1, response_status: 200, response_body: 'thank you', error: null }],
    })
    expect(Buffer.from(shown.body)).toEqual(received.body)
    const headers = shown.attempts[0]?.headers ?? []
    expect(headers.map(([name]) => name)).toContain('tributary-signature')
    expect(headers.map(([name]) => [name, received.headers[name]])).toEqual(headers)
    expect(shown).not.toHaveProperty('sealed_secret')
  })

  it('shows its signature only to those who may change settings', async () => {
    const endpoint = await scene.subscribe()
    scene.work()
    const { body } = await admin.call('sendTestEvent', { id: endpoint.id })
    await untilSettled(body.delivery_id)
    const seen = await viewer.call('getDelivery', { id: body.delivery_id })
    expect(seen.body.attempts[0].headers.map(([name]: [string]) => name)).toContain('tributary-event-id')
    expect(seen.text).not.toMatch(/v1[=,]/)
  })
})

it('a delivery that fails shows where, what was answered and when it is tried next; it can be sent again', async () => {
  const endpoint = await scene.subscribe(behaviours.status(500))
  scene.work()
  await emit(scene.database.db, scene.account.id)
  const waiting = await eventually(async () => {
    const { body } = await viewer.call('listDeliveries', { query: { status: 'pending' } })
    expect(body.data).toMatchObject([
      { attempts: 1, last_attempt: { response_status: 500, error_stage: 'status' } },
    ])
    return body.data[0] as DeliverySummary
  })
  expect(Date.parse(waiting.next_attempt_at ?? '')).toBeGreaterThan(Date.now())
  const { body } = await viewer.call('getDelivery', { id: waiting.id })
  expect(body.attempts[0]).toMatchObject({ response_body: 'status 500', error_stage: 'status' })
  const { body: endpoints } = await viewer.call('listWebhookEndpoints')
  expect(endpoints.data[0]).toMatchObject({
    failing_since: expect.any(String),
    last_delivery: { id: waiting.id, status: 'pending' },
  })

  scene.receiver.behave(endpoint.path, behaviours.ok)
  const again = await admin.call('redeliver', { id: waiting.id })
  expect(again.status).toBe(200)
  expect(await lastAudit()).toMatchObject({
    action: 'delivery.redeliver',
    subject_id: waiting.id,
    details: { delivery_id: again.body.delivery_id },
  })
  expect(await untilSettled(again.body.delivery_id)).toMatchObject({
    status: 'delivered',
    event_id: waiting.event_id,
    body: body.body,
  })
  const { body: both } = await viewer.call('listDeliveries', { query: { event_id: waiting.event_id } })
  expect(both.data.map(({ id }: DeliverySummary) => id)).toEqual([again.body.delivery_id, waiting.id])
})

it('what happened since a time is sent once more', async () => {
  const endpoint = await scene.subscribe()
  await emit(scene.database.db, scene.account.id, 3)
  await admin.call('switchWebhookEndpoint', { id: endpoint.id, body: { status: 'disabled' } })
  await admin.call('switchWebhookEndpoint', { id: endpoint.id, body: { status: 'active' } })
  const body = { since: new Date(Date.now() - 60_000).toISOString() }
  expect((await admin.call('replayEvents', { id: endpoint.id, body })).body).toEqual({ deliveries: 3 })
  expect(await lastAudit()).toMatchObject({
    action: 'webhook_endpoint.replay',
    subject_id: endpoint.id,
    details: { ...body, deliveries: 3 },
  })
  const wrong = await admin.call('replayEvents', { id: endpoint.id, body: { since: 'yesterday' } })
  expect(wrong.status).toBe(422)
})

it('the log is paged and filtered', async () => {
  const [first, second] = [await scene.subscribe(), await scene.subscribe()]
  await emit(scene.database.db, scene.account.id, 5)
  const list = async (query: object) => (await viewer.call('listDeliveries', { query })).body
  const seen: number[] = []
  for (let after: number | null | undefined; after !== null; ) {
    const page = await list({ limit: 4, ...(after && { after }) })
    seen.push(...page.data.map(({ id }: DeliverySummary) => id))
    after = page.next
  }
  expect(seen).toHaveLength(10)
  expect(seen).toEqual(seen.toSorted((a, b) => b - a))
  expect((await list({ order: 'oldest' })).data.map(({ id }: DeliverySummary) => id)).toEqual(
    seen.toReversed(),
  )
  const ofSecond = await list({ endpoint_id: second.id })
  expect(ofSecond.data).toHaveLength(5)
  expect(ofSecond.data.every((row: DeliverySummary) => row.url === second.url)).toBe(true)
  expect((await list({ endpoint_id: first.id, status: 'failed' })).data).toEqual([])
  const all: DeliverySummary[] = (await list({})).data
  const [{ id, event_id }] = all as [DeliverySummary]
  for (const sought of [id, event_id])
    expect((await list({ q: ` ${sought} ` })).data).toEqual(
      all.filter(row => row.id === sought || row.event_id === sought),
    )
  expect((await list({ q: String(id), status: 'failed' })).data).toEqual([])
  for (const q of ['0', `${id}a`, '9'.repeat(30)]) expect((await list({ q })).data).toEqual([])
  for (const query of [{ limit: 201 }, { status: 'lost' }, { colour: 'red' }, { endpoint_id: 'x' }])
    expect((await viewer.call('listDeliveries', { query })).status).toBe(422)
})

it('nothing of it is within reach of another account', async () => {
  const endpoint = await scene.subscribe()
  await emit(scene.database.db, scene.account.id)
  const { body } = await admin.call('listDeliveries')
  const [{ id }] = body.data
  expect((await stranger.call('listWebhookEndpoints')).body.data).toEqual([])
  expect((await stranger.call('listDeliveries')).body.data).toEqual([])
  expect((await stranger.call('listDeliveries', { query: { endpoint_id: endpoint.id } })).body.data).toEqual(
    [],
  )
  const since = new Date(0).toISOString()
  const tried = [
    stranger.call('getDelivery', { id }),
    stranger.call('redeliver', { id }),
    stranger.call('sendTestEvent', { id: endpoint.id }),
    stranger.call('replayEvents', { id: endpoint.id, body: { since } }),
    stranger.call('switchWebhookEndpoint', { id: endpoint.id, body: { status: 'disabled' } }),
    stranger.call('deleteWebhookEndpoint', { id: endpoint.id }),
    stranger.at(scene.account.id).call('listDeliveries'),
  ]
  expect((await Promise.all(tried)).map(({ status }) => status)).toEqual(tried.map(() => 404))
})
