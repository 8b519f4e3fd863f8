import type { FastifyInstance, FastifyRequest } from 'fastify'
import { DomainError } from '../../kit/domain-error.ts'
import { assertPlainShape } from '../../kit/json-shape.ts'
import { integersOnly } from './integers-only.ts'
import { withBody } from './read-body.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Parses JSON, on every surface: the shape is checked before parsing. */
export function parseJson(bytes: Buffer): unknown {
  assertPlainShape(bytes)
  try {
    return JSON.parse(integersOnly(utf8.decode(bytes)))
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError)
      throw new DomainError('bad_request', 'The body is not valid JSON.', { cause: error })
    throw error
  }
}

/** Accepts JSON bodies only; an empty body counts as none, whatever its content type. */
export function acceptJsonOnly(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', (request: FastifyRequest) =>
    withBody(request, bytes => (bytes.length === 0 ? undefined : parseJson(bytes))),
  )
  app.addContentTypeParser('*', (request: FastifyRequest) =>
    withBody(request, bytes => {
      if (bytes.length > 0)
        throw new DomainError('unsupported_media_type', 'The body must be application/json.')
      return undefined
    }),
  )
}

/** For routes without a body: it is never read. */
export function ignoreBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', async () => undefined)
}

/** Guarantees handlers an object: the body, or `{}` if it is optional and missing. */
export function objectBody(body: unknown, required: boolean): object {
  if (body === undefined) {
    if (required) throw new DomainError('bad_request', 'The body must be a JSON object, but it is empty.')
    return {}
  }
  if (body === null || typeof body !== 'object' || Array.isArray(body))
    throw new DomainError('bad_request', 'The body must be a JSON object.')
  return body
}
