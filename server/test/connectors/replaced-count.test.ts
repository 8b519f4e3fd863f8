/**
 * Protects performance from sales that others replace: a charge and the invoice that reports the same money count as one sale and one
 * commission, also if the day of the charge was rolled up before the two were known to be one.
 */
import { expect, it } from 'vitest'
import { sumFacts } from '../../src/insight/fact-sums.store.ts'
import { rebuild } from '../../src/insight/roll-up.ts'
import { findWrongDays } from '../../src/insight/wrong-days.store.ts'
import { DAY_MS } from '../../src/kit/timestamp.ts'
import { unique } from '../factories.ts'
import { useOwnScene } from '../harness.ts'
import { rawFacts } from '../insight/raw-facts.ts'
import { rollUpAll } from '../insight/roll-up-all.ts'
import { connectStripe, newCustomer, passWait, send, work } from './scene.ts'
import * as stripe from './stripe-objects.ts'

const { event, START, DAY } = stripe
const scene = useOwnScene()
const RETENTION_DAYS = 4000

it.each([
  ['before', 'an open day'],
  ['after', 'a day that was rolled up'],
])('counts once, replaced %s its day was closed (%s)', async order => {
  const { database, account } = scene
  const billing = await connectStripe(scene)
  const [customer, payment, invoiceId] = [newCustomer(), unique('pi'), unique('in')]
  const amount = { amount: 12_000, amount_captured: 12_000 }
  const charge = stripe.charge(unique('ch'), { customer, payment_intent: payment, ...amount })
  const session = stripe.session(unique('cs'), { customer, client_reference_id: billing.affiliate.token })
  const invoice = stripe.invoice(invoiceId, { customer, created: START + 2 * DAY })
  const counted = async () => {
    // No later than commissions of today: each day is computed.
    const to = new Date(Date.now() + 2 * DAY_MS).toISOString().slice(0, 10)
    const range = { accountId: account.id, from: '2025-12-31', to, reportingCurrency: null }
    const rows = await sumFacts(database.db, range, 'affiliate')
    const own = rows.filter(({ key, currency }) => key === String(billing.affiliate.id) && currency === 'USD')
    return own.map(
      ({ sales, customers, revenue_minor, refunds, refunded_minor, commissions, commissions_minor }) => [
        [sales, customers, Number(revenue_minor)],
        [refunds, Number(refunded_minor)],
        [commissions, Number(commissions_minor)],
      ],
    )
  }
  await send(scene, billing, event('checkout.session.completed', session, START))
  await send(scene, billing, event('charge.succeeded', charge, START + 1))
  await work(scene)
  await passWait(scene)
  await work(scene)
  const refund = stripe.refund(unique('re'), { payment_intent: payment, amount: 3000, created: START + DAY })
  await send(scene, billing, event('refund.created', refund, START + DAY))
  await work(scene)
  if (order === 'after') {
    await rebuild(database.db, account.id, RETENTION_DAYS)
    await rollUpAll(scene, RETENTION_DAYS)
  }
  expect(await counted()).toEqual([
    [
      [1, 1, 12_000],
      [1, 3000],
      [1, 2400],
    ],
  ])

  await send(scene, billing, event('invoice.paid', invoice, START + 2 * DAY))
  await send(
    scene,
    billing,
    event('invoice_payment.paid', stripe.invoicePayment(invoiceId, payment), START + 2 * DAY),
  )
  await work(scene)
  const once = [
    [
      [1, 1, 10_000],
      [1, 2500],
      [1, 2000],
    ],
  ]
  expect(await counted()).toEqual(once)
  await rollUpAll(scene, RETENTION_DAYS)
  expect(await counted()).toEqual(once)
  expect(await findWrongDays(database.db, RETENTION_DAYS)).toEqual([])
  const raw = await rawFacts(database.owner, account.id, 'UTC')
  const ofAffiliate = Object.entries(raw).filter(
    ([key]) => key.split(' ')[2] === String(billing.affiliate.id),
  )
  const figure = (name: string) =>
    ofAffiliate.filter(([key]) => key.endsWith(` ${name}`)).reduce((sum, [, n]) => sum + n, 0)
  expect(['sales', 'refunds', 'commissions', 'customers'].map(figure)).toEqual([1, 1, 1, 1])

  const part = await sumFacts(
    database.db,
    {
      accountId: account.id,
      from: '2025-12-31',
      to: '2025-12-31',
      campaignIds: [billing.campaign.id],
      reportingCurrency: null,
    },
    'day',
    { starts: '2025-12-31T00:00:00.000Z', ends: '2100-01-01T00:00:00.000Z' },
  )
  const revenue = part.filter(({ sales }) => sales > 0)
  expect(revenue.map(({ sales, revenue_minor }) => [sales, Number(revenue_minor)])).toEqual([[1, 10_000]])
})
