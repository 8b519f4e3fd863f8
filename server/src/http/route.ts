import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Static, type TSchema, Type } from 'typebox'
import { idFrom } from '../kit/path-id.ts'
import { objectBody } from './request/body.ts'
import { parseQuery } from './request/query-string.ts'
import { reader } from './request/validation.ts'
import { loadSchemaCompilers } from './schema-compilers.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The authenticated caller; set before the body is read. */
    visitor: unknown
  }
}

/** Authenticates a request or rejects it, before the body is read. */
export type Authenticate<Who> = (request: FastifyRequest, reply: FastifyReply) => Promise<Who>

/** An authenticated and validated request. */
export interface Visit<Who, Query = object, Body = object> {
  who: Who
  /** The id in the path, if there is one. */
  id: number | undefined
  query: Query
  body: Body
  request: FastifyRequest
  reply: FastifyReply
}

export interface Route<Who, Q extends TSchema, B extends TSchema> {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** With `{id}` as the placeholder of the id. */
  url: string
  authenticate: Authenticate<Who>
  /** Rate limit; checked once, after authentication. */
  limit?: (request: FastifyRequest) => Promise<void>
  query?: Q | undefined
  body?: B | undefined
  /** Whether the body may be omitted; it then counts as `{}`. */
  isBodyOptional?: boolean
  bodyLimit?: number
  /** The closed schemas of its responses, by status. */
  response?: Record<string, unknown>
  handle(visit: Visit<Who, Static<Q> & object, Static<B> & object>): Promise<unknown>
}

const nothing = Type.Object({}, { additionalProperties: false })

/**
 * The pipeline of every call on every surface: authenticate, limit, validate, handle, respond. Fields that a call does not declare are
 * rejected.
 */
export function route<Who, Q extends TSchema, B extends TSchema>(
  api: FastifyInstance,
  declared: Route<Who, Q, B>,
): void {
  const { method, url, authenticate, limit, query = nothing, body = nothing, bodyLimit, response } = declared
  const isBodyOptional = declared.isBodyOptional ?? declared.body === undefined
  const readQuery = reader(query)
  const readBody = reader(body)
  const authenticateCaller = async (request: FastifyRequest, reply: FastifyReply) => {
    request.visitor = await authenticate(request, reply)
  }

  api.route({
    method,
    url: url.replace('{id}', ':id'),
    ...(bodyLimit !== undefined && { bodyLimit }),
    ...(response && { schema: { response } }),
    async onRequest(request, reply) {
      // First, because errors are serialized by a schema too.
      await loadSchemaCompilers()
      await authenticateCaller(request, reply)
      await limit?.(request)
    },
    async handler(request, reply) {
      // The caller may have lost access while the body arrived.
      if (request.hasSlowBody) await authenticateCaller(request, reply)
      const { id } = request.params as { id?: string }
      const input = {
        id: id === undefined ? undefined : idFrom(id),
        query: parseQuery(request.query as string, query),
        body: method === 'GET' ? {} : objectBody(request.body, !isBodyOptional),
      }
      return declared.handle({
        who: request.visitor as Who,
        id: input.id,
        query: readQuery(input.query) as Static<Q> & object,
        body: readBody(input.body) as Static<B> & object,
        request,
        reply,
      })
    },
  })
}
