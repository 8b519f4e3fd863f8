import type { ErrorCode } from '@tributary/contract'

/** The API's error codes, and three of the client. */
export type TributaryErrorCode = ErrorCode | 'connection_failed' | 'timed_out' | 'unexpected_response'

export interface TributaryErrorDetails {
  status?: number | undefined
  requestId?: string | undefined
  retryAfterSeconds?: number | undefined
  idempotencyKey?: string | undefined
  cause?: unknown
}

/** A call failed, after all its retries. `code` says why. */
export class TributaryError extends Error {
  override readonly name: string = 'TributaryError'
  readonly code: TributaryErrorCode
  /** The HTTP status; undefined if there was no response. */
  readonly status: number | undefined
  /** Identifies the request in the service's log. */
  readonly requestId: string | undefined
  /** How long to wait before the next attempt, as requested by the service. */
  readonly retryAfterSeconds: number | undefined
  /** The key of a write. If it is unknown whether the write happened, repeat the call with this key: it takes effect once. */
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

/** There was no complete response: the request may or may not have taken effect. */
export class TributaryConnectionError extends TributaryError {
  override readonly name: string = 'TributaryConnectionError'
}

/** There was no complete response within `timeoutMs`. */
export class TributaryTimeoutError extends TributaryConnectionError {
  override readonly name: string = 'TributaryTimeoutError'
}
