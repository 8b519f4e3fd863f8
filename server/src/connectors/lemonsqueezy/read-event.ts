import { evidenceIn, ignoredReading, nameReferrer, referredCustomer, withCodes } from '../evidence.ts'
import { fieldsAt, textAt, timeFrom, valueAt } from '../field-path.ts'
import type { ReadSettings, VerifiedEvent } from '../provider.ts'
import type { Reading, SubscriptionReport } from '../reading.ts'
import { readPaid, readRefunded } from './read-payment.ts'

const states: Record<string, SubscriptionReport['status']> = {
  on_trial: 'trialing',
  active: 'active',
  paused: 'paused',
  past_due: 'past_due',
  unpaid: 'past_due',
  // Ends with the period that is paid for.
  cancelled: 'canceled',
  expired: 'canceled',
}

function readSubscription(event: VerifiedEvent, isTest: boolean): Reading {
  const { body, occurredAt } = event
  const data = valueAt(body, 'data')
  const [subscription, number] = [textAt(data, 'id'), textAt(data, 'attributes.customer_id')]
  if (subscription === undefined || number === undefined)
    return ignoredReading('incomplete', { field: 'customer_id' })
  const customer = `lemonsqueezy:${number}`
  const email = textAt(data, 'attributes.user_email')
  const status = textAt(data, 'attributes.status') ?? 'unknown'
  const reports = referredCustomer(withCodes(evidenceIn(fieldsAt(body, 'meta.custom_data')), []), {
    customer,
    subscription,
    ...(email !== undefined && { email }),
    occurredAt: timeFrom(textAt(data, 'attributes.created_at')) ?? occurredAt,
    isTest,
  })
  const state = Object.hasOwn(states, status) ? states[status] : undefined
  if (state) reports.push({ kind: 'subscription', customer, subscription, status: state, occurredAt })
  return state || nameReferrer(reports) ? { reports } : ignoredReading('not_final', { status })
}

/** What an event of Lemon Squeezy means. */
export function readLemonSqueezyEvent(event: VerifiedEvent, settings: ReadSettings): Reading {
  const isTest =
    valueAt(event.body, 'meta.test_mode') === true ||
    valueAt(event.body, 'data.attributes.test_mode') === true
  if (isTest && !settings.takesTests) return ignoredReading('test_mode')
  const isFirst = textAt(event.body, 'data.attributes.billing_reason') === 'initial'
  switch (event.type) {
    case 'order_created':
      return readPaid(event, 'order', settings, isTest)
    case 'order_refunded':
      return readRefunded(event, 'order', settings)
    // The first payment of a subscription is an order as well.
    case 'subscription_payment_success':
      return isFirst
        ? ignoredReading('reported_by_other', { by: 'order_created' })
        : readPaid(event, 'invoice', settings, isTest)
    case 'subscription_payment_refunded':
      return isFirst
        ? ignoredReading('reported_by_other', { by: 'order_refunded' })
        : readRefunded(event, 'invoice', settings)
    case 'subscription_payment_recovered':
      return ignoredReading('reported_by_other', { by: 'subscription_payment_success' })
    case 'subscription_created':
    case 'subscription_updated':
    case 'subscription_cancelled':
    case 'subscription_resumed':
    case 'subscription_expired':
    case 'subscription_paused':
    case 'subscription_unpaused':
      return readSubscription(event, isTest)
    default:
      return ignoredReading('unknown_type', { type: event.type })
  }
}
