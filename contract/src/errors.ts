import { type Static, Type } from 'typebox'
import { closed, oneOf } from './fields.ts'

/** Every error code of the API and its HTTP status. */
export const errorStatuses = {
  bad_request: 400,
  unauthorized: 401,
  not_found: 404,
  method_not_allowed: 405,
  invalid_state: 409,
  conflict: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  validation_failed: 422,
  rate_limited: 429,
  internal_error: 500,
  unavailable: 503,
} as const

export type ErrorCode = keyof typeof errorStatuses
export const ErrorCode = oneOf(
  Object.keys(errorStatuses) as [ErrorCode, ...ErrorCode[]],
  'Machine-readable error code',
)

export const errorMeanings: Record<ErrorCode, string> = {
  bad_request: 'The body is not a JSON object.',
  unauthorized:
    'The API key is missing, malformed, unknown or revoked. The response does not disclose which.',
  not_found: 'Unknown path, or an ID that does not exist in this account.',
  method_not_allowed: 'The path does not support this method; `Allow` lists the methods it supports.',
  invalid_state: 'The current status does not allow this change.',
  conflict:
    'A unique value is taken, a limit of the account is reached, or the idempotency key was used for a different request or for one that is still in progress.',
  payload_too_large: 'The body is larger than 256 KiB.',
  unsupported_media_type: 'The body is not `application/json`.',
  validation_failed: 'A field or query parameter is missing, unknown or invalid; the message names it.',
  rate_limited: 'Rate limit exceeded. Retry after the number of seconds in `Retry-After`.',
  internal_error: 'An error in the service. Its log has the details under the `Request-Id`.',
  unavailable: 'The database is unavailable. Retry after the number of seconds in `Retry-After`.',
}

export const ErrorBody = closed({
  error: closed({
    code: ErrorCode,
    message: Type.String({
      description: 'Human-readable message that says what is wrong, and with which field',
    }),
  }),
})
export type ErrorBody = Static<typeof ErrorBody>
