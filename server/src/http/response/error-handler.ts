import type { ErrorCode } from '@tributary/contract'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { isUnavailable } from '../../db/failures.ts'
import { DomainError } from '../../kit/domain-error.ts'
import { leavesMuchUnread } from '../request/read-body.ts'
import { routeOf } from '../request-meter.ts'
import { errorBody, statusOf } from './error-body.ts'
import { errorText, sendPlainPage } from './plain-page.ts'
import { DEFAULT_HEADERS } from './response-headers.ts'
import { wantsPage } from './wants-page.ts'

const RETRY_AFTER_SECONDS = 1

/** Errors raised by Fastify itself, mapped to the error codes of the API. */
const frameworkErrors: Record<string, [ErrorCode, string]> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['payload_too_large', 'The body is too large.'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['unsupported_media_type', 'The body must be application/json.'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['bad_request', 'The body does not match Content-Length.'],
  FST_ERR_BAD_URL: ['not_found', 'Unknown path.'],
}

/** The code and message of an error. Internal details are only logged. */
function describeError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): [ErrorCode | 'forbidden', string] {
  if (error instanceof DomainError) {
    if (error.retryAfterSeconds !== undefined) reply.header('Retry-After', error.retryAfterSeconds)
    return [error.code, error.message]
  }
  const { code, statusCode = 500 } = error as Partial<FastifyError>
  const refused = frameworkErrors[code ?? '']
  if (refused) return refused
  if (statusCode < 500) return ['bad_request', 'The request is invalid.']
  const { log, method, accountId: account_id } = request
  const context = { err: error, method, route: routeOf(request), account_id }
  if (isUnavailable(error)) {
    log.warn(context, 'database unavailable')
    reply.header('Retry-After', RETRY_AFTER_SECONDS)
    return ['unavailable', 'The database is temporarily unavailable. Try again shortly.']
  }
  log.error(context, 'request failed')
  return [
    'internal_error',
    'Something went wrong on our side. Use the Request-Id of this response to find the error in the log.',
  ]
}

/** Renders every error as the error object of the API, or as a page for a browser. */
export function handleError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const [code, message] = describeError(error, request, reply)
  // The intended response may be cacheable; an error is not.
  reply.headers(DEFAULT_HEADERS)
  if (leavesMuchUnread(request)) reply.header('Connection', 'close')
  reply.code(statusOf(code))
  if (wantsPage(request)) sendPlainPage(reply, errorText(code, message, request.id))
  else reply.type('application/json; charset=utf-8').send(errorBody(code, message))
}
