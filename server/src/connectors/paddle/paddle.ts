import { textAt, timeFrom } from '../field-path.ts'
import type { BillingProvider } from '../provider.ts'
import { headerOf, isSignatureOf, parseObject } from '../signature.ts'
import { readPaddleEvent } from './read-event.ts'

/** Paddle signs each attempt anew; five minutes allow for clocks that differ. */
const TOLERANCE_SECONDS = 300

/** `ts=<unix seconds>;h1=<hex>`, over `<ts>:<body>`. While a secret is being replaced there are several `h1`: one match is enough. */
function partsOf(signature: string): { ts: string | undefined; hashes: string[] } {
  const parts = signature.split(';').map(part => part.trim())
  const valuesOf = (name: string) =>
    parts.filter(part => part.startsWith(`${name}=`)).map(part => part.slice(name.length + 1))
  return { ts: valuesOf('ts')[0], hashes: valuesOf('h1').slice(0, 10) }
}

/** Paddle Billing. */
export const paddleProvider: BillingProvider = {
  name: 'paddle',
  verify(headers, rawBody, secret, now) {
    const { ts, hashes } = partsOf(headerOf(headers, 'paddle-signature') ?? '')
    if (ts === undefined || !hashes.some(hash => isSignatureOf(hash, secret, [`${ts}:`, rawBody], 'hex')))
      return { refused: 'signature' }
    // Written so that a time that is no number is stale too.
    if (!(Math.abs(now / 1000 - Number(ts)) <= TOLERANCE_SECONDS)) return { refused: 'stale' }
    const body = parseObject(rawBody)
    // The ID of the event, not of the notification: a replay from Paddle's dashboard makes a new notification.
    const [id, type] = [textAt(body, 'event_id'), textAt(body, 'event_type')]
    const occurredAt = timeFrom(textAt(body, 'occurred_at'))
    if (id === undefined || type === undefined || occurredAt === undefined) return { refused: 'malformed' }
    return { event: { id, type, occurredAt, body } }
  },
  read: readPaddleEvent,
}
