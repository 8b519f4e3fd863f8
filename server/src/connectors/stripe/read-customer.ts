import type Stripe from 'stripe'
import { evidentSince } from '../evidence.ts'
import {
  type BillingReport,
  CHECKOUT_TAKES_SECONDS,
  type Reading,
  type SubscriptionReport,
} from '../reading.ts'
import { codesOf, evidenceIn, idOf, ignoredReading, timeOf, withCodes } from './objects.ts'

/**
 * A customer whose metadata says who referred them, or whose email the tracker may know or is the affiliate's own. Metadata that is added
 * later counts from then on; what the tracker knows, for a new customer only, as any change of an old one mentions the email.
 */
export function readCustomer(customer: Stripe.Customer, occurredAt: string, isNew: boolean): Reading {
  const evidence = withCodes(
    evidenceIn(customer.metadata),
    codesOf(customer.discount ? [customer.discount] : []),
  )
  const { id, email, livemode } = customer
  if (!evidence && !email) return ignoredReading('no_evidence')
  return {
    reports: [
      {
        kind: 'customer',
        customer: id,
        ...evidence,
        ...(email && { email, ...(isNew && { leadCountsAfterSeconds: CHECKOUT_TAKES_SECONDS }) }),
        occurredAt,
        isTest: !livemode,
      },
    ],
  }
}

/** A discount that a customer received, perhaps by an affiliate's code. */
export function readDiscount(discount: Stripe.Discount, isTest: boolean): Reading {
  const customer = idOf(discount.customer)
  const evidence = withCodes({}, codesOf([discount]))
  if (!customer || !evidence) return ignoredReading('no_evidence')
  return {
    reports: [{ kind: 'customer', customer, ...evidence, occurredAt: timeOf(discount.start), isTest }],
  }
}

const states: Record<string, SubscriptionReport['status']> = {
  trialing: 'trialing',
  active: 'active',
  past_due: 'past_due',
  unpaid: 'past_due',
  paused: 'paused',
  canceled: 'canceled',
  incomplete_expired: 'canceled',
}

export function readSubscription(subscription: Stripe.Subscription, occurredAt: string): Reading {
  const customer = idOf(subscription.customer)
  if (customer === undefined) return ignoredReading('incomplete', { field: 'customer' })
  const reports: BillingReport[] = []
  const evidence = withCodes(evidenceIn(subscription.metadata), codesOf(subscription.discounts))
  if (evidence)
    reports.push({
      kind: 'customer',
      customer,
      ...evidence,
      subscription: subscription.id,
      occurredAt: evidentSince(timeOf(subscription.created), occurredAt),
      isTest: !subscription.livemode,
    })
  const state = states[subscription.status]
  // What was paused when it ended stays marked as paused.
  const status = subscription.pause_collection && state !== 'canceled' ? 'paused' : state
  if (status)
    reports.push({ kind: 'subscription', customer, subscription: subscription.id, status, occurredAt })
  return reports.length > 0 ? { reports } : ignoredReading('not_final', { status: subscription.status })
}
