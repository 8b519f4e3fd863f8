import type { FastifyInstance, FastifyRequest } from 'fastify'
import { DomainError } from '../../kit/domain-error.ts'
import { integersOnly } from './integers-only.ts'
import { assertPlainShape } from './json-shape.ts'
import { withBody } from './read-body.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** The one way from bytes to a value: on every surface its shape is checked before it is parsed. */
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

/** Bodies are JSON and nothing else; an empty one is no body, whatever its content type. */
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

/** For what takes no body: whatever is sent stays unread. */
export function ignoreBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', async () => undefined)
}

/** What a handler may rely on: an object where the operation takes one, and where it takes none, nothing or `{}`. */
export function objectBody(body: unknown, required: boolean): object {
  if (body === undefined) {
    if (required) throw new DomainError('bad_request', 'The body must be a JSON object, and is empty.')
    return {}
  }
  if (body === null || typeof body !== 'object' || Array.isArray(body))
    throw new DomainError('bad_request', 'The body must be a JSON object.')
  return body
}
