import type Stripe from 'stripe'
import type { Evidence } from '../evidence.ts'
import type { ReadSettings } from '../provider.ts'
import { type BillingReport, PURCHASE_SETTLES_IN_SECONDS, type Reading } from '../reading.ts'
import {
  codesOf,
  evidenceIn,
  externalId,
  idOf,
  ignoredReading,
  minorOf,
  timeOf,
  withCodes,
} from './objects.ts'

/** How Stripe knows the buyer: a guest has no customer object. */
const customerOf = ({ customer, customer_details, customer_email, id }: Stripe.Checkout.Session) =>
  idOf(customer) ?? customer_details?.email ?? customer_email ?? id

/** As the tracker writes a click ID, which tells it from the merchant's own numbers. */
const CLICK_REFERENCE = /^tributary_(\d+)$/

/**
 * `client_reference_id` is our click ID, an affiliate's token, or the merchant's own ID of the customer. What metadata names of the same kind
 * takes precedence.
 */
function evidenceOf({ metadata, client_reference_id: reference }: Stripe.Checkout.Session): Evidence {
  const named = evidenceIn(metadata)
  if (!reference) return named
  const [, clickId] = CLICK_REFERENCE.exec(reference) ?? []
  if (clickId !== undefined) return { clickId, ...named }
  return /^\d+$/.test(reference)
    ? { ...named, maybeClickId: reference }
    : { ...named, tokens: [...(named.tokens ?? []), reference] }
}

/**
 * A Checkout that finished at a time: who was referred, and, if nothing else reports its money, the sale. The purchase began with the session,
 * but it is paid at the end: what names the affiliate may come in between, on the new customer or the charge.
 */
export function readSession(
  session: Stripe.Checkout.Session,
  { base }: ReadSettings,
  finishedAt: string,
): Reading {
  const customer = customerOf(session)
  const evidence = withCodes(evidenceOf(session), codesOf(session.discounts))
  const email = session.customer_details?.email ?? session.customer_email ?? undefined
  const subscription = idOf(session.subscription)
  const reports: BillingReport[] = []
  // The tracker may know the email.
  if (evidence || email !== undefined)
    reports.push({
      kind: 'customer',
      customer,
      ...evidence,
      ...(email !== undefined && { email, leadCountsAfterSeconds: PURCHASE_SETTLES_IN_SECONDS }),
      ...(subscription !== undefined && { subscription }),
      occurredAt: timeOf(session.created),
      isTest: !session.livemode,
    })
  const otherwise = (reading: Reading): Reading => (reports.length > 0 ? { reports } : reading)
  // Its subscription's invoices, or the invoice made for this payment, report the money.
  if (session.mode !== 'payment') return otherwise(ignoredReading('no_evidence'))
  if (idOf(session.invoice)) return otherwise(ignoredReading('reported_by_other', { by: 'invoice.paid' }))
  if (session.payment_status === 'unpaid')
    return otherwise(ignoredReading('not_final', { status: session.payment_status }))
  const { currency, amount_total: total, total_details: details } = session
  if (!currency || !total) return otherwise(ignoredReading('zero_amount'))
  const payment = idOf(session.payment_intent)
  const amount = base === 'gross' ? total : total - (details?.amount_tax ?? 0)
  reports.push({
    kind: 'sale',
    externalId: externalId(session.id),
    customer,
    amountMinor: minorOf(amount, currency),
    paidMinor: minorOf(total, currency),
    currency: currency.toUpperCase(),
    occurredAt: finishedAt,
    payments: payment === undefined ? [] : [payment],
    ...(!session.livemode && { isTest: true }),
  })
  return { reports }
}
