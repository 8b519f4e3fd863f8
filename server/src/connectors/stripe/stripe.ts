import Stripe from 'stripe'
import type { BillingProvider, Verification } from '../provider.ts'
import { stripeCredits } from './customer-balance.ts'
import { allStripeTypes } from './event-types.ts'
import { listStripe, listStripeEvents, withPaymentTime } from './list-stripe.ts'
import { stripeCodes } from './promotion-codes.ts'
import { readStripeEvent } from './read-event.ts'

/** How old a signature may be: what Stripe's own libraries allow. */
const TOLERANCE_SECONDS = 300

/** When it was signed, in seconds. NaN unless exactly one time is given: of two, Stripe's package and we could read different ones. */
function signedAt(signature: string): number {
  const times = signature.split(',').filter(part => part.trim().startsWith('t='))
  return times.length === 1 ? Number(/^t=(\d+)$/.exec(times[0] as string)?.[1]) : Number.NaN
}

function verify(
  headers: Record<string, string | string[] | undefined>,
  rawBody: Buffer,
  secret: string,
  now: number,
): Verification {
  const signature = headers['stripe-signature']
  if (typeof signature !== 'string') return { refused: 'signature' }
  try {
    // Verified without a tolerance first, to distinguish a stale signature from a wrong one.
    const event = Stripe.webhooks.constructEvent(rawBody, signature, secret, Number.MAX_SAFE_INTEGER)
    // Also true for NaN.
    if (!(Math.abs(now / 1000 - signedAt(signature)) <= TOLERANCE_SECONDS)) return { refused: 'stale' }
    const { id, type, created } = event
    if (typeof id !== 'string' || typeof type !== 'string' || !Number.isSafeInteger(created))
      return { refused: 'malformed' }
    return { event: { id, type, occurredAt: new Date(created * 1000).toISOString(), body: event } }
  } catch (error) {
    return { refused: error instanceof SyntaxError ? 'malformed' : 'signature' }
  }
}

/** Stripe, by its official package. Older versions of events are read where they differ. */
export const stripeProvider: BillingProvider = {
  name: 'stripe',
  verify,
  hasType: type => allStripeTypes.has(type),
  listSince: listStripe,
  eventsSince: listStripeEvents,
  complete: withPaymentTime,
  codes: stripeCodes,
  credits: stripeCredits,
  read: (event, settings) => readStripeEvent(event.body as Stripe.Event, settings),
}
