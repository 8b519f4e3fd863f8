import { baseOf, currencyFrom, minorFromDecimal } from '../amounts.ts'
import {
  evidenceIn,
  ignoredReading,
  type Metadata,
  nameReferrer,
  queryOf,
  referredCustomer,
  withCodes,
} from '../evidence.ts'
import { listAt, textAt, timeFrom } from '../field-path.ts'
import type { ReadSettings, VerifiedEvent } from '../provider.ts'
import type { Reading } from '../reading.ts'

export const externalId = (id: string) => `shopify:${id}`

/** What the shop's theme stored with the cart: a list of names and values. */
function noteAttributes(order: unknown): Metadata {
  const pairs = listAt(order, 'note_attributes').map(pair => [textAt(pair, 'name'), textAt(pair, 'value')])
  return Object.fromEntries(pairs.filter(([name]) => name !== undefined))
}

/** A guest has no customer; then the email address stands for them. Customers are numbered, so the number alone could be anyone's. */
function customerOf(order: unknown): { customer: string | undefined; email: string | undefined } {
  const email = textAt(order, 'email') ?? textAt(order, 'contact_email') ?? textAt(order, 'customer.email')
  const id = textAt(order, 'customer.id')
  return { customer: id === undefined ? email?.toLowerCase() : `shopify:${id}`, email }
}

/** What the customer paid, in the currency they paid in: refunds are given in it too. Shops with one currency have no second one. */
function moneyOf(order: unknown) {
  const set = textAt(order, 'total_price_set.presentment_money.amount')
  const isSet = set !== undefined
  const currency = currencyFrom(
    isSet ? textAt(order, 'total_price_set.presentment_money.currency_code') : textAt(order, 'currency'),
  )
  if (currency === undefined) return undefined
  const paid = minorFromDecimal(set ?? textAt(order, 'total_price'), currency)
  const tax = minorFromDecimal(
    (isSet ? textAt(order, 'total_tax_set.presentment_money.amount') : textAt(order, 'total_tax')) ?? '0',
    currency,
  )
  return paid === undefined || tax === undefined ? undefined : { currency, paid, tax }
}

/** A paid order is a sale. `total_price` is after discounts, with shipping and taxes; `landing_site` is the first page of the visit. */
export function readOrder(
  { body, occurredAt }: VerifiedEvent,
  { base }: ReadSettings,
  isTest: boolean,
): Reading {
  const id = textAt(body, 'id')
  const { customer, email } = customerOf(body)
  if (id === undefined) return ignoredReading('incomplete', { field: 'id' })
  if (customer === undefined) return ignoredReading('incomplete', { field: 'customer' })
  const codes = listAt(body, 'discount_codes')
    .map(discount => textAt(discount, 'code'))
    .filter(code => code !== undefined)
  const evidence = withCodes(evidenceIn(noteAttributes(body), queryOf(textAt(body, 'landing_site'))), codes)
  const createdAt = timeFrom(textAt(body, 'created_at')) ?? occurredAt
  const reports = referredCustomer(evidence, {
    customer,
    ...(email !== undefined && { email }),
    occurredAt: createdAt,
    isTest,
  })
  const money = moneyOf(body)
  if (!money) return ignoredReading('incomplete', { field: 'total_price' })
  const amountMinor = baseOf(base, money)
  if (amountMinor <= 0n) return nameReferrer(reports) ? { reports } : ignoredReading('zero_amount')
  const products = listAt(body, 'line_items').map(item => textAt(item, 'product_id'))
  reports.push({
    kind: 'sale',
    externalId: externalId(id),
    customer,
    amountMinor,
    paidMinor: money.paid,
    currency: money.currency,
    occurredAt: timeFrom(textAt(body, 'processed_at')) ?? createdAt,
    products: [...new Set(products.filter(product => product !== undefined))],
    ...(isTest && { isTest }),
  })
  return { reports }
}
