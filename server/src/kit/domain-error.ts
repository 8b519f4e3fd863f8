import type { ErrorCode } from '@tributary/contract'

/** An error that the caller can act on. `http/` maps its code to a status; any other error is a bug. */
export class DomainError extends Error {
  override readonly name = 'DomainError'
  /** `forbidden` applies to users with roles only: an API key has full access to its account. */
  readonly code: ErrorCode | 'forbidden'
  /** Set if the same request may succeed later. */
  readonly retryAfterSeconds: number | undefined

  constructor(
    code: ErrorCode | 'forbidden',
    message: string,
    options: ErrorOptions & { retryAfterSeconds?: number } = {},
  ) {
    super(message, options)
    this.code = code
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}

export const notFound = (noun: string) => new DomainError('not_found', `There is no such ${noun}.`)
export const invalid = (field: string, problem: string) =>
  new DomainError('validation_failed', `${field} ${problem}.`)
export const conflict = (message: string) => new DomainError('conflict', message)
export const invalidState = (message: string) => new DomainError('invalid_state', message)
