/** Protects connectors from each other and from single events: neither many events nor one that cannot be processed hold up the rest. */
import { expect, it } from 'vitest'
import { endConnector } from '../../src/connectors/manage-connectors.ts'
import { unique } from '../factories.ts'
import { useOwnScene } from '../harness.ts'
import { type Billing, connectStripe, events, newCustomer, outcome, send, work, workOnce } from './scene.ts'
import * as stripe from './stripe-objects.ts'

const { event, START } = stripe
const scene = useOwnScene()

const sale = (billing: Billing) =>
  event(
    'invoice.paid',
    stripe.invoice(unique('in'), { customer: newCustomer(), metadata: { via: billing.affiliate.token } }),
    START,
  )
const statuses = async (billing: Billing) => (await events(scene, billing)).map(({ status }) => status)

it('processes events whose texts PostgreSQL refuses', async () => {
  const billing = await connectStripe(scene)
  const long = 'x'.repeat(3000)
  await send(
    scene,
    billing,
    event(
      'charge.succeeded',
      stripe.charge(unique('ch'), { paid: false, status: 'odd\0' as 'failed' }),
      START,
    ),
    event('refund.created', stripe.refund(unique('re'), { payment_intent: 'pi_\ud800', amount: 100 }), START),
    event(
      'refund.created',
      stripe.refund(unique('re'), { payment_intent: `pi_${long}`, amount: 100 }),
      START,
    ),
    event('invoice_payment.paid', stripe.invoicePayment('in_1', 'pi_\0'), START),
  )
  await work(scene)
  expect((await statuses(billing)).sort()).toEqual(['failed', 'ignored', 'waiting', 'waiting'])
})

it('puts off an event whose outcome cannot be recorded, and goes on', async () => {
  const [first, second] = [await connectStripe(scene), await connectStripe(scene)]
  const stuck = sale(first)
  await send(scene, first, stuck)
  await send(scene, second, sale(second))
  await scene.database.owner.query(
    `ALTER TABLE connector_events ADD CONSTRAINT stuck CHECK (status <> 'applied' OR provider_id <> '${stuck.id}')`,
  )
  await work(scene)
  expect(await outcome(scene, first, stuck)).toMatchObject({ status: 'failed' })
  expect(await statuses(second)).toEqual(['applied'])

  await scene.database.owner.query('ALTER TABLE connector_events DROP CONSTRAINT stuck')
  const { rows } = await scene.database.owner.query(
    `UPDATE connector_events SET due_at = now() WHERE provider_id = $1 AND due_at > now() RETURNING attempts`,
    [stuck.id],
  )
  expect(rows).toEqual([{ attempts: 1 }])
  await work(scene)
  expect(await outcome(scene, first, stuck)).toMatchObject({ status: 'applied' })
})

it('puts off the events of an unknown provider, and goes on', async () => {
  const [unknown, known] = [await connectStripe(scene), await connectStripe(scene)]
  await send(scene, unknown, sale(unknown))
  await send(scene, known, sale(known))
  await scene.database.owner.query(`UPDATE connectors SET provider = 'gone' WHERE id = $1`, [
    unknown.connector.id,
  ])
  await work(scene)
  expect([await statuses(unknown), await statuses(known)]).toEqual([['failed'], ['applied']])
})

it('lets connectors take turns', async () => {
  const [busy, quiet] = [await connectStripe(scene), await connectStripe(scene)]
  for (let sent = 0; sent < 4; sent++) await send(scene, busy, sale(busy))
  await send(scene, quiet, sale(quiet))
  await workOnce(scene)
  await workOnce(scene)
  expect(await statuses(quiet)).toEqual(['applied'])
  expect((await statuses(busy)).filter(status => status === 'applied')).toHaveLength(1)
  await work(scene)
})

it('finishes the events that a connector accepted before it was removed', async () => {
  const billing = await connectStripe(scene)
  const accepted = sale(billing)
  await send(scene, billing, accepted)
  await endConnector(scene.database.db, scene.account.id, billing.connector.id)
  await work(scene)
  expect(await outcome(scene, billing, accepted)).toMatchObject({ status: 'applied' })
})
