import type Stripe from 'stripe'
import type { ReadSettings } from '../provider.ts'
import type { Reading } from '../reading.ts'
import { ignoredReading, timeOf } from './objects.ts'
import { readCharge, readDispute, readRefund, readRefundedCharge } from './read-charge.ts'
import { readSession } from './read-checkout.ts'
import { readCustomer, readDiscount, readSubscription } from './read-customer.ts'
import { readCreditNote, readInvoice, readInvoicePayment } from './read-invoice.ts'

/** The mode of the event is that of its object, which may lack it. */
const withMode = (event: Stripe.Event) =>
  ({
    ...event,
    data: { ...event.data, object: { ...event.data.object, livemode: event.livemode } },
  }) as Stripe.Event

/** What an event of Stripe means. */
export function readStripeEvent(received: Stripe.Event, settings: ReadSettings): Reading {
  const event = withMode(received)
  if (!event.livemode && !settings.takesTests) return ignoredReading('test_mode')
  const occurredAt = timeOf(event.created)
  switch (event.type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
      return readSession(event.data.object, settings, occurredAt)
    case 'invoice.paid':
      return readInvoice(event.data.object, settings)
    case 'invoice.payment_succeeded':
      return ignoredReading('reported_by_other', { by: 'invoice.paid' })
    case 'invoice_payment.paid':
      return readInvoicePayment(event.data.object)
    case 'credit_note.created':
      return readCreditNote(event.data.object, false)
    case 'credit_note.voided':
      return readCreditNote(event.data.object, true)
    case 'charge.succeeded':
    case 'charge.captured':
      return readCharge(event.data.object)
    case 'payment_intent.succeeded':
      return ignoredReading('reported_by_other', { by: 'charge.succeeded' })
    case 'refund.created':
    case 'refund.updated':
    case 'refund.failed':
    case 'charge.refund.updated':
      return readRefund(event.data.object as Stripe.Refund, occurredAt)
    case 'charge.refunded':
      return readRefundedCharge(event.data.object, occurredAt)
    case 'charge.dispute.funds_withdrawn':
      return readDispute(event.data.object, occurredAt, false)
    case 'charge.dispute.funds_reinstated':
      return readDispute(event.data.object, occurredAt, true)
    case 'customer.created':
    case 'customer.updated':
      return readCustomer(event.data.object, occurredAt, event.type === 'customer.created')
    case 'customer.discount.created':
      return readDiscount(event.data.object, !event.livemode)
    case 'customer.subscription.created':
    case 'customer.subscription.updated':
    case 'customer.subscription.deleted':
    case 'customer.subscription.paused':
    case 'customer.subscription.resumed':
      return readSubscription(event.data.object, occurredAt)
    case 'promotion_code.created':
    case 'promotion_code.updated': {
      const { id, code } = event.data.object
      return { reports: [{ kind: 'code', id, code, occurredAt }] }
    }
    default:
      return ignoredReading('unknown_type', { type: event.type })
  }
}
