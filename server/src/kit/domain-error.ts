import type { ErrorCode } from '@tributary/contract'

/** A refusal that the caller can act on. `http/` maps its code to a status; everything else is a fault of ours. */
export class DomainError extends Error {
  override readonly name = 'DomainError'
  /** `forbidden` exists for people with roles alone: a key may do everything in its account. */
  readonly code: ErrorCode | 'forbidden'
  /** Where the same request may well succeed a little later. */
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
