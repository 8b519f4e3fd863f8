import Stripe from 'stripe'
import { DomainError, invalidState } from '../../kit/domain-error.ts'
import type { ProviderApi } from '../provider.ts'

const TIMEOUT_MS = 30_000
/** The version that the package's types describe; the compiler rejects another one. docs/billing.md names it. */
const API_VERSION = '2026-10-28.endive'

export function clientOf({ key, url }: ProviderApi): Stripe {
  const at = url === null ? undefined : new URL(url)
  return new Stripe(key, {
    apiVersion: API_VERSION,
    timeout: TIMEOUT_MS,
    maxNetworkRetries: 2,
    telemetry: false,
    ...(at && {
      host: at.hostname,
      protocol: at.protocol === 'http:' ? ('http' as const) : ('https' as const),
      port: at.port || (at.protocol === 'http:' ? 80 : 443),
    }),
  })
}

/** Stripe said no: the call changed nothing, and the same one would be rejected again. */
export const isRejected = (error: unknown) =>
  error instanceof Stripe.errors.StripeInvalidRequestError ||
  error instanceof Stripe.errors.StripeAuthenticationError ||
  error instanceof Stripe.errors.StripePermissionError

/** An error of Stripe as one of ours: `invalid_state` if Stripe rejected the call, `unavailable` if the outcome is unknown. */
export function asDomainError(error: unknown): unknown {
  if (!(error instanceof Stripe.errors.StripeError)) return error
  const message = `Stripe's API: ${error.message}`
  return isRejected(error) ? invalidState(message) : new DomainError('unavailable', message, { cause: error })
}

export async function calling<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    throw asDomainError(error)
  }
}
