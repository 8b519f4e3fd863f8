/** Protects the ledger from kill -9 while a billing event is processed: at every step, nothing is lost and nothing is made twice. */
import { expect, it } from 'vitest'
import { connectorFailpoints } from '../../src/connectors/failpoint.ts'
import { unique } from '../factories.ts'
import { brokenInvariants, useOwnScene } from '../harness.ts'
import { useKillableProgram } from '../killable-program.ts'
import { connectStripe, earnedBySale, events, newCustomer, send } from './scene.ts'
import * as stripe from './stripe-objects.ts'

const { event, START, DAY } = stripe
const scene = useOwnScene()
/** Processes what is due, in a separate process. */
const work = useKillableProgram(new URL('process-steps.ts', import.meta.url), scene)

it.each(connectorFailpoints)('killed at: %s', { timeout: 90_000 }, async step => {
  const billing = await connectStripe(scene)
  const [customer, invoice, payment] = [newCustomer(), unique('in'), unique('pi')]
  const each = [
    event('invoice_payment.paid', stripe.invoicePayment(invoice, payment), START),
    event(
      'invoice.paid',
      stripe.invoice(invoice, { customer, metadata: { via: billing.affiliate.token } }),
      START + 1,
    ),
    event(
      'refund.created',
      stripe.refund(unique('re'), { payment_intent: payment, amount: 6000 }),
      START + DAY,
    ),
  ]
  for (const one of each) {
    await send(scene, billing, one)
    expect(await work(step)).toBe('SIGKILL')
    // A killed process leaves nothing behind that the next one would have to know.
    expect(await work()).toBe(0)
  }
  expect((await events(scene, billing)).map(({ status }) => status)).toEqual([
    'applied',
    'applied',
    'applied',
  ])
  expect(await earnedBySale(scene, billing)).toEqual({ [`stripe:${invoice}`]: 1000 })
  expect(await brokenInvariants(scene.database)).toEqual([])
})
