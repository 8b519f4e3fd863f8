import fc from 'fast-check'
import type { Billing } from './scene.ts'
import * as stripe from './stripe-objects.ts'

const { event, START, DAY } = stripe

/** What a customer's year may hold. */
export const year = fc.record({
  isReferred: fc.boolean(),
  /** Whose email the customer has, one after the other. */
  emails: fc.array(fc.constantFrom('email', 'paypal_email', 'another', 'a third'), { maxLength: 4 }),
  invoices: fc.array(
    fc.record({
      net: fc.integer({ min: 0, max: 100_000 }),
      tax: fc.integer({ min: 0, max: 20_000 }),
      refunds: fc.array(
        fc.record({
          percent: fc.integer({ min: 1, max: 70 }),
          fails: fc.boolean(),
          isTotalSent: fc.boolean(),
        }),
        { maxLength: 3 },
      ),
      dispute: fc.constantFrom('none', 'lost', 'won'),
      isCharged: fc.boolean(),
    }),
    { minLength: 1, maxLength: 4 },
  ),
})
export type Year = typeof year extends fc.Arbitrary<infer T> ? T : never

/** The events of a year, in order. `name` makes them unique in the account. */
export function eventsOf(
  { isReferred, emails, invoices }: Year,
  name: string,
  { affiliate }: Billing,
): stripe.StripeEvent[] {
  const customer = `cus_${name}`
  const all: stripe.StripeEvent[] = []
  if (isReferred)
    all.push(
      event(
        'checkout.session.completed',
        stripe.session(`cs_${name}`, { customer, client_reference_id: affiliate.token }),
        START,
      ),
    )
  for (const [week, whose] of emails.entries()) {
    const at = START + 2 + week * 7 * DAY
    const email =
      (whose === 'email' || whose === 'paypal_email' ? affiliate[whose] : null) ??
      `${whose.at(-1)}@example.com`
    all.push(event('customer.updated', stripe.customer(customer, { email, created: START }), at))
  }
  for (const [month, { net, tax, refunds, dispute, isCharged }] of invoices.entries()) {
    const [id, payment, at] = [`in_${name}_${month}`, `pi_${name}_${month}`, START + 1 + month * 30 * DAY]
    const total = net + tax
    const amounts = { total, total_excluding_tax: net, amount_paid: total }
    all.push(event('invoice.paid', stripe.invoice(id, { customer, created: at, ...amounts }), at))
    all.push(event('invoice_payment.paid', stripe.invoicePayment(id, payment), at))
    const charged = { customer, created: at, payment_intent: payment, amount: total, amount_captured: total }
    if (isCharged && net > 0)
      all.push(event('charge.succeeded', stripe.charge(`ch_${name}_${month}`, charged), at))
    let refunded = 0
    for (const [index, { percent, fails, isTotalSent }] of refunds.entries()) {
      const amount = Math.floor((total * percent) / 100)
      if (amount < 1 || refunded + amount > total) continue
      const made = stripe.refund(`re_${name}_${month}_${index}`, { payment_intent: payment, amount })
      all.push(event('refund.created', made, at + DAY + index))
      if (fails) all.push(event('refund.failed', { ...made, status: 'failed' }, at + 2 * DAY + index))
      else refunded += amount
      const charge = { payment_intent: payment, amount: total, amount_refunded: refunded }
      if (isTotalSent && !fails && refunded > 0)
        all.push(event('charge.refunded', stripe.charge(`ch_${name}_${month}`, charge), at + DAY + index))
    }
    if (dispute !== 'none' && total > 0) {
      const disputed = stripe.dispute(`dp_${name}_${month}`, { payment_intent: payment, amount: total })
      all.push(event('charge.dispute.funds_withdrawn', disputed, at + 3 * DAY))
      if (dispute === 'won') all.push(event('charge.dispute.funds_reinstated', disputed, at + 9 * DAY))
    }
  }
  return all
}

/** The same events under other names, so that both years can stand in one account. */
export const plain = (earned: Record<string, number>, name: string) =>
  Object.fromEntries(
    Object.entries(earned)
      .filter(([sale, amount]) => sale.includes(`_${name}_`) && amount !== 0)
      .map(([sale, amount]) => [sale.replace(`_${name}_`, '_'), amount]),
  )
