import { baseOf, currencyFrom, isTaxAlone, minorFromWhole } from '../amounts.ts'
import { evidenceIn, ignoredReading, nameReferrer, referredCustomer, withCodes } from '../evidence.ts'
import { fieldsAt, textAt, timeFrom, valueAt } from '../field-path.ts'
import type { ReadSettings, VerifiedEvent } from '../provider.ts'
import type { Reading } from '../reading.ts'

/** Orders and subscription invoices are numbered independently. */
type Payment = 'order' | 'invoice'
const externalId = (payment: Payment, id: string) => `lemonsqueezy:${payment}:${id}`

/** A payment that was received stays a sale when it is refunded; the refund has its own event. */
const receivedStates = new Set(['paid', 'partial_refund', 'refunded'])

/** A paid order or invoice is a sale. Amounts are whole numbers of the minor unit; `total` is after discounts and with taxes. */
export function readPaid(
  { body, occurredAt }: VerifiedEvent,
  payment: Payment,
  { base }: ReadSettings,
  isTest: boolean,
): Reading {
  const id = textAt(body, 'data.id')
  const attributes = valueAt(body, 'data.attributes')
  const number = textAt(attributes, 'customer_id')
  if (id === undefined || number === undefined) return ignoredReading('incomplete', { field: 'customer_id' })
  const status = textAt(attributes, 'status') ?? 'unknown'
  if (!receivedStates.has(status)) return ignoredReading('not_final', { status })
  const customer = `lemonsqueezy:${number}`
  const subscription = textAt(attributes, 'subscription_id')
  const ofSubscription = subscription !== undefined && { subscription }
  const email = textAt(attributes, 'user_email')
  const createdAt = timeFrom(textAt(attributes, 'created_at')) ?? occurredAt
  const reports = referredCustomer(withCodes(evidenceIn(fieldsAt(body, 'meta.custom_data')), []), {
    customer,
    ...(email !== undefined && { email }),
    ...ofSubscription,
    occurredAt: createdAt,
    isTest,
  })
  const currency = currencyFrom(textAt(attributes, 'currency'))
  const paid = minorFromWhole(textAt(attributes, 'total'))
  const tax = minorFromWhole(textAt(attributes, 'tax') ?? '0')
  if (currency === undefined) return ignoredReading('incomplete', { field: 'currency' })
  if (paid === undefined || tax === undefined) return ignoredReading('incomplete', { field: 'total' })
  const amountMinor = baseOf(base, { paid, tax })
  if (amountMinor <= 0n) return nameReferrer(reports) ? { reports } : ignoredReading('zero_amount')
  const product = textAt(attributes, 'first_order_item.product_id')
  reports.push({
    kind: 'sale',
    externalId: externalId(payment, id),
    customer,
    amountMinor,
    paidMinor: paid,
    currency,
    occurredAt: createdAt,
    ...ofSubscription,
    products: product === undefined ? [] : [product],
    ...(isTest && { isTest }),
  })
  return { reports }
}

/**
 * `refunded_amount` is what all refunds of the payment add up to so far. Without it, the payment was refunded in full. It doesn't say which part
 * are taxes: exactly the payment's taxes are what a customer gets back who enters a tax number later.
 */
export function readRefunded(
  { body, occurredAt }: VerifiedEvent,
  payment: Payment,
  { base }: ReadSettings,
): Reading {
  const id = textAt(body, 'data.id')
  if (id === undefined) return ignoredReading('incomplete', { field: 'id' })
  const attributes = valueAt(body, 'data.attributes')
  const given = textAt(attributes, 'refunded_amount')
  const status = textAt(attributes, 'status') ?? 'unknown'
  const amountMinor = minorFromWhole(given)
  const currency = currencyFrom(textAt(attributes, 'currency'))
  if (given === undefined && status !== 'refunded') return ignoredReading('not_final', { status })
  if (given !== undefined && amountMinor === undefined)
    return ignoredReading('incomplete', { field: 'refunded_amount' })
  const taxes = minorFromWhole(textAt(attributes, 'tax'))
  if (base === 'net' && status !== 'refunded' && isTaxAlone(amountMinor, taxes))
    return ignoredReading('tax_only')
  const sale = externalId(payment, id)
  return {
    reports: [
      {
        kind: 'refund',
        source: 'total',
        externalId: `${sale}:refunds`,
        sale: { externalId: sale },
        ...(amountMinor !== undefined && { amountMinor }),
        ...(currency !== undefined && { currency }),
        occurredAt: timeFrom(textAt(attributes, 'refunded_at')) ?? occurredAt,
      },
    ],
  }
}
