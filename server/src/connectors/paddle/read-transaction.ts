import { baseOf, currencyFrom, minorFromWhole } from '../amounts.ts'
import { evidenceIn, ignoredReading, referredCustomer, withCodes } from '../evidence.ts'
import { fieldsAt, listAt, textAt, timeFrom } from '../field-path.ts'
import type { ReadSettings, VerifiedEvent } from '../provider.ts'
import type { Reading } from '../reading.ts'

export const externalId = (id: string) => `paddle:${id}`

const productsOf = (transaction: unknown) => [
  ...new Set(
    listAt(transaction, 'items')
      .map(item => textAt(item, 'price.product_id'))
      .filter(id => id !== undefined),
  ),
]

/**
 * A completed transaction is a sale. Amounts are texts in the currency's minor unit. `total` is after discounts and with taxes;
 * `grand_total` is what remained to pay after the customer's credit. What credit covered was paid, and earned on, before.
 */
export function readTransaction(
  transaction: unknown,
  event: VerifiedEvent,
  { base, takesTests: isTest }: ReadSettings,
): Reading {
  const [id, customer] = [textAt(transaction, 'id'), textAt(transaction, 'customer_id')]
  if (id === undefined) return ignoredReading('incomplete', { field: 'id' })
  if (customer === undefined) return ignoredReading('incomplete', { field: 'customer_id' })
  const subscription = textAt(transaction, 'subscription_id')
  const discount = textAt(transaction, 'discount_id')
  const typed = textAt(transaction, 'discount.code')
  const evidence = withCodes(
    evidenceIn(fieldsAt(transaction, 'custom_data')),
    [typed, discount].filter(code => code !== undefined),
  )
  const ofSubscription = subscription !== undefined && { subscription }
  const createdAt = timeFrom(textAt(transaction, 'created_at')) ?? event.occurredAt
  const reports = referredCustomer(evidence, { customer, ...ofSubscription, occurredAt: createdAt, isTest })

  const currency = currencyFrom(
    textAt(transaction, 'currency_code') ?? textAt(transaction, 'details.totals.currency_code'),
  )
  const total = minorFromWhole(textAt(transaction, 'details.totals.total'))
  const tax = minorFromWhole(textAt(transaction, 'details.totals.tax') ?? '0')
  const paid = minorFromWhole(textAt(transaction, 'details.totals.grand_total')) ?? total
  if (currency === undefined) return ignoredReading('incomplete', { field: 'currency_code' })
  if (total === undefined || tax === undefined || paid === undefined)
    return ignoredReading('incomplete', { field: 'total' })
  const amountMinor = baseOf(base, { paid, total, tax })
  if (amountMinor <= 0n) return reports.length > 0 ? { reports } : ignoredReading('zero_amount')
  reports.push({
    kind: 'sale',
    externalId: externalId(id),
    customer,
    amountMinor,
    paidMinor: paid,
    currency,
    occurredAt: timeFrom(textAt(transaction, 'billed_at')) ?? event.occurredAt,
    ...ofSubscription,
    products: productsOf(transaction),
    ...(isTest && { isTest }),
  })
  return { reports }
}
