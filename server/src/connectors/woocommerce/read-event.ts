import { baseOf, currencyFrom, isTaxAlone, minorFromDecimal } from '../amounts.ts'
import { ignoredReading, nameReferrer, referredCustomer } from '../evidence.ts'
import { listAt, textAt, timeFrom } from '../field-path.ts'
import type { ReadSettings, VerifiedEvent } from '../provider.ts'
import type { BillingReport, Reading } from '../reading.ts'
import { evidenceOf } from './evidence-of-order.ts'

const externalId = (id: string) => `woocommerce:${id}`

/** A guest's ID is 0. Customers are numbered from 1 in every shop, so the number alone could be anyone's. */
function customerOf(order: unknown): string | undefined {
  const id = textAt(order, 'customer_id')
  return id !== undefined && id !== '0' ? `woocommerce:${id}` : textAt(order, 'billing.email')?.toLowerCase()
}

interface Amounts {
  currency: string
  paid: bigint
  /** Undefined if taxes count. */
  taxes: bigint | undefined
}

/**
 * An order lists all its refunds, each with a negative total, every time it is sent. Which part of one are taxes it doesn't say: one of exactly
 * the order's taxes is what a customer gets back who is exempt, and then the others are of what is left. A cancelled order earns nothing.
 */
function refundsOf(
  order: unknown,
  { currency, paid, taxes }: Amounts,
  at: { id: string; occurredAt: string },
): BillingReport[] {
  const { id, occurredAt } = at
  const sale = { externalId: externalId(id) }
  const refunds = listAt(order, 'refunds').flatMap(refund => {
    const [refundId, total] = [textAt(refund, 'id'), textAt(refund, 'total')]
    const amountMinor = minorFromDecimal(total?.replace(/^-/, ''), currency)
    return refundId !== undefined && amountMinor !== undefined && amountMinor > 0n
      ? [{ refundId, amountMinor }]
      : []
  })
  const ofTaxes = refunds.find(({ amountMinor }) => isTaxAlone(amountMinor, taxes))
  const reports: BillingReport[] = refunds
    .filter(refund => refund !== ofTaxes)
    .map(({ refundId, amountMinor }) => ({
      kind: 'refund',
      externalId: `${sale.externalId}:refund:${refundId}`,
      sale,
      ...(ofTaxes ? { netMinor: amountMinor } : { amountMinor }),
      currency,
      occurredAt,
    }))
  const whole = (name: string): BillingReport => ({
    kind: 'refund',
    externalId: `${sale.externalId}:${name}`,
    sale,
    occurredAt,
  })
  // Those that came before the one of taxes were taken in proportion.
  const refunded = refunds.reduce((sum, { amountMinor }) => sum + amountMinor, 0n)
  if (ofTaxes && refunded >= paid) reports.push(whole('refunded'))
  if (textAt(order, 'status') === 'cancelled') reports.push(whole('cancelled'))
  return reports
}

/**
 * An order in its present state: a sale as soon as it is paid, which `date_paid_gmt` says whatever the shop calls its states, and the refunds
 * so far. `total` is after discounts, with shipping and taxes, and stays as it is when the order is refunded.
 */
function readOrder({ body, occurredAt }: VerifiedEvent, { base, takesTests: isTest }: ReadSettings): Reading {
  const [id, customer] = [textAt(body, 'id'), customerOf(body)]
  if (id === undefined) return ignoredReading('incomplete', { field: 'id' })
  const paidAt = timeFrom(textAt(body, 'date_paid_gmt'))
  if (paidAt === undefined)
    return ignoredReading('not_final', { status: textAt(body, 'status') ?? 'unknown' })
  if (customer === undefined) return ignoredReading('incomplete', { field: 'customer' })
  const currency = currencyFrom(textAt(body, 'currency'))
  if (currency === undefined) return ignoredReading('incomplete', { field: 'currency' })
  const paid = minorFromDecimal(textAt(body, 'total'), currency)
  const tax = minorFromDecimal(textAt(body, 'total_tax') ?? '0', currency)
  if (paid === undefined || tax === undefined) return ignoredReading('incomplete', { field: 'total' })
  const email = textAt(body, 'billing.email')
  const reports = referredCustomer(evidenceOf(body), {
    customer,
    ...(email !== undefined && { email }),
    occurredAt: timeFrom(textAt(body, 'date_created_gmt')) ?? paidAt,
    isTest,
  })
  const amountMinor = baseOf(base, { paid, tax })
  if (amountMinor <= 0n) return nameReferrer(reports) ? { reports } : ignoredReading('zero_amount')
  const products = listAt(body, 'line_items').map(item => textAt(item, 'product_id'))
  reports.push(
    {
      kind: 'sale',
      externalId: externalId(id),
      customer,
      amountMinor,
      paidMinor: paid,
      currency,
      occurredAt: paidAt,
      products: [...new Set(products.filter(product => product !== undefined))],
      ...(isTest && { isTest }),
    },
    ...refundsOf(body, { currency, paid, taxes: base === 'net' ? tax : undefined }, { id, occurredAt }),
  )
  return { reports }
}

/** What a webhook of WooCommerce means. The shop has no test mode: a connector that takes tests is one for a shop under test. */
export function readWooCommerceEvent(event: VerifiedEvent, settings: ReadSettings): Reading {
  switch (event.type) {
    case 'order.created':
    case 'order.updated':
    case 'order.restored':
      return readOrder(event, settings)
    default:
      return ignoredReading('unknown_type', { type: event.type })
  }
}
