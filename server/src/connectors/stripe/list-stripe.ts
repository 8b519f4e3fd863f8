import { stripeEventTypes } from '@tributary/contract/dashboard/connector-providers'
import Stripe from 'stripe'
import { invalidState } from '../../kit/domain-error.ts'
import type { ListSince, ProviderApi, VerifiedEvent } from '../provider.ts'
import { idOf, timeOf } from './objects.ts'
import { asDomainError, clientOf } from './stripe-client.ts'

const PAGE = 100
/** How many types of events one call may name. */
const TYPES_PER_CALL = 20

const since = (time: string) => ({ created: { gte: Math.floor(Date.parse(time) / 1000) }, limit: PAGE })

interface Listed {
  id: string
  created: number
  livemode?: boolean
}

/** A refund doesn't say its mode, but a key is for one. */
const asEvents =
  (isLive: boolean) =>
  (type: string, object: Listed, state = ''): VerifiedEvent => ({
    id: `sync_${object.id}${state}`,
    type,
    occurredAt: timeOf(object.created),
    body: { type, created: object.created, livemode: object.livemode ?? isLive, data: { object } },
  })

const isWithdrawn = ({ balance_transactions: moves }: Stripe.Dispute) => (moves ?? []).length > 0
const isReinstated = ({ status, balance_transactions: moves }: Stripe.Dispute) =>
  status === 'won' && (moves ?? []).length > 1

/** The objects of all pages, which are fetched when they are needed, until the signal is aborted. */
async function* until<Item>(signal: AbortSignal | undefined, list: AsyncIterable<Item>) {
  signal?.throwIfAborted()
  for await (const item of list) {
    yield item
    signal?.throwIfAborted()
  }
}

/** Lists what Stripe's webhooks report: who was referred first, then what they paid, then what went back. */
export const listStripe: ListSince = async function* list(api, time, signal) {
  const stripe = clientOf(api)
  const asEvent = asEvents(!api.key.includes('_test_'))
  const page = since(time)
  try {
    for await (const session of until(signal, stripe.checkout.sessions.list({ ...page, status: 'complete' })))
      yield asEvent(
        'checkout.session.completed',
        session,
        session.payment_status === 'unpaid' ? '_unpaid' : '',
      )
    const paid = stripe.invoices.list({ ...page, status: 'paid', expand: ['data.payments'] })
    for await (const invoice of until(signal, paid))
      yield asEvent('invoice.paid', invoice as Stripe.Invoice & { id: string })
    for await (const refund of until(signal, stripe.refunds.list(page)))
      yield asEvent(
        'refund.updated',
        refund,
        refund.status === 'failed' || refund.status === 'canceled' ? '_off' : '',
      )
    for await (const dispute of until(signal, stripe.disputes.list(page))) {
      if (isWithdrawn(dispute)) yield asEvent('charge.dispute.funds_withdrawn', dispute)
      if (isReinstated(dispute)) yield asEvent('charge.dispute.funds_reinstated', dispute, '_won')
    }
  } catch (error) {
    throw asDomainError(error)
  }
}

/** The events that Stripe's webhooks delivered, or should have. Stripe keeps them for 30 days. */
export const listStripeEvents: ListSince = async function* list(api, time, signal) {
  const stripe = clientOf(api)
  const types: Stripe.Event.Type[] = [...stripeEventTypes]
  try {
    for (let at = 0; at < types.length; at += TYPES_PER_CALL) {
      const some = { ...since(time), types: types.slice(at, at + TYPES_PER_CALL) }
      for await (const event of until(signal, stripe.events.list(some)))
        yield { id: event.id, type: event.type, occurredAt: timeOf(event.created), body: event }
    }
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripePermissionError)) throw asDomainError(error)
    throw invalidState("The API key can't read events. Give it read access to Events at Stripe.")
  }
}

/**
 * A listed Checkout says when it was opened, up to a day before it was paid. Its charge says when that was. If the key can't read charges, the
 * first time is as good as it gets.
 */
export async function withPaymentTime(api: ProviderApi, event: VerifiedEvent): Promise<VerifiedEvent> {
  if (event.type !== 'checkout.session.completed') return event
  const body = event.body as Stripe.CheckoutSessionCompletedEvent
  const payment = idOf(body.data.object.payment_intent)
  if (payment === undefined) return event
  try {
    const charges = await clientOf(api).charges.list({ payment_intent: payment, limit: PAGE })
    const paid = charges.data.filter(charge => charge.paid).map(({ created }) => created)
    const created = Math.max(body.created, ...paid)
    return { ...event, occurredAt: timeOf(created), body: { ...body, created } }
  } catch (error) {
    if (error instanceof Stripe.errors.StripePermissionError) return event
    throw asDomainError(error)
  }
}
