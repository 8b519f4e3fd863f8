import type { Event } from '@tributary/contract'
import { webCrypto } from './web-crypto.ts'

export type WebhookVerificationReason =
  | 'missing_signature'
  | 'malformed_signature'
  | 'stale'
  | 'wrong_signature'
  | 'malformed_body'

/** A delivery that failed verification and must not be processed. Respond with any status but 200. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError'
  readonly reason: WebhookVerificationReason

  constructor(reason: WebhookVerificationReason, message: string) {
    super(message)
    this.reason = reason
  }
}

export type WebhookHeaders = Headers | Record<string, string | string[] | undefined>

export interface VerifyWebhookOptions {
  /** Maximum difference between the delivery's timestamp and the current time. Defaults to 300. */
  toleranceSeconds?: number
  /** The current time in milliseconds; for tests. */
  now?: () => number
}

const HEADER = 'Tributary-Signature'
const TOLERANCE_SECONDS = 300
const RAW_BODY = 'Pass the raw request body, not parsed or re-serialized JSON.'

/**
 * Verifies that a delivery is from Tributary, unaltered and recent, and returns its event. Throws a WebhookVerificationError
 * otherwise. Events are delivered at least once: deduplicate by the event's `id`.
 */
export async function verifyWebhook(
  rawBody: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string,
  { toleranceSeconds = TOLERANCE_SECONDS, now = Date.now }: VerifyWebhookOptions = {},
): Promise<Event> {
  const body = bytesOf(rawBody)
  const { time, signatures } = parseSignature(signatureHeader(headers))
  const awaySeconds = Math.abs(now() / 1000 - Number(time))
  // Negated, so that a tolerance of NaN refuses everything instead of nothing.
  if (!(awaySeconds <= toleranceSeconds))
    throw new WebhookVerificationError(
      'stale',
      `The delivery's timestamp is ${Math.round(awaySeconds)} s away from this machine's clock; at most ${toleranceSeconds} s are allowed. ` +
        'Check the clock, and verify deliveries on receipt, before queueing them.',
    )
  await assertSigned(concat(new TextEncoder().encode(`${time}.`), body), signatures, secret)
  return parseEvent(body)
}

/** Uses `ArrayBuffer.isView`: in a test runner's sandbox, `instanceof Uint8Array` fails for Node's own buffers. */
function bytesOf(rawBody: string | Uint8Array): Uint8Array {
  if (typeof rawBody === 'string') return new TextEncoder().encode(rawBody)
  if (ArrayBuffer.isView(rawBody))
    return new Uint8Array(rawBody.buffer, rawBody.byteOffset, rawBody.byteLength)
  throw new WebhookVerificationError(
    'malformed_body',
    `The body is neither a string nor a Uint8Array. ${RAW_BODY}`,
  )
}

function signatureHeader(headers: WebhookHeaders): string {
  const found =
    typeof headers.get === 'function'
      ? headers.get(HEADER)
      : Object.entries(headers)
          .filter(([name]) => name.toLowerCase() === HEADER.toLowerCase())
          .flatMap(([, value]) => value ?? [])
          .join(',')
  if (found) return found
  throw new WebhookVerificationError(
    'missing_signature',
    `The ${HEADER} header is missing. Pass the original request headers; if they lack it, a proxy removed it or the request is not from Tributary.`,
  )
}

/** Parses `t=…,v1=…`. Future schemes beside v1 are ignored. */
function parseSignature(header: string): { time: string; signatures: string[] } {
  const values = (name: string) =>
    header.split(',').flatMap(field => {
      const text = field.trim()
      return text.startsWith(`${name}=`) ? [text.slice(name.length + 1)] : []
    })
  const [time = '', ...moreTimes] = values('t')
  const signatures = values('v1')
  // Exactly one timestamp: with two, the signed one and the one checked for its age could differ.
  const isWellFormed =
    /^\d{1,12}$/.test(time) &&
    moreTimes.length === 0 &&
    signatures.length > 0 &&
    signatures.every(signature => /^[0-9a-f]{64}$/.test(signature))
  if (isWellFormed) return { time, signatures }
  throw new WebhookVerificationError(
    'malformed_signature',
    `${HEADER} is not t=<unix seconds>,v1=<64 hex digits>. Pass its original value.`,
  )
}

async function assertSigned(signed: Uint8Array, signatures: string[], secret: string): Promise<void> {
  // Anyone can sign with an empty key, so a missing secret must not verify anything.
  if (typeof secret !== 'string' || secret === '')
    throw new WebhookVerificationError(
      'wrong_signature',
      'The secret is empty. Pass the secret shown when the endpoint was created; it starts with whsec_.',
    )
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const { subtle } = await webCrypto()
  const key = await subtle.importKey('raw', new TextEncoder().encode(secret), algorithm, false, ['verify'])
  // `verify` compares in constant time.
  for (const signature of signatures) if (await subtle.verify('HMAC', key, fromHex(signature), signed)) return
  throw new WebhookVerificationError(
    'wrong_signature',
    `The signature does not match. ${RAW_BODY} Then check that the secret belongs to this endpoint and is complete, including whsec_.`,
  )
}

/** Parses the verified bytes, so the returned event is exactly what was signed. */
function parseEvent(body: Uint8Array): Event {
  let event: unknown
  try {
    event = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body))
  } catch {
    throw new WebhookVerificationError(
      'malformed_body',
      'The signature is valid, but the body is not JSON. Check that the secret is used by Tributary only.',
    )
  }
  if (event !== null && typeof event === 'object' && 'type' in event && 'data' in event) return event as Event
  throw new WebhookVerificationError(
    'malformed_body',
    'The signature is valid, but the body is not an event. Check that the secret is used by Tributary only.',
  )
}

const fromHex = (hex: string) => Uint8Array.from(hex.match(/../g) ?? [], pair => Number.parseInt(pair, 16))

function concat(head: Uint8Array, tail: Uint8Array): Uint8Array {
  const whole = new Uint8Array(head.length + tail.length)
  whole.set(head)
  whole.set(tail, head.length)
  return whole
}
