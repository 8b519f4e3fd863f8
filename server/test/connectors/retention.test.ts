/** Protects customers' data in billing events: bodies go after their time, what was made of them and the memory of the event stay. */
import { beforeAll, describe, expect, it } from 'vitest'
import { emptyOldEvents } from '../../src/connectors/connector-event.store.ts'
import { replayBillingEvents } from '../../src/connectors/manage-connectors.ts'
import { unique } from '../factories.ts'
import { useOwnScene } from '../harness.ts'
import { whileLocked } from '../interleave.ts'
import {
  type Billing,
  connectStripe,
  deliver,
  earnedBySale,
  newCustomer,
  outcome,
  send,
  work,
} from './scene.ts'
import * as stripe from './stripe-objects.ts'

const { event, START } = stripe
const scene = useOwnScene()
let billing: Billing
beforeAll(async () => {
  billing = await connectStripe(scene)
})

const sale = () =>
  event(
    'invoice.paid',
    stripe.invoice(unique('in'), { customer: newCustomer(), metadata: { via: billing.affiliate.token } }),
    START,
  )
const waiting = () =>
  event('refund.created', stripe.refund(unique('re'), { payment_intent: unique('pi'), amount: 100 }), START)
const age = (days: number, ...events: { id: string }[]) =>
  scene.database.owner.query(
    `UPDATE connector_events SET received_at = now() - make_interval(days => $1) WHERE provider_id = ANY ($2)`,
    [days, events.map(({ id }) => id)],
  )
const bodyOf = async ({ id }: { id: string }) =>
  (await scene.database.owner.query('SELECT body FROM connector_events WHERE provider_id = $1', [id])).rows[0]
    .body
const replay = ({ id }: { id: string }) =>
  replayBillingEvents(scene.database.db, scene.account.id, billing.connector.id, { providerId: id })

it('empties the bodies of events that ended long ago, and only those', async () => {
  const [old, young, open] = [sale(), sale(), waiting()]
  await send(scene, billing, old, young, open)
  await work(scene)
  await age(91, old, open)
  await age(89, young)
  const earned = await earnedBySale(scene, billing)
  await emptyOldEvents(scene.database.db, 90)
  expect(await bodyOf(old)).toBe('')
  expect([JSON.parse(await bodyOf(young)).id, JSON.parse(await bodyOf(open)).id]).toEqual([young.id, open.id])
  expect(await outcome(scene, billing, open)).toMatchObject({ status: 'waiting' })

  // Repeated by Stripe, it is still known: nothing is stored or earned again.
  expect((await deliver(scene, billing.connector, JSON.stringify(old))).status).toBe(200)
  await work(scene)
  expect(await bodyOf(old)).toBe('')
  expect(await earnedBySale(scene, billing)).toEqual(earned)
  expect(await outcome(scene, billing, old)).toMatchObject({ status: 'applied' })
})

it('an event without its body is not processed again, and says why', async () => {
  const old = sale()
  await send(scene, billing, old)
  await work(scene)
  await age(91, old)
  await emptyOldEvents(scene.database.db, 90)
  await expect(replay(old)).rejects.toMatchObject({
    code: 'invalid_state',
    message: 'The body of this event was deleted, so it cannot be processed again.',
  })
  expect(await outcome(scene, billing, old)).toMatchObject({ status: 'applied' })
  await expect(replay({ id: 'evt_unknown' })).rejects.toMatchObject({ code: 'not_found' })
})

it('an event that is replayed keeps its body until it has ended again', async () => {
  const old = sale()
  await send(scene, billing, old)
  await work(scene)
  await age(91, old)
  expect(await replay(old)).toEqual({ events: 1 })
  await emptyOldEvents(scene.database.db, 90)
  expect(await bodyOf(old)).not.toBe('')
  await work(scene)
  expect(await outcome(scene, billing, old)).toMatchObject({ status: 'applied' })
  await emptyOldEvents(scene.database.db, 90)
  expect(await bodyOf(old)).toBe('')
})

describe('more than one statement empties', () => {
  const left = async () =>
    (
      await scene.database.owner.query(
        `SELECT count(*)::integer AS n FROM connector_events WHERE provider_id LIKE 'many%' AND body <> ''`,
      )
    ).rows[0].n
  const receiveMany = (prefix: string) =>
    scene.database.owner.query(
      `INSERT INTO connector_events (account_id, connector_id, provider_id, type, occurred_at, received_at, body, status, due_at)
       SELECT $1, $2, $3 || n, 'x', now(), now() - interval '1 year', '{}', 'ignored', NULL FROM generate_series(1, 1001) n`,
      [scene.account.id, billing.connector.id, prefix],
    )

  it('is empty after one run', async () => {
    await receiveMany('many')
    await emptyOldEvents(scene.database.db, 90)
    expect(await left()).toBe(0)
  })

  it('is left to the next run when the service stops', async () => {
    await receiveMany('many-more')
    await emptyOldEvents(scene.database.db, 90, AbortSignal.abort())
    expect(await left()).toBe(1)
    await emptyOldEvents(scene.database.db, 90)
    expect(await left()).toBe(0)
  })

  it('is emptied by two processes, of which none waits for the other', async () => {
    await receiveMany('many-held')
    const held = "UPDATE connector_events SET attempts = attempts WHERE provider_id = 'many-held1'"
    await whileLocked(scene.database.owner, held, () => emptyOldEvents(scene.database.db, 90))
    expect(await left()).toBe(1)
    await emptyOldEvents(scene.database.db, 90)
    expect(await left()).toBe(0)
  })
})
