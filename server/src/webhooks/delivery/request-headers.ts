import type { ClaimedDelivery } from './delivery.ts'
import { standardHeaders, tributarySignature } from './signature.ts'

type Sent = Pick<ClaimedDelivery, 'id' | 'event_id' | 'is_test' | 'body'>

/**
 * The headers of an attempt. They depend only on the delivery, the attempt's time and the secret, so that the log can reconstruct the
 * request without storing it. Without the secret, the signatures are left out.
 */
export function requestHeaders(
  { id, event_id, is_test, body }: Sent,
  attempt: { number: number; startedAtMs: number },
  secret: string | undefined,
): Record<string, string> {
  const unixSeconds = Math.floor(attempt.startedAtMs / 1000)
  const signed = secret === undefined ? undefined : { secret, eventId: event_id, unixSeconds, body }
  return {
    'content-type': 'application/json; charset=utf-8',
    'user-agent': 'Tributary',
    ...(signed && { 'tributary-signature': tributarySignature(signed) }),
    'tributary-event-id': String(event_id),
    'tributary-delivery-id': String(id),
    'tributary-attempt': String(attempt.number),
    ...(is_test && { 'tributary-test': 'true' }),
    ...(signed && standardHeaders(signed)),
  }
}
