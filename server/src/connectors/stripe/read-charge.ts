import type Stripe from 'stripe'
import type { BillingReport, Reading, RefundReport } from '../reading.ts'
import { evidenceIn, externalId, idOf, ignoredReading, minorOf, timeOf, withCodes } from './objects.ts'

/** Recent API versions don't say on a charge whether it pays an invoice. The invoice's own events follow within seconds. */
const SETTLES_IN_SECONDS = 10

type Charge = Stripe.Charge & { invoice?: string | null }

/**
 * What was received. API versions before 2025-03-31 refund what a partial capture leaves: their refund takes back what was never received,
 * so it is added first.
 */
function receivedOf({ amount, amount_captured, amount_refunded }: Charge): number {
  const captured = amount_captured || amount
  return captured + Math.min(amount_refunded, Math.max(amount - captured, 0))
}

/** A charge that pays neither an invoice nor a Checkout. */
export function readCharge(charge: Charge): Reading {
  if (charge.invoice) return ignoredReading('reported_by_other', { by: 'invoice.paid' })
  if (!charge.paid || !charge.captured) return ignoredReading('not_final', { status: charge.status })
  const { currency, id } = charge
  const amount = receivedOf(charge)
  if (amount <= 0) return ignoredReading('zero_amount')
  const email = charge.billing_details?.email
  const customer = idOf(charge.customer) ?? email ?? id
  const payment = idOf(charge.payment_intent) ?? id
  const evidence = withCodes(evidenceIn(charge.metadata), [])
  const occurredAt = timeOf(charge.created)
  const reports: BillingReport[] = []
  if (evidence)
    reports.push({
      kind: 'customer',
      customer,
      ...evidence,
      ...(email && { email }),
      occurredAt,
      isTest: !charge.livemode,
    })
  reports.push({
    kind: 'sale',
    externalId: externalId(payment),
    customer,
    amountMinor: minorOf(amount, currency),
    currency: currency.toUpperCase(),
    occurredAt,
    payments: [payment],
    unlessReportedWithinSeconds: SETTLES_IN_SECONDS,
    ...(!charge.livemode && { isTest: true }),
  })
  return { reports }
}

/** The sale that a refund or dispute takes from. */
const saleOf = (paid: {
  payment_intent?: string | { id: string } | null
  charge?: string | { id: string } | null
}) => {
  const payment = idOf(paid.payment_intent) ?? idOf(paid.charge)
  return payment === undefined ? undefined : { payment }
}

/** A refund counts from its creation, and no longer if it fails. */
export function readRefund(refund: Stripe.Refund, occurredAt: string): Reading {
  const sale = saleOf(refund)
  if (!sale) return ignoredReading('incomplete', { field: 'payment_intent' })
  const id = externalId(refund.id)
  const report: RefundReport = {
    kind: 'refund',
    externalId: id,
    sale,
    amountMinor: minorOf(refund.amount, refund.currency),
    currency: refund.currency.toUpperCase(),
    occurredAt: timeOf(refund.created),
  }
  const isOff = refund.status === 'failed' || refund.status === 'canceled'
  return {
    reports: isOff ? [report, { kind: 'refund_reversed', refundExternalId: id, occurredAt }] : [report],
  }
}

/** What all refunds of a charge add up to: takes back what the single refunds, if their events are not sent, don't. */
export function readRefundedCharge(charge: Charge, occurredAt: string): Reading {
  const payment = idOf(charge.payment_intent) ?? charge.id
  return {
    reports: [
      {
        kind: 'refund',
        source: 'total',
        externalId: externalId(`${charge.id}:refunded`),
        sale: charge.invoice ? { externalId: externalId(charge.invoice) } : { payment },
        amountMinor: minorOf(charge.amount_refunded, charge.currency),
        currency: charge.currency.toUpperCase(),
        occurredAt,
      },
    ],
  }
}

/** A dispute takes back what was withdrawn; if it is won, that is given back. */
export function readDispute(dispute: Stripe.Dispute, occurredAt: string, isReinstated: boolean): Reading {
  const sale = saleOf(dispute)
  if (!sale) return ignoredReading('incomplete', { field: 'payment_intent' })
  const id = externalId(dispute.id)
  const report: RefundReport = {
    kind: 'refund',
    source: 'dispute',
    externalId: id,
    sale,
    amountMinor: minorOf(dispute.amount, dispute.currency),
    currency: dispute.currency.toUpperCase(),
    occurredAt: timeOf(dispute.created),
  }
  if (!isReinstated) return { reports: [report] }
  return {
    reports: [report, { kind: 'refund_reversed', refundExternalId: id, source: 'dispute', occurredAt }],
  }
}
