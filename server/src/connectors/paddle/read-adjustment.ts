import { currencyFrom, minorFromWhole } from '../amounts.ts'
import { ignoredReading } from '../evidence.ts'
import { textAt, timeFrom } from '../field-path.ts'
import type { ReadSettings, VerifiedEvent } from '../provider.ts'
import type { Reading, RefundReport, RefundSource } from '../reading.ts'
import { externalId } from './read-transaction.ts'

const sources: Record<string, RefundSource> = { refund: 'refund', chargeback: 'dispute' }

/**
 * An adjustment changes what a transaction brought. Most refunds await Paddle's approval first and may be rejected. When a chargeback is won,
 * its own adjustment becomes `reversed`; the new one of action `chargeback_reverse` doesn't say which it reverses. A credit gives no money
 * back: it lowers the `grand_total` of a later transaction. Taxes may be refunded alone: without them in the base, that takes nothing back.
 */
export function readAdjustment(adjustment: unknown, event: VerifiedEvent, { base }: ReadSettings): Reading {
  const action = textAt(adjustment, 'action') ?? ''
  if (action === 'credit' || action === 'credit_reverse')
    return ignoredReading('reported_by_other', { by: 'transaction.completed' })
  if (action === 'chargeback_reverse')
    return ignoredReading('reported_by_other', { by: 'adjustment.updated' })
  const source = Object.hasOwn(sources, action) ? sources[action] : undefined
  if (source === undefined) return ignoredReading('unknown_type', { type: action })
  const status = textAt(adjustment, 'status') ?? 'unknown'
  if (status !== 'approved' && status !== 'reversed') return ignoredReading('not_final', { status })
  const [id, transaction] = [textAt(adjustment, 'id'), textAt(adjustment, 'transaction_id')]
  if (id === undefined || transaction === undefined)
    return ignoredReading('incomplete', { field: 'transaction_id' })
  const total = minorFromWhole(textAt(adjustment, 'totals.total'))
  const tax = minorFromWhole(textAt(adjustment, 'totals.tax'))
  const currency = currencyFrom(textAt(adjustment, 'currency_code'))
  if (total === undefined || currency === undefined) return ignoredReading('incomplete', { field: 'totals' })
  const isNet = base === 'net' && tax !== undefined
  if (isNet && tax >= total && tax > 0n) return ignoredReading('tax_only')
  const refund: RefundReport = {
    kind: 'refund',
    source,
    externalId: externalId(id),
    sale: { externalId: externalId(transaction) },
    ...(isNet ? { netMinor: total - tax } : { amountMinor: total }),
    currency,
    occurredAt: timeFrom(textAt(adjustment, 'created_at')) ?? event.occurredAt,
  }
  if (status === 'approved') return { reports: [refund] }
  return {
    reports: [
      refund,
      { kind: 'refund_reversed', source, refundExternalId: refund.externalId, occurredAt: event.occurredAt },
    ],
  }
}
