import type { ErrorCode } from '@tributary/contract'

/** The codes of the API, and three for what the API did not say. */
export type TributaryErrorCode = ErrorCode | 'connection_failed' | 'timed_out' | 'unexpected_response'

export interface TributaryErrorDetails {
  status?: number | undefined
  requestId?: string | undefined
  retryAfterSeconds?: number | undefined
  idempotencyKey?: string | undefined
  cause?: unknown
}

/** A call that did not succeed, after all its retries. `code` tells why. */
export class TributaryError extends Error {
  override readonly name: string = 'TributaryError'
  readonly code: TributaryErrorCode
  /** The HTTP status; undefined where no answer came. */
  readonly status: number | undefined
  /** Finds the request in the log of the service. */
  readonly requestId: string | undefined
  /** How long the service asked to wait before the next try. */
  readonly retryAfterSeconds: number | undefined
  /**
   * The key that a write was sent with. Where it is not known whether the write happened, the same call with this key
   * finds out, and makes it happen once.
   */
  readonly idempotencyKey: string | undefined

  constructor(code: TributaryErrorCode, message: string, details: TributaryErrorDetails = {}) {
    super(message, 'cause' in details ? { cause: details.cause } : undefined)
    this.code = code
    this.status = details.status
    this.requestId = details.requestId
    this.retryAfterSeconds = details.retryAfterSeconds
    this.idempotencyKey = details.idempotencyKey
  }
}

/** No answer, or only a part of one: the service may or may not have done what it was asked. */
export class TributaryConnectionError extends TributaryError {
  override readonly name: string = 'TributaryConnectionError'
}

/** No answer within `timeoutMs`. */
export class TributaryTimeoutError extends TributaryConnectionError {
  override readonly name: string = 'TributaryTimeoutError'
}
