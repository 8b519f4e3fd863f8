import { currencyFrom, minorFromDecimal } from '../amounts.ts'
import { ignoredReading } from '../evidence.ts'
import { listAt, textAt, timeFrom } from '../field-path.ts'
import type { VerifiedEvent } from '../provider.ts'
import type { Reading } from '../reading.ts'
import { externalId } from './read-order.ts'

/** A pending transaction has no further event when it succeeds, so it counts. */
const countedStates = new Set(['success', 'pending'])

/** The money of a refund is in its transactions. Without any, goods came back but no money went. */
export function readRefund({ body, occurredAt }: VerifiedEvent): Reading {
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
  return {
    reports: [
      {
        kind: 'refund',
        externalId: `${externalId(order)}:refund:${id}`,
        sale: { externalId: externalId(order) },
        amountMinor,
        currency,
        occurredAt: timeFrom(textAt(body, 'created_at')) ?? occurredAt,
      },
    ],
  }
}
