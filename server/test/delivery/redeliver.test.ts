/** Missed events can be redelivered: one, all since a point in time, or a sample to test the integration. */
import { Affiliate, Commission, type EventKind, eventKinds, Payout, Referral } from '@tributary/contract'
import { Ajv } from 'ajv'
import { beforeEach, describe, expect, it } from 'vitest'
import { isTimestamp } from '../../src/kit/timestamp.ts'
import { redeliver, replayEvents, sendTestEvent } from '../../src/webhooks/endpoints/redeliver.ts'
import { behaviours } from './receiver.ts'
import {
  assertSigned,
  buildStranger,
  deliveriesOf,
  type Endpoint,
  emit,
  eventually,
  useDeliveries,
} from './scene.ts'

const scene = useDeliveries()
let accountId: number
beforeEach(() => {
  accountId = scene.account.id
})
const db = () => scene.database.db
const eventIds = ({ path }: Endpoint) =>
  scene.receiver.at(path).map(({ headers }) => Number(headers['tributary-event-id']))
const recordedEvents = async (endpoint: Endpoint) =>
  (await deliveriesOf(scene, endpoint.id)).map(({ event_id }) => event_id)

it('delivers the same event again, as a new delivery with a full set of attempts', async () => {
  const endpoint = await scene.subscribe()
  scene.work()
  await emit(db(), accountId)
  await scene.receiver.arrived(1, endpoint.path)
  await eventually(async () => expect(await deliveriesOf(scene)).toMatchObject([{ status: 'delivered' }]))
  const [before] = await deliveriesOf(scene)
  const { delivery_id } = await redeliver(db(), accountId, before?.id as number)
  const [first, second] = await scene.receiver.arrived(2, endpoint.path)
  expect(delivery_id).not.toBe(before?.id)
  expect(second?.body).toEqual(first?.body)
  expect(second?.headers).toMatchObject({
    'tributary-event-id': first?.headers['tributary-event-id'],
    'tributary-delivery-id': String(delivery_id),
    'tributary-attempt': '1',
  })
})

it('can redeliver a failed delivery', async () => {
  const endpoint = await scene.subscribe(behaviours.status(500))
  await emit(db(), accountId)
  await scene.database.owner.query(`UPDATE deliveries SET status = 'failed', attempts = 10`)
  scene.receiver.behave(endpoint.path, behaviours.ok)
  scene.work()
  const [failed] = await deliveriesOf(scene)
  await redeliver(db(), accountId, failed?.id as number)
  await eventually(async () =>
    expect(await deliveriesOf(scene)).toMatchObject([{ status: 'failed' }, { status: 'delivered' }]),
  )
})

describe('replay', () => {
  it('sends what happened since a time, of the subscribed kinds, without samples', async () => {
    const early = await scene.subscribe()
    await emit(db(), accountId, 2)
    await scene.database.owner.query(`UPDATE events SET created_at = now() - interval '1 day'`)
    await emit(db(), accountId, 3)
    await emit(db(), accountId, 1, 'payout.paid')
    await sendTestEvent(db(), accountId, early.id)
    const late = await scene.subscribe()
    const since = new Date(Date.now() - 3_600_000).toISOString()
    expect(await replayEvents(db(), accountId, late.id, { time: since })).toEqual({ deliveries: 3 })
    scene.work()
    await scene.receiver.arrived(3, late.path)
    const promised = await recordedEvents(early)
    expect(eventIds(late).sort((a, b) => a - b)).toEqual(promised.slice(2, 5))
  })

  it('sends what came after an event, and passes over what is still on its way', async () => {
    const endpoint = await scene.subscribe()
    await emit(db(), accountId, 4)
    const [first, second] = await deliveriesOf(scene)
    await scene.database.owner.query(`UPDATE deliveries SET status = 'delivered' WHERE id <> $1`, [
      second?.id,
    ])
    const replayed = await replayEvents(db(), accountId, endpoint.id, { eventId: first?.event_id as number })
    expect(replayed).toEqual({ deliveries: 2 })
    expect(await replayEvents(db(), accountId, endpoint.id, { eventId: 0 })).toEqual({ deliveries: 1 })
    expect(await replayEvents(db(), accountId, endpoint.id, { eventId: 0 })).toEqual({ deliveries: 0 })
  })

  it.each(['yesterday', '2026-13-01T00:00:00Z', ''])('refuses %j as a time', async time => {
    const { id } = await scene.subscribe()
    await expect(replayEvents(db(), accountId, id, { time })).rejects.toMatchObject({
      code: 'validation_failed',
    })
  })

  it('sends nothing of another account', async () => {
    const stranger = await buildStranger(scene)
    await emit(db(), stranger.id, 3)
    const { id } = await scene.subscribe()
    expect(await replayEvents(db(), accountId, id, { eventId: 0 })).toEqual({ deliveries: 0 })
  })
})

const schemas: Record<EventKind, object> = {
  'promoter.approved': Affiliate,
  'commission.created': Commission,
  'payout.paid': Payout,
  'conversion.created': Referral,
}

it.each(eventKinds)('sends a sample of %s in its real shape, signed and marked as a test', async kind => {
  const endpoint = await scene.subscribe(undefined, ['payout.paid'])
  const bystander = await scene.subscribe(undefined, [...eventKinds])
  scene.work()
  await sendTestEvent(db(), accountId, endpoint.id, kind)
  const [received] = await scene.receiver.arrived(1, endpoint.path)
  if (!received) throw new Error('nothing came')
  assertSigned(received, endpoint.secret)
  expect(received.headers['tributary-test']).toBe('true')
  const { data, ...envelope } = JSON.parse(String(received.body))
  expect(envelope).toEqual({ id: expect.any(Number), type: kind, created_at: expect.any(String) })
  const matches = new Ajv({ strict: false, formats: { 'date-time': isTimestamp } }).compile(schemas[kind])
  expect(matches(data), JSON.stringify(matches.errors)).toBe(true)
  expect(await deliveriesOf(scene, bystander.id)).toEqual([])
})

it('sends the first kind that an endpoint subscribes to where none is named', async () => {
  const endpoint = await scene.subscribe(undefined, ['payout.paid', 'promoter.approved'])
  await sendTestEvent(db(), accountId, endpoint.id)
  expect(await deliveriesOf(scene)).toMatchObject([{ event_kind: 'payout.paid', is_test: true }])
})

it('refuses a disabled endpoint, and finds nothing that was deleted or belongs to another account', async () => {
  const endpoint = await scene.subscribe()
  await emit(db(), accountId)
  const [delivery] = await deliveriesOf(scene)
  const stranger = (await buildStranger(scene)).id
  const expectRefusals = async (account: number, code: string) => {
    await expect(redeliver(db(), account, delivery?.id as number)).rejects.toMatchObject({ code })
    await expect(replayEvents(db(), account, endpoint.id, { eventId: 0 })).rejects.toMatchObject({ code })
    await expect(sendTestEvent(db(), account, endpoint.id)).rejects.toMatchObject({ code })
  }
  await expectRefusals(stranger, 'not_found')
  await scene.database.owner.query(`UPDATE webhook_endpoints SET status = 'disabled'`)
  await expectRefusals(accountId, 'invalid_state')
  await scene.api.delete(`/webhook_endpoints/${endpoint.id}`)
  await expectRefusals(accountId, 'not_found')
  expect(await deliveriesOf(scene)).toHaveLength(1)
})
