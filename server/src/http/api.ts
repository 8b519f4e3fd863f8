import {
  ErrorBody,
  type Operation,
  type OperationId,
  operations,
  takesIdempotencyKey,
} from '@tributary/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Call, Handler } from '../api/call.ts'
import type { Database, Db } from '../db/database.ts'
import type { Services } from '../db/services.ts'
import { DomainError } from '../kit/domain-error.ts'
import { audited } from '../programme/audit/record-change.ts'
import { acceptJsonOnly, objectBody } from './body.ts'
import { idempotencyKey, once, type PlainAnswer, requestHash } from './idempotency.ts'
import { idFrom } from './path-id.ts'
import { parseQuery } from './query-string.ts'
import { routes } from './routes.ts'
import { compile, explain, refuseUnstorable } from './validation.ts'

type AnyHandler = (call: Call<OperationId>) => Promise<PlainAnswer>
type PublicServices = Services & { db: Database }
type Authenticate = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

/**
 * What a key changes in the programme, by its name in the audit log. What merchants report is not among it: each report is a row
 * of its own that never changes, with the money it moved beside it.
 */
const auditedActions: Partial<Record<OperationId, string>> = {
  createAffiliate: 'affiliate.create',
  updateAffiliate: 'affiliate.update',
  createMagicLink: 'affiliate.magic_link',
  updateCommission: 'commission.review',
  createWebhookEndpoint: 'webhook_endpoint.create',
  deleteWebhookEndpoint: 'webhook_endpoint.delete',
}

/** Where operations live: the interface itself, and what merchants report to. Both take the same keys and count together. */
export const PREFIXES = ['/api/v1', '/ingest/v1'] as const

/** The operations of the contract below a prefix, each behind the same steps, in the same order. */
export function publicApi(prefix: string, services: PublicServices, authenticate: Authenticate) {
  return async function register(api: FastifyInstance): Promise<void> {
    acceptJsonOnly(api)
    api.decorateRequest('caller', null as never)
    api.addHook('onRequest', authenticate)
    api.addHook('onRequest', refuseUnknownPaths)
    api.addHook('onRequest', ignoreTypeOfNothing)
    api.setNotFoundHandler(() => {
      throw new Error('A request to an unknown path was let through.')
    })
    for (const [id, operation] of Object.entries<Operation>(operations))
      if (operation.path.startsWith(`${prefix}/`))
        addRoute(
          api,
          operation.path.slice(prefix.length),
          services,
          operation,
          routes[id as OperationId] as Handler<never> as AnyHandler,
          authenticate,
          auditedActions[id as OperationId],
        )
  }
}

function addRoute(
  api: FastifyInstance,
  url: string,
  services: PublicServices,
  operation: Operation,
  handler: AnyHandler,
  authenticate: Authenticate,
  action: string | undefined,
): void {
  const { method, path, query, body, success } = operation
  const validateBody = compile(body ?? ({ type: 'object', additionalProperties: false } as never))
  const validateQuery = compile(query)
  const validate = (check: ReturnType<typeof compile>, value: unknown) => {
    if (!check(value)) throw explain(check.errors?.[0] as never)
    refuseUnstorable(value)
  }
  const changes = takesIdempotencyKey(operation)
  // What is read here is a row or a page that an index leads to.
  const db = method === 'GET' ? services.db.quick : services.db

  api.route({
    method,
    url: url.replace('{id}', ':id'),
    schema: { response: responseSchemas(success) },
    async handler(request, reply) {
      if (request.hasSlowBody) await authenticate(request, reply)
      const call = {
        ...services,
        accountId: request.caller.accountId,
        id: idFrom((request.params as { id?: string }).id),
        query: parseQuery(request.query as string, query),
        body: method === 'GET' ? {} : objectBody(request.body, body !== undefined),
      }
      validate(validateQuery, call.query)
      validate(validateBody, call.body)
      const handle = (db: Db) => handler({ ...call, db } as unknown as Call<OperationId>)
      const { accountId, apiKeyId } = request.caller
      const actor = { kind: 'api_key', id: apiKeyId, address: request.ip } as const
      const carryOut = (db: Db) =>
        action === undefined
          ? handle(db)
          : audited(db, accountId, actor, handle, ({ body }) => ({
              action,
              subjectId: call.id || ((body as { id?: number } | undefined)?.id ?? null),
              details: call.body,
            }))

      const key = changes ? idempotencyKey(request.headers['idempotency-key']) : undefined
      if (key === undefined) return send(reply, await carryOut(db))
      const scope = { ...request.caller, key }
      const hash = requestHash(method, path.replace('{id}', String(call.id)), call.body)
      const answer = await once(services, scope, hash, carryOut)
      if (answer.replayed) reply.header('Idempotent-Replayed', 'true')
      return send(reply, answer)
    },
  })
}

const send = (reply: FastifyReply, { status, body }: PlainAnswer) => reply.code(status).send(body)

/** The serializers are compiled from the closed schemas, so a field that the contract does not list cannot get out. */
function responseSchemas(success: Operation['success']) {
  const schemas: Record<string, unknown> = { '4xx': ErrorBody, '5xx': ErrorBody }
  for (const [status, { schema }] of Object.entries(success)) schemas[status] = schema ?? { type: 'null' }
  return schemas
}

const knownPaths = new Map<string, string[]>()
for (const { path, method } of Object.values<Operation>(operations))
  knownPaths.set(path, [...(knownPaths.get(path) ?? []), method, ...(method === 'GET' ? ['HEAD'] : [])])
const pathPatterns = [...knownPaths].map(
  ([path, methods]) => [new RegExp(`^${path.replace('{id}', '[^/]+')}/?$`), methods] as const,
)

/** Answers 404 or 405 before any body is read: what is in it does not matter. */
async function refuseUnknownPaths(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (!request.is404) return
  const path = request.url.split('?', 1)[0] as string
  const methods = pathPatterns.find(([pattern]) => pattern.test(path))?.[1]
  if (!methods) throw new DomainError('not_found', 'There is no such path.')
  reply.header('Allow', methods.join(', '))
  throw new DomainError(
    'method_not_allowed',
    `${request.method} is not allowed here, only ${methods.join(', ')}.`,
  )
}

/** An empty body has no type, whatever the header says. */
async function ignoreTypeOfNothing({ raw }: FastifyRequest): Promise<void> {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = raw.headers
  if (length === '0' && encoding === undefined) delete raw.headers['content-type']
}
