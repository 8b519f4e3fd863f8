import { EventName, NodeRuntime, WebhooksValidator } from '@paddle/paddle-node-sdk'
import { textAt, timeFrom } from '../field-path.ts'
import type { BillingProvider } from '../provider.ts'
import { headerOf, isSignatureOf, parseObject } from '../signature.ts'
import { readPaddleEvent } from './read-event.ts'

/** Paddle signs each attempt anew; five minutes allow for clocks that differ. */
const TOLERANCE_SECONDS = 300

interface Parts {
  ts: string | undefined
  hashes: string[]
}

/** `ts=<unix seconds>;h1=<hex>`, over `<ts>:<body>`. While a secret is being replaced there are several `h1`: one match is enough. */
function partsOf(signature: string): Parts {
  const parts = signature.split(';').map(part => part.trim())
  const valuesOf = (name: string) =>
    parts.filter(part => part.startsWith(`${name}=`)).map(part => part.slice(name.length + 1))
  const ts = valuesOf('ts').find(value => /^\d{1,12}$/.test(value))
  return { ts, hashes: valuesOf('h1').slice(0, 10) }
}

NodeRuntime.initialize()
// Paddle's package takes a signature for five seconds, so a clock that is six ahead would refuse every event. The time is checked below.
Object.assign(WebhooksValidator, { MAX_VALID_TIME_DIFFERENCE: Number.POSITIVE_INFINITY })
const official = new WebhooksValidator()

/**
 * Verified twice. By us first, because Paddle's package reads only the last `h1`, compares it in a time that depends on the content, and takes
 * any time in the future. Then by the package, which decides what Paddle's signature is.
 */
async function isSigned(rawBody: Buffer, secret: string, { ts, hashes }: Parts): Promise<boolean> {
  if (ts === undefined) return false
  const matching = hashes.find(hash => isSignatureOf(hash, secret, [`${ts}:`, rawBody], 'hex'))
  if (matching === undefined) return false
  return official.isValidSignature(rawBody.toString('utf8'), secret, `ts=${ts};h1=${matching.toLowerCase()}`)
}

const allTypes: ReadonlySet<string> = new Set(Object.values(EventName))

/** Paddle Billing, verified with its official package. */
export const paddleProvider: BillingProvider = {
  name: 'paddle',
  async verify(headers, rawBody, secret, now) {
    const parts = partsOf(headerOf(headers, 'paddle-signature') ?? '')
    if (!(await isSigned(rawBody, secret, parts))) return { refused: 'signature' }
    if (Math.abs(now / 1000 - Number(parts.ts)) > TOLERANCE_SECONDS) return { refused: 'stale' }
    const body = parseObject(rawBody)
    // The ID of the event, not of the notification: a replay from Paddle's dashboard makes a new notification.
    const [id, type] = [textAt(body, 'event_id'), textAt(body, 'event_type')]
    const occurredAt = timeFrom(textAt(body, 'occurred_at'))
    if (id === undefined || type === undefined || occurredAt === undefined) return { refused: 'malformed' }
    return { event: { id, type, occurredAt, body } }
  },
  hasType: type => allTypes.has(type),
  read: readPaddleEvent,
}
