import type { Event } from '@tributary/contract'
import { webCrypto } from './web-crypto.ts'

export type WebhookVerificationReason =
  | 'missing_signature'
  | 'malformed_signature'
  | 'stale'
  | 'wrong_signature'
  | 'malformed_body'

/** A delivery that must not be acted upon. Answer it with anything but 200. */
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
  /** How far the delivery's time may be from ours, either way. 300 where it is not given. */
  toleranceSeconds?: number
  /** The present time in milliseconds; for tests. */
  now?: () => number
}

const HEADER = 'Tributary-Signature'
const TOLERANCE_SECONDS = 300
const RAW_BODY = 'Pass the raw bytes of the request, not parsed JSON and not JSON written anew.'

/**
 * Checks that a delivery comes from Tributary, is unaltered and recent, and returns its event. Throws a
 * WebhookVerificationError otherwise. Deliveries come at least once: deduplicate by the `id` of the event.
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
  // Asked this way round, a tolerance that is not a number refuses everything instead of nothing.
  if (!(awaySeconds <= toleranceSeconds))
    throw new WebhookVerificationError(
      'stale',
      `The delivery was signed ${Math.round(awaySeconds)} s away from the clock of this machine; ${toleranceSeconds} s are allowed. ` +
        'Check that the clock is right, and verify a delivery when it arrives, not after it has waited in a queue.',
    )
  await assertSigned(concat(new TextEncoder().encode(`${time}.`), body), signatures, secret)
  return parseEvent(body)
}

/** Views are told by their shape: in a test runner's sandbox, `instanceof Uint8Array` fails for Node's own buffers. */
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
    `There is no ${HEADER} header. Pass the headers of the request as they came; if they lack it, a proxy removed it or the request is not from Tributary.`,
  )
}

/** Reads `t=…,v1=…`. Other schemes may stand beside v1 one day, and are passed over. */
function parseSignature(header: string): { time: string; signatures: string[] } {
  const values = (name: string) =>
    header.split(',').flatMap(field => {
      const text = field.trim()
      return text.startsWith(`${name}=`) ? [text.slice(name.length + 1)] : []
    })
  const [time = '', ...moreTimes] = values('t')
  const signatures = values('v1')
  // One time only: with two, what was signed and what is checked for its age could differ.
  const isWellFormed =
    /^\d{1,12}$/.test(time) &&
    moreTimes.length === 0 &&
    signatures.length > 0 &&
    signatures.every(signature => /^[0-9a-f]{64}$/.test(signature))
  if (isWellFormed) return { time, signatures }
  throw new WebhookVerificationError(
    'malformed_signature',
    `${HEADER} is not t=<unix seconds>,v1=<64 hex digits>. Pass its value as it came.`,
  )
}

async function assertSigned(signed: Uint8Array, signatures: string[], secret: string): Promise<void> {
  // Anybody can sign with an empty key, so a secret that was never configured must not verify anything.
  if (typeof secret !== 'string' || secret === '')
    throw new WebhookVerificationError(
      'wrong_signature',
      'The secret is empty. Pass the secret that was shown when the endpoint was created; it begins with whsec_.',
    )
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const { subtle } = await webCrypto()
  const key = await subtle.importKey('raw', new TextEncoder().encode(secret), algorithm, false, ['verify'])
  // The comparison inside takes the same time wherever the two differ.
  for (const signature of signatures) if (await subtle.verify('HMAC', key, fromHex(signature), signed)) return
  throw new WebhookVerificationError(
    'wrong_signature',
    `The signature does not match. ${RAW_BODY} Then check that the secret is this endpoint's, whole, with whsec_ at its beginning.`,
  )
}

/** Parsed from the bytes that were verified, so what is returned is what was signed. */
function parseEvent(body: Uint8Array): Event {
  let event: unknown
  try {
    event = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body))
  } catch {
    throw new WebhookVerificationError(
      'malformed_body',
      'The signature is right, but the body is not JSON. Check that the secret is used for Tributary alone.',
    )
  }
  if (event !== null && typeof event === 'object' && 'type' in event && 'data' in event) return event as Event
  throw new WebhookVerificationError(
    'malformed_body',
    'The signature is right, but the body is not an event. Check that the secret is used for Tributary alone.',
  )
}

const fromHex = (hex: string) => Uint8Array.from(hex.match(/../g) ?? [], pair => Number.parseInt(pair, 16))

function concat(head: Uint8Array, tail: Uint8Array): Uint8Array {
  const whole = new Uint8Array(head.length + tail.length)
  whole.set(head)
  whole.set(tail, head.length)
  return whole
}
