import type Stripe from 'stripe'
import { divideHalfEven } from '../../kit/money.ts'
import type { ReadSettings } from '../provider.ts'
import { type BillingReport, PURCHASE_SETTLES_IN_SECONDS, type Reading } from '../reading.ts'
import {
  codesOf,
  evidenceIn,
  externalId,
  idOf,
  ignoredReading,
  type LegacyInvoice,
  minorOf,
  timeOf,
  withCodes,
} from './objects.ts'

type Invoice = Stripe.Invoice & LegacyInvoice

/** What was invoiced without taxes; discounts are already deducted from the total. */
function untaxed({ total, total_excluding_tax, total_taxes, tax }: Invoice): number {
  if (typeof total_excluding_tax === 'number') return total_excluding_tax
  return total - (tax ?? total_taxes?.reduce((sum, { amount }) => sum + amount, 0) ?? 0)
}

/**
 * The money that was really received: what credit of the customer covered was paid, and earned on, before, or was never paid. That makes
 * prorations come out right: a downgrade's credit reduces later sales.
 */
function amountsOf(invoice: Invoice, base: ReadSettings['base']): { amount: bigint; paid: bigint } {
  const total = BigInt(invoice.total)
  const received = BigInt(invoice.amount_paid)
  const paid = received > total ? total : received
  if (total <= 0n || paid <= 0n) return { amount: 0n, paid: 0n }
  const amount = base === 'gross' ? paid : divideHalfEven(BigInt(untaxed(invoice)) * paid, total)
  return { amount, paid }
}

function paymentsOf(invoice: Invoice): string[] {
  const listed = (invoice.payments?.data ?? []).map(({ payment }) => paymentIdOf(payment))
  const all = [...listed, idOf(invoice.payment_intent) ?? idOf(invoice.charge)]
  return [...new Set(all.filter(id => id !== undefined))]
}

const paymentIdOf = ({ payment_intent, charge }: Stripe.InvoicePayment.Payment) =>
  idOf(payment_intent) ?? idOf(charge)

const productOf = (line: Stripe.InvoiceLineItem & { price?: { product?: string } | null }) =>
  line.pricing?.price_details?.product ?? line.price?.product

/** A paid invoice is a sale. */
export function readInvoice(invoice: Invoice, { base }: ReadSettings): Reading {
  const customer = idOf(invoice.customer) ?? invoice.customer_email ?? undefined
  const details = invoice.parent?.subscription_details
  if (customer === undefined) return ignoredReading('incomplete', { field: 'customer' })
  const subscription = idOf(details?.subscription) ?? invoice.subscription ?? undefined
  const occurredAt = timeOf(invoice.status_transitions?.paid_at ?? invoice.created)
  const evidence = withCodes(
    evidenceIn(invoice.metadata, details?.metadata, invoice.subscription_details?.metadata),
    codesOf(invoice.discounts),
  )
  const { amount, paid } = amountsOf(invoice, base)
  // The tracker may know the email. A renewal is not a purchase that it could have led to.
  const isPurchase = invoice.billing_reason === 'subscription_create' || invoice.billing_reason === 'manual'
  const reports: BillingReport[] = []
  if (evidence || (invoice.customer_email && amount > 0n))
    reports.push({
      kind: 'customer',
      customer,
      ...evidence,
      ...(invoice.customer_email && {
        email: invoice.customer_email,
        ...(isPurchase && { leadCountsAfterSeconds: PURCHASE_SETTLES_IN_SECONDS }),
      }),
      ...(subscription !== undefined && { subscription }),
      occurredAt: timeOf(invoice.created),
      isTest: !invoice.livemode,
    })
  if (amount <= 0n) return reports.length > 0 ? { reports } : ignoredReading('zero_amount')
  const { currency } = invoice
  const products = (invoice.lines?.data ?? []).map(productOf).filter(product => typeof product === 'string')
  reports.push({
    kind: 'sale',
    externalId: externalId(invoice.id),
    customer,
    amountMinor: minorOf(Number(amount), currency),
    paidMinor: minorOf(Number(paid), currency),
    currency: currency.toUpperCase(),
    occurredAt,
    ...(subscription !== undefined && { subscription }),
    payments: paymentsOf(invoice),
    products: [...new Set(products)],
    ...(!invoice.livemode && { isTest: true }),
  })
  return { reports }
}

/** Says which invoice a payment belongs to: a refund names only the payment. */
export function readInvoicePayment({ invoice, payment }: Stripe.InvoicePayment): Reading {
  const [paymentId, invoiceId] = [paymentIdOf(payment), idOf(invoice as string | { id: string })]
  if (!paymentId || !invoiceId)
    return ignoredReading('incomplete', { field: paymentId ? 'invoice' : 'payment' })
  return { reports: [{ kind: 'payment', payment: paymentId, saleExternalId: externalId(invoiceId) }] }
}

/**
 * A credit note takes back what was returned outside Stripe. Its refunds have separate events, a credit before payment reduced what was
 * paid, and a credit to the customer's balance reduces what later invoices receive: taking it back here too would count it twice.
 */
export function readCreditNote(note: Stripe.CreditNote, isVoided: boolean): Reading {
  const amount = note.out_of_band_amount ?? 0
  const invoice = idOf(note.invoice)
  if (amount <= 0 || !invoice)
    return note.customer_balance_transaction
      ? ignoredReading('credited_to_balance')
      : ignoredReading('reported_by_other', { by: 'the refund or the payment' })
  const [id, occurredAt] = [externalId(note.id), timeOf(note.created)]
  if (isVoided)
    return { reports: [{ kind: 'refund_reversed', refundExternalId: id, source: 'credit', occurredAt }] }
  return {
    reports: [
      {
        kind: 'refund',
        source: 'credit',
        externalId: id,
        sale: { externalId: externalId(invoice) },
        amountMinor: minorOf(amount, note.currency),
        currency: note.currency.toUpperCase(),
        occurredAt,
      },
    ],
  }
}
