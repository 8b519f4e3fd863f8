import { DomainError } from '../../kit/domain-error.ts'

/** Whole seconds, as `Retry-After` has them. */
export const secondsUntil = (ms: number) => Math.max(1, Math.ceil(ms / 1000))

export const rateLimited = (what: string, seconds: number) =>
  new DomainError('rate_limited', `${what}. Try again in ${seconds} s.`, { retryAfterSeconds: seconds })

export const tooManyAttempts = (freesInMs: number) =>
  rateLimited('Too many attempts', secondsUntil(freesInMs))
