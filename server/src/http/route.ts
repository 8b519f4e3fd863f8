import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Static, type TSchema, Type } from 'typebox'
import { idFrom } from '../kit/path-id.ts'
import { objectBody } from './request/body.ts'
import { parseQuery } from './request/query-string.ts'
import { reader } from './request/validation.ts'
import { loadSchemaCompilers } from './schema-compilers.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who makes the request; known before the body is read. */
    visitor: unknown
  }
}

/** Finds out who makes a request, or refuses it. Nothing of the body has been read yet. */
export type Authenticate<Who> = (request: FastifyRequest, reply: FastifyReply) => Promise<Who>

/** A request that has been let in and read. */
export interface Visit<Who, Query = object, Body = object> {
  who: Who
  /** The identifier in the path, where the path has one. */
  id: number | undefined
  query: Query
  body: Body
  request: FastifyRequest
  reply: FastifyReply
}

export interface Route<Who, Q extends TSchema, B extends TSchema> {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** With `{id}` where an identifier stands. */
  url: string
  authenticate: Authenticate<Who>
  /** Refuses those who ask too often; asked once, after they are known. */
  limit?: (request: FastifyRequest) => Promise<void>
  query?: Q | undefined
  body?: B | undefined
  /** Whether a request may leave out the body, which then counts as `{}`. */
  isBodyOptional?: boolean
  bodyLimit?: number
  /** The closed schemas of its answers, by status. */
  response?: Record<string, unknown>
  handle(visit: Visit<Who, Static<Q> & object, Static<B> & object>): Promise<unknown>
}

const nothing = Type.Object({}, { additionalProperties: false })

/**
 * The one way that a call goes, on every surface: who makes it, whether they ask too often, what they ask, and the answer. What a
 * call does not declare is refused.
 */
export function route<Who, Q extends TSchema, B extends TSchema>(
  api: FastifyInstance,
  declared: Route<Who, Q, B>,
): void {
  const { method, url, authenticate, limit, query = nothing, body = nothing, bodyLimit, response } = declared
  const isBodyOptional = declared.isBodyOptional ?? declared.body === undefined
  const readQuery = reader(query)
  const readBody = reader(body)
  const admit = async (request: FastifyRequest, reply: FastifyReply) => {
    request.visitor = await authenticate(request, reply)
  }

  api.route({
    method,
    url: url.replace('{id}', ':id'),
    ...(bodyLimit !== undefined && { bodyLimit }),
    ...(response && { schema: { response } }),
    async onRequest(request, reply) {
      await admit(request, reply)
      await limit?.(request)
    },
    async handler(request, reply) {
      await loadSchemaCompilers()
      // Who was let in may have lost access while the body was on its way.
      if (request.hasSlowBody) await admit(request, reply)
      const { id } = request.params as { id?: string }
      const asked = {
        id: id === undefined ? undefined : idFrom(id),
        query: parseQuery(request.query as string, query),
        body: method === 'GET' ? {} : objectBody(request.body, !isBodyOptional),
      }
      return declared.handle({
        who: request.visitor as Who,
        id: asked.id,
        query: readQuery(asked.query) as Static<Q> & object,
        body: readBody(asked.body) as Static<B> & object,
        request,
        reply,
      })
    },
  })
}
