import { textAt, timeFrom } from '../field-path.ts'
import type { BillingProvider } from '../provider.ts'
import { contentId, headerOf, isSignatureOf, parseObject } from '../signature.ts'
import { readWooCommerceEvent } from './read-event.ts'

/** What WooCommerce sends when a webhook is saved, to see whether the address answers. It is not signed and says nothing. */
const isPing = (rawBody: Buffer) => rawBody.length < 64 && /^webhook_id=\d+$/.test(rawBody.toString('latin1'))

/** Those of WooCommerce and of its subscriptions, and any action of WordPress that a shop selects by its name. */
const TYPE =
  /^(?:(?:coupon|customer|order|product)\.(?:created|updated|deleted|restored)|subscription\.(?:created|updated|deleted|switched)|action\..+)$/

/**
 * WooCommerce. Only the body is signed; a header gives the topic. The ID of the delivery names none: it is made of the webhook and the
 * second, so that all deliveries of a second share it.
 */
export const wooCommerceProvider: BillingProvider = {
  name: 'woocommerce',
  verify(headers, rawBody, secret, now) {
    if (isPing(rawBody)) return { isPing: true }
    if (!isSignatureOf(headerOf(headers, 'x-wc-webhook-signature'), secret, [rawBody], 'base64'))
      return { refused: 'signature' }
    const type = headerOf(headers, 'x-wc-webhook-topic')
    const body = parseObject(rawBody)
    if (type === undefined || body === undefined) return { refused: 'malformed' }
    return {
      event: {
        id: `${type}-${contentId(rawBody)}`,
        type,
        occurredAt: timeFrom(textAt(body, 'date_modified_gmt')) ?? new Date(now).toISOString(),
        body,
      },
    }
  },
  hasType: type => TYPE.test(type),
  read: readWooCommerceEvent,
}
