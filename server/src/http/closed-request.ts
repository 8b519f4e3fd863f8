import type { FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import { objectBody } from './body.ts'
import { parseQuery } from './query-string.ts'
import { compile, explain, refuseUnstorable } from './validation.ts'

function assertValid(check: ReturnType<typeof compile>, value: unknown): void {
  if (!check(value)) throw explain(check.errors?.[0] as never)
  refuseUnstorable(value)
}

/** Reads a page's call by its schemas: what they do not name is refused. */
export function closedRequest(querySchema: TSchema, bodySchema: TSchema | undefined) {
  const isQuery = compile(querySchema)
  const isBody = compile(bodySchema ?? ({ type: 'object', additionalProperties: false } as never))
  return (request: FastifyRequest): { query: object; body: object } => {
    const query = parseQuery(request.query as string, querySchema)
    const body = request.method === 'GET' ? {} : objectBody(request.body, false)
    assertValid(isQuery, query)
    assertValid(isBody, body)
    return { query, body }
  }
}
