/** Protects the ledger from kill -9 while a billing event is processed: at every step, nothing is lost and nothing is made twice. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { connectorFailpoints } from '../../src/connectors/failpoint.ts'
import { buildProgram, type Program } from '../build-program.ts'
import { unique } from '../factories.ts'
import { brokenInvariants, useOwnScene } from '../harness.ts'
import { connectStripe, earnedBySale, events, newCustomer, send } from './scene.ts'
import * as stripe from './stripe-objects.ts'

const { event, START, DAY } = stripe
const scene = useOwnScene()
let program: Program
beforeAll(async () => {
  program = await buildProgram(new URL('process-steps.ts', import.meta.url))
})
afterAll(() => program.remove())

/** Processes what is due, in a separate process that is killed at a step, if one is given. */
async function work(failpoint?: string): Promise<NodeJS.Signals | null> {
  const child = spawn(process.execPath, [program.file], {
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'test',
      CONNECTION: JSON.stringify(scene.database.service),
      ...(failpoint && { FAILPOINT: failpoint }),
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const [, signal] = await once(child, 'close')
  return signal
}

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
    expect(await work()).toBe(null)
  }
  expect((await events(scene, billing)).map(({ status }) => status)).toEqual([
    'applied',
    'applied',
    'applied',
  ])
  expect(await earnedBySale(scene, billing)).toEqual({ [`stripe:${invoice}`]: 1000 })
  expect(await brokenInvariants(scene.database)).toEqual([])
})
