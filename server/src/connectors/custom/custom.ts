import { textAt, timeFrom } from '../field-path.ts'
import type { BillingProvider, ReadSettings, VerifiedEvent } from '../provider.ts'
import { contentId, headerOf, isSignatureOf, parseObject } from '../signature.ts'
import { mappingOf, mappingProblem } from './mapping.ts'
import { readCustomEvent } from './read-event.ts'

/** The event in a body, by a mapping; undefined if it has no type. */
export function eventOf(
  rawBody: Buffer,
  mapping: ReadSettings['mapping'],
  now: number,
): VerifiedEvent | undefined {
  const { fields } = mappingOf(mapping)
  const body = parseObject(rawBody)
  const type = fields.type === undefined ? undefined : textAt(body, fields.type)
  if (body === undefined || type === undefined) return undefined
  const named = fields.event_id === undefined ? undefined : textAt(body, fields.event_id)
  const time = fields.occurred_at === undefined ? undefined : timeFrom(textAt(body, fields.occurred_at))
  return { id: named ?? contentId(rawBody), type, occurredAt: time ?? new Date(now).toISOString(), body }
}

/** Any other system that signs its bodies with HMAC-SHA256 in hex, with or without `sha256=` in front. A mapping says where its fields are. */
export const customProvider: BillingProvider = {
  name: 'custom',
  mappingProblem,
  verify(headers, rawBody, secret, now, mapping) {
    const { signatureHeader } = mappingOf(mapping)
    const given = headerOf(headers, signatureHeader)?.replace(/^sha256=/, '')
    if (!isSignatureOf(given, secret, [rawBody], 'hex')) return { refused: 'signature' }
    const event = eventOf(rawBody, mapping, now)
    return event ? { event } : { refused: 'malformed' }
  },
  read: readCustomEvent,
}
