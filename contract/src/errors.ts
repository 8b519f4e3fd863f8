import { type Static, Type } from 'typebox'
import { closed, oneOf } from './fields.ts'

/** Every error code of the interface with the HTTP status it travels on. */
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
export const ErrorCode = oneOf(Object.keys(errorStatuses) as [ErrorCode, ...ErrorCode[]], 'For programs')

export const errorMeanings: Record<ErrorCode, string> = {
  bad_request: 'The body is not JSON, or not an object.',
  unauthorized:
    'No credentials, or a key that is malformed, unknown or revoked; the answer never says which.',
  not_found: 'Unknown path, or an id that does not exist in this account.',
  method_not_allowed: 'The path is known, the method is not; `Allow` lists those that are.',
  invalid_state: 'The state change is not allowed from the present state.',
  conflict:
    'A value that must be unique is taken; the account has as many as it may have; or the idempotency key belongs to another request, or to this one while it is still under way.',
  payload_too_large: 'The body is larger than 256 KiB.',
  unsupported_media_type: 'The body is not `application/json`.',
  validation_failed: 'A field or query parameter is missing, unknown or invalid; the message names it.',
  rate_limited: 'Over the rate limit; `Retry-After` says how many seconds to wait.',
  internal_error: 'A fault of the service; the `Request-Id` finds it in its log.',
  unavailable: 'The database cannot be reached at the moment; `Retry-After` says when to try again.',
}

export const ErrorBody = closed({
  error: closed({
    code: ErrorCode,
    message: Type.String({ description: 'For people: what was wrong, and with which field' }),
  }),
})
export type ErrorBody = Static<typeof ErrorBody>
