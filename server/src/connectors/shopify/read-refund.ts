import { currencyFrom, minorFromDecimal } from '../amounts.ts'
import { ignoredReading } from '../evidence.ts'
import { listAt, textAt, timeFrom } from '../field-path.ts'
import type { ReadSettings, VerifiedEvent } from '../provider.ts'
import type { Reading } from '../reading.ts'
import { externalId } from './read-order.ts'

/** A pending transaction has no further event when it succeeds, so it counts. */
const countedStates = new Set(['success', 'pending'])

/** An amount in the customer's currency. Shops with one currency have no second one. May be negative, as adjustments are. */
function amountAt(part: unknown, field: string, currency: string): bigint | undefined {
  const set = textAt(part, `${field}_set.presentment_money.currency_code`)
  if (set !== undefined && set !== currency) return undefined
  const text = textAt(part, set === undefined ? field : `${field}_set.presentment_money.amount`)
  const amount = minorFromDecimal(text?.replace(/^-/, ''), currency)
  return amount === undefined ? undefined : text?.startsWith('-') ? -amount : amount
}

/**
 * The taxes in a refund: those of the items, less what an adjustment kept of them. What an adjustment returned, such as those of shipping, is
 * negative. Undefined if the refund doesn't say, as one of an amount that the merchant entered.
 */
function taxesOf(refund: unknown, currency: string): bigint | undefined {
  const items = listAt(refund, 'refund_line_items').map(item => amountAt(item, 'total_tax', currency))
  const kept = listAt(refund, 'order_adjustments').map(each => amountAt(each, 'tax_amount', currency))
  if (items.length + kept.length === 0) return undefined
  let taxes = 0n
  for (const [sign, amounts] of [
    [1n, items],
    [-1n, kept],
  ] as const)
    for (const amount of amounts) {
      if (amount === undefined) return undefined
      taxes += sign * amount
    }
  return taxes < 0n ? undefined : taxes
}

/** The money of a refund is in its transactions. Without any, goods came back but no money went. */
export function readRefund({ body, occurredAt }: VerifiedEvent, { base }: ReadSettings): Reading {
  const [id, order] = [textAt(body, 'id'), textAt(body, 'order_id')]
  if (id === undefined || order === undefined) return ignoredReading('incomplete', { field: 'order_id' })
  const transactions = listAt(body, 'transactions').filter(
    transaction =>
      textAt(transaction, 'kind') === 'refund' && countedStates.has(textAt(transaction, 'status') ?? ''),
  )
  if (transactions.length === 0) return ignoredReading('zero_amount')
  const currency = currencyFrom(textAt(transactions[0], 'currency'))
  if (currency === undefined) return ignoredReading('incomplete', { field: 'currency' })
  let amountMinor = 0n
  for (const transaction of transactions) {
    const part = minorFromDecimal(textAt(transaction, 'amount'), currency)
    if (part === undefined || currencyFrom(textAt(transaction, 'currency')) !== currency)
      return ignoredReading('incomplete', { field: 'amount' })
    amountMinor += part
  }
  const taxes = base === 'net' ? taxesOf(body, currency) : undefined
  if (taxes !== undefined && taxes > 0n && taxes >= amountMinor) return ignoredReading('tax_only')
  return {
    reports: [
      {
        kind: 'refund',
        externalId: `${externalId(order)}:refund:${id}`,
        sale: { externalId: externalId(order) },
        ...(taxes === undefined ? { amountMinor } : { netMinor: amountMinor - taxes }),
        currency,
        occurredAt: timeFrom(textAt(body, 'created_at')) ?? occurredAt,
      },
    ],
  }
}
