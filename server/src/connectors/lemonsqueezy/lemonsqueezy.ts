import { textAt, timeFrom } from '../field-path.ts'
import type { BillingProvider } from '../provider.ts'
import { contentId, headerOf, isSignatureOf, parseObject } from '../signature.ts'
import { readLemonSqueezyEvent } from './read-event.ts'

const allTypes: ReadonlySet<string> = new Set([
  'affiliate_activated',
  'customer_updated',
  'license_key_created',
  'license_key_updated',
  'order_created',
  'order_refunded',
  'subscription_cancelled',
  'subscription_created',
  'subscription_expired',
  'subscription_paused',
  'subscription_payment_failed',
  'subscription_payment_recovered',
  'subscription_payment_refunded',
  'subscription_payment_success',
  'subscription_plan_changed',
  'subscription_resumed',
  'subscription_unpaused',
  'subscription_updated',
])

/** Lemon Squeezy. The signature covers the body alone, and the body has no ID of the event. */
export const lemonSqueezyProvider: BillingProvider = {
  name: 'lemonsqueezy',
  verify(headers, rawBody, secret, now) {
    if (!isSignatureOf(headerOf(headers, 'x-signature'), secret, [rawBody], 'hex'))
      return { refused: 'signature' }
    const body = parseObject(rawBody)
    const [type, subject] = [textAt(body, 'meta.event_name'), textAt(body, 'data.id')]
    if (type === undefined || subject === undefined) return { refused: 'malformed' }
    const changedAt = textAt(body, 'data.attributes.updated_at') ?? textAt(body, 'data.attributes.created_at')
    return {
      event: {
        id: `${subject}-${contentId(rawBody)}`,
        type,
        occurredAt: timeFrom(changedAt) ?? new Date(now).toISOString(),
        body,
      },
    }
  },
  hasType: type => allTypes.has(type),
  read: readLemonSqueezyEvent,
}
