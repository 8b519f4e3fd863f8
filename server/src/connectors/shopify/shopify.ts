import { textAt, timeFrom } from '../field-path.ts'
import type { BillingProvider } from '../provider.ts'
import { contentId, headerOf, isSignatureOf, parseObject } from '../signature.ts'
import { shopifySubjects } from './event-types.ts'
import { readShopifyEvent } from './read-event.ts'

/**
 * Shopify. Only the body is signed. Headers give the topic, and the ID of the delivery, which stays the same when Shopify repeats it; the
 * event ID is shared by all topics of one action of the merchant. A forged header could make us read a body again, which changes nothing:
 * what we report is named by the order's and refund's own IDs.
 */
export const shopifyProvider: BillingProvider = {
  name: 'shopify',
  verify(headers, rawBody, secret, now) {
    if (!isSignatureOf(headerOf(headers, 'x-shopify-hmac-sha256'), secret, [rawBody], 'base64'))
      return { refused: 'signature' }
    const type = headerOf(headers, 'x-shopify-topic')
    const body = parseObject(rawBody)
    if (type === undefined || body === undefined) return { refused: 'malformed' }
    const eventId = headerOf(headers, 'x-shopify-event-id')
    const id = headerOf(headers, 'x-shopify-webhook-id') ?? `${type}-${eventId ?? contentId(rawBody)}`
    const occurredAt = timeFrom(
      headerOf(headers, 'x-shopify-triggered-at') ?? textAt(body, 'updated_at') ?? textAt(body, 'created_at'),
    )
    return { event: { id, type, occurredAt: occurredAt ?? new Date(now).toISOString(), body } }
  },
  hasType: type => shopifySubjects.has(/^(\w+)[/.]\w+$/.exec(type)?.[1] ?? ''),
  read: readShopifyEvent,
}
