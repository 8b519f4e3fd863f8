/** Protects the outbox: an event commits with its cause or not at all, once, to exactly those who asked for it. */
import { Affiliate } from '@tributary/contract'
import { Ajv } from 'ajv'
import { expect, it } from 'vitest'
import { sql } from '../../src/db/sql.ts'
import { isTimestamp } from '../../src/kit/timestamp.ts'
import { sampleEvents } from '../../src/webhooks/endpoints/sample-events.ts'
import { recordEvent } from '../../src/webhooks/outbox/record-event.ts'
import { TestClient } from '../client.ts'
import { buildAffiliate, unique } from '../factories.ts'
import { buildStranger, deliveriesOf, useDeliveries } from './scene.ts'

const scene = useDeliveries()
const isAffiliate = new Ajv({ strict: false, formats: { 'date-time': isTimestamp } }).compile(Affiliate)
const events = () =>
  scene.database.db.many<{ id: number; kind: string; body: string; account_id: number; created_at: string }>(
    sql`SELECT * FROM events ORDER BY id`,
  )
const pending = (overrides = {}) =>
  buildAffiliate(scene.database, scene.account.id, scene.place.campaign_id, overrides)
const patch = (id: number, body: object, headers = {}) =>
  scene.api.patch(`/affiliates/${id}`, body, { headers })

it('records one event and one delivery for each active endpoint that subscribed, and for no other', async () => {
  const first = await scene.subscribe()
  const second = await scene.subscribe(undefined, ['payout.paid', 'promoter.approved'])
  await scene.subscribe(undefined, ['payout.paid', 'commission.created', 'conversion.created'])
  const disabled = await scene.subscribe()
  await scene.database.owner.query(`UPDATE webhook_endpoints SET status = 'disabled' WHERE id = $1`, [
    disabled.id,
  ])
  const deleted = await scene.subscribe()
  await scene.api.delete(`/webhook_endpoints/${deleted.id}`)
  const stranger = await buildStranger(scene)
  const theirs = { url: scene.receiver.url('/theirs'), events: ['promoter.approved'] }
  await new TestClient(scene.app.url, stranger.key).post('/webhook_endpoints', theirs)

  await scene.approve()
  const [event, ...more] = await events()
  expect(more).toEqual([])
  expect(event).toMatchObject({ account_id: scene.account.id, kind: 'promoter.approved' })
  const rows = await scene.database.db.many(
    sql`SELECT account_id, event_id, endpoint_id, status, attempts FROM deliveries ORDER BY endpoint_id`,
  )
  const delivery = { account_id: scene.account.id, event_id: event?.id, status: 'pending', attempts: 0 }
  expect(rows).toEqual([
    { ...delivery, endpoint_id: first.id },
    { ...delivery, endpoint_id: second.id },
  ])
})

it('renders the envelope exactly, around the object as GET returns it', async () => {
  // Characters that JSON, SQL's format() and encodings could each trip over.
  const name = '100% "Zoë" \\ %s {} \u2028 😀 </script>'
  const { id } = await pending({ name, tags: ['b', 'a'], coupon_code: unique('C%d') })
  await patch(id, { status: 'approved' })
  const [event] = await events()
  const { text, body } = await scene.api.get(`/affiliates/${id}`)
  expect(event?.body).toBe(
    `{"id":${event?.id},"type":"promoter.approved","created_at":"${event?.created_at}","data":${text}}`,
  )
  expect(event?.created_at).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)
  expect(Math.abs(Date.parse(event?.created_at as string) - Date.now())).toBeLessThan(10_000)
  const { data } = JSON.parse(event?.body as string)
  expect(data).toEqual(body)
  expect(isAffiliate(data), JSON.stringify(isAffiliate.errors)).toBe(true)
  expect(data).toMatchObject({ name, status: 'approved' })
})

it('keeps the text as it was rendered when the affiliate changes afterwards', async () => {
  const { affiliateId } = await scene.approve()
  const before = (await events())[0]?.body
  await patch(affiliateId, { name: 'Another name' })
  expect((await events()).map(({ body }) => body)).toEqual([before])
})

it('sends no event without a change, and another one after a rejection in between', async () => {
  const { id } = await pending()
  for (const status of ['approved', 'approved', 'rejected', 'rejected']) await patch(id, { status })
  await patch(id, { name: 'No change of status' })
  expect(await events()).toHaveLength(1)
  await patch(id, { status: 'approved' })
  expect((await events()).map(({ body }) => JSON.parse(body).data.id)).toEqual([id, id])
})

it('leaves no event behind when its transaction rolls back', async () => {
  await scene.subscribe()
  const token = unique('token')
  await pending({ token })
  const { id } = await pending()
  const answer = await patch(id, { status: 'approved', token })
  expect([answer.status, answer.body.error.code]).toEqual([409, 'conflict'])
  const failing = scene.database.db.transaction(async tx => {
    recordEvent(tx, scene.account.id, 'payout.paid', sampleEvents['payout.paid'])
    throw new Error('the cause fails after its event')
  })
  await expect(failing).rejects.toThrow('the cause fails')
  expect([await events(), await deliveriesOf(scene)]).toEqual([[], []])
  expect((await scene.api.get(`/affiliates/${id}`)).body.status).toBe('pending')
})

it('sends one event when approvals race', async () => {
  const RACERS = 20
  await scene.subscribe()
  const { id } = await pending()
  const answers = await Promise.all(Array.from({ length: RACERS }, () => patch(id, { status: 'approved' })))
  expect(answers.map(({ status }) => status)).toEqual(Array(RACERS).fill(200))
  expect([await events(), await deliveriesOf(scene)]).toMatchObject([{ length: 1 }, { length: 1 }])
})

it('sends one event when a request is replayed by its idempotency key', async () => {
  await scene.subscribe()
  const { id } = await pending()
  const headers = { 'idempotency-key': unique('key') }
  await patch(id, { status: 'approved' }, headers)
  const replay = await patch(id, { status: 'approved' }, headers)
  expect([replay.status, replay.headers.get('idempotent-replayed')]).toEqual([200, 'true'])
  expect([await events(), await deliveriesOf(scene)]).toMatchObject([{ length: 1 }, { length: 1 }])
})

it('gives every event a unique id across all accounts', async () => {
  const stranger = await buildStranger(scene)
  for (const accountId of [scene.account.id, stranger.id])
    await scene.database.db.transaction(async tx => {
      for (let index = 0; index < 5; index++)
        recordEvent(tx, accountId, 'payout.paid', sampleEvents['payout.paid'])
    })
  expect(new Set((await events()).map(({ id }) => id)).size).toBe(10)
})
