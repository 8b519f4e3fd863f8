import { ignoredReading } from '../evidence.ts'
import { textAt, timeFrom, valueAt } from '../field-path.ts'
import type { ReadSettings, VerifiedEvent } from '../provider.ts'
import type { Reading } from '../reading.ts'
import { externalId, readOrder } from './read-order.ts'
import { readRefund } from './read-refund.ts'

/** Nothing was received for these; nothing is taken back. */
const unpaidStates = new Set(['pending', 'authorized', 'voided', 'expired'])

/** A cancelled order earns nothing, whether or not a refund is reported as well. */
function readCancelled({ body, occurredAt }: VerifiedEvent): Reading {
  const id = textAt(body, 'id')
  if (id === undefined) return ignoredReading('incomplete', { field: 'id' })
  const status = textAt(body, 'financial_status') ?? 'unknown'
  if (unpaidStates.has(status)) return ignoredReading('not_final', { status })
  return {
    reports: [
      {
        kind: 'refund',
        externalId: `${externalId(id)}:cancelled`,
        sale: { externalId: externalId(id) },
        occurredAt: timeFrom(textAt(body, 'cancelled_at')) ?? occurredAt,
      },
    ],
  }
}

/** What a webhook of Shopify means. */
export function readShopifyEvent(event: VerifiedEvent, settings: ReadSettings): Reading {
  const { type, body } = event
  const isTest = valueAt(body, 'test') === true || valueAt(body, 'transactions[0].test') === true
  if (isTest && !settings.takesTests) return ignoredReading('test_mode')
  switch (type) {
    case 'orders/paid':
      return readOrder(event, settings, isTest)
    case 'orders/cancelled':
      return readCancelled(event)
    case 'refunds/create':
      return readRefund(event, settings)
    case 'orders/create':
    case 'orders/updated':
      return ignoredReading('reported_by_other', { by: 'orders/paid' })
    default:
      return ignoredReading('unknown_type', { type })
  }
}
