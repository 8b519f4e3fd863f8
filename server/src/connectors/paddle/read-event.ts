import { evidenceIn, evidentSince, ignoredReading, referredCustomer, withCodes } from '../evidence.ts'
import { fieldsAt, textAt, timeFrom, valueAt } from '../field-path.ts'
import type { ReadSettings, VerifiedEvent } from '../provider.ts'
import { CHECKOUT_TAKES_SECONDS, type Reading, type SubscriptionReport } from '../reading.ts'
import { readAdjustment } from './read-adjustment.ts'
import { readTransaction } from './read-transaction.ts'

/** A customer whose `custom_data` says who referred them, or whose email may be the affiliate's own. */
function readCustomer(customer: unknown, event: VerifiedEvent, isTest: boolean): Reading {
  const id = textAt(customer, 'id')
  if (id === undefined) return ignoredReading('incomplete', { field: 'id' })
  const evidence = withCodes(evidenceIn(fieldsAt(customer, 'custom_data')), [])
  // The tracker's lead counts for a new customer only: any change of an old one mentions the email.
  const isNew = event.type === 'customer.created'
  const email = textAt(customer, 'email')
  const reports = referredCustomer(evidence, {
    customer: id,
    ...(email !== undefined && { email, ...(isNew && { leadCountsAfterSeconds: CHECKOUT_TAKES_SECONDS }) }),
    occurredAt: event.occurredAt,
    isTest,
  })
  return reports.length > 0 ? { reports } : ignoredReading('no_evidence')
}

const states = new Set<string>(['trialing', 'active', 'past_due', 'paused', 'canceled'])
const isState = (status: string | undefined): status is SubscriptionReport['status'] =>
  status !== undefined && states.has(status)

function readSubscription(data: unknown, event: VerifiedEvent, isTest: boolean): Reading {
  const [subscription, customer, status] = [
    textAt(data, 'id'),
    textAt(data, 'customer_id'),
    textAt(data, 'status'),
  ]
  if (subscription === undefined || customer === undefined)
    return ignoredReading('incomplete', { field: 'customer_id' })
  const discount = textAt(data, 'discount.id')
  const evidence = withCodes(
    evidenceIn(fieldsAt(data, 'custom_data')),
    discount === undefined ? [] : [discount],
  )
  const reports = referredCustomer(evidence, {
    customer,
    subscription,
    occurredAt: evidentSince(timeFrom(textAt(data, 'created_at')) ?? event.occurredAt, event.occurredAt),
    isTest,
  })
  if (isState(status))
    reports.push({ kind: 'subscription', customer, subscription, status, occurredAt: event.occurredAt })
  return reports.length > 0 ? { reports } : ignoredReading('not_final', { status: status ?? 'unknown' })
}

/**
 * What an event of Paddle means. Events of the sandbox look like live ones and differ only in their secret: a connector that takes tests is
 * one for the sandbox.
 */
export function readPaddleEvent(event: VerifiedEvent, settings: ReadSettings): Reading {
  const data = valueAt(event.body, 'data')
  switch (event.type) {
    case 'transaction.completed':
      return readTransaction(data, event, settings)
    case 'transaction.paid':
      return ignoredReading('reported_by_other', { by: 'transaction.completed' })
    case 'adjustment.created':
    case 'adjustment.updated':
      return readAdjustment(data, event, settings)
    case 'customer.created':
    case 'customer.updated':
      return readCustomer(data, event, settings.takesTests)
    case 'subscription.created':
    case 'subscription.activated':
    case 'subscription.trialing':
    case 'subscription.updated':
    case 'subscription.past_due':
    case 'subscription.paused':
    case 'subscription.resumed':
    case 'subscription.canceled':
      return readSubscription(data, event, settings.takesTests)
    // A transaction names the ID of its discount, not the code that the customer typed.
    case 'discount.created':
    case 'discount.updated': {
      const [id, code] = [textAt(data, 'id'), textAt(data, 'code') ?? '']
      if (id === undefined) return ignoredReading('incomplete', { field: 'id' })
      return { reports: [{ kind: 'code', id, code, occurredAt: event.occurredAt }] }
    }
    default:
      return ignoredReading('unknown_type', { type: event.type })
  }
}
