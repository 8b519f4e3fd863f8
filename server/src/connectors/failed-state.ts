import { isTransient, isUnavailable } from '../db/failures.ts'
import { DomainError } from '../kit/domain-error.ts'
import type { EventState } from './connector-event.store.ts'

/** After this many attempts over about two days, an event is left for a person to replay. */
const MOST_ATTEMPTS = 20

export const backOff = (attempts: number) =>
  attempts + 1 >= MOST_ATTEMPTS ? null : Math.min(10 * 2 ** attempts, 4 * 3600)

export const nothing: EventState = {
  status: 'received',
  reason: null,
  dueInSeconds: null,
  waitsFor: null,
  referralId: null,
  saleExternalId: null,
  refundExternalId: null,
}

/** What only a bug or a fault can cause has no text for users. */
export const failureText = (error: unknown) =>
  error instanceof DomainError ? error.message : 'Internal error.'

export const failedState = (error: unknown, attempts: number): EventState => ({
  ...nothing,
  status: 'failed',
  reason: { code: 'error', params: { message: failureText(error) } },
  dueInSeconds: backOff(attempts),
})

/** The database is at fault, not the event: the whole transaction is retried. */
export const isOfDatabase = (error: unknown) => isUnavailable(error) || isTransient(error)
