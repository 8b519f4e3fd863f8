import {
  type CreateAffiliate,
  type CreateConversion,
  type CreateSale,
  ErrorBody,
  type Operation,
  type OperationId,
  operations,
  takesIdempotencyKey,
} from '@tributary/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Call, Handler } from '../api/call.ts'
import type { Database, Db, TransactionOptions } from '../db/database.ts'
import type { Services } from '../db/services.ts'
import { groupOf } from '../earning/referrals/referral.store.ts'
import { DomainError } from '../kit/domain-error.ts'
import { enrolmentGroup } from '../programme/affiliates/enrol-affiliate.ts'
import { auditedEdit } from './audited-state.ts'
import type { ApiCaller } from './authenticate/api-key.ts'
import { idempotencyKey, once, type PlainResponse, requestHash } from './idempotency.ts'
import { acceptJsonOnly } from './request/body.ts'
import { type Authenticate, route } from './route.ts'
import { routes } from './routes.ts'

type AnyHandler = (call: Call<OperationId>) => Promise<PlainResponse>
type PublicServices = Services & { db: Database }

/**
 * Operations recorded in the audit log, with the action. Ingest is not audited: each report is an immutable row, with the entries it
 * created.
 */
const auditedActions: Partial<Record<OperationId, string>> = {
  createAffiliate: 'affiliate.create',
  updateAffiliate: 'affiliate.update',
  createMagicLink: 'affiliate.magic_link',
  updateCommission: 'commission.review',
  createWebhookEndpoint: 'webhook_endpoint.create',
  deleteWebhookEndpoint: 'webhook_endpoint.delete',
}

/** What may share a commit with others of its kind. */
const groups: Partial<Record<OperationId, (accountId: number, body: never) => TransactionOptions>> = {
  createAffiliate: (accountId, { email }: CreateAffiliate) => enrolmentGroup(accountId, email),
  createConversion: (accountId, { customer_ref }: CreateConversion) => groupOf(accountId, customer_ref),
  createSale: (accountId, { customer_ref }: CreateSale) => groupOf(accountId, customer_ref),
}

/** The two prefixes of the public API. They share keys and rate limits. */
export const PREFIXES = ['/api/v1', '/ingest/v1'] as const

/** Registers the operations of the contract under a prefix. */
export function publicApi(prefix: string, services: PublicServices, authenticate: Authenticate<ApiCaller>) {
  return async function register(api: FastifyInstance): Promise<void> {
    acceptJsonOnly(api)
    api.addHook('onRequest', async (request, reply) => {
      if (!request.is404) return
      // A caller without a key must not learn which paths exist.
      await authenticate(request, reply)
      refuseUnknownPath(request, reply)
    })
    api.addHook('onRequest', ignoreTypeOfNothing)
    api.setNotFoundHandler(() => {
      throw new Error('A request to an unknown path was not rejected.')
    })
    for (const [id, operation] of Object.entries<Operation>(operations))
      if (operation.path.startsWith(`${prefix}/`))
        addOperation(api, prefix, services, authenticate, id as OperationId, operation)
  }
}

function addOperation(
  api: FastifyInstance,
  prefix: string,
  services: PublicServices,
  authenticate: Authenticate<ApiCaller>,
  operationId: OperationId,
  operation: Operation,
): void {
  const { method, path, query, body, success } = operation
  const handler = routes[operationId] as Handler<never> as AnyHandler
  const action = auditedActions[operationId]
  const changes = takesIdempotencyKey(operation)
  const groupFor = groups[operationId]
  // Reads here fetch one row or one page by index.
  const plainDb = method === 'GET' ? services.db.quick : services.db

  route(api, {
    method,
    url: path.slice(prefix.length),
    authenticate,
    query,
    body,
    response: responseSchemas(success),
    async handle({ who, id, query, body, request, reply }) {
      const { accountId, apiKeyId } = who
      const group = groupFor?.(accountId, body as never)
      const run = (db: Db) =>
        handler({ ...services, db, accountId, id, query, body } as unknown as Call<OperationId>)
      const actor = { kind: 'api_key', id: apiKeyId, address: request.ip } as const
      const changeOf = (result: PlainResponse) => ({
        action: `${action}`,
        subjectId: id ?? (result.body as { id?: number } | undefined)?.id ?? null,
        details: body,
      })
      const carryOut = (db: Db) =>
        action === undefined
          ? run(db)
          : auditedEdit(db, accountId, actor, { action, id }, run, changeOf, group)

      const key = changes ? idempotencyKey(request.headers['idempotency-key']) : undefined
      if (key === undefined) return send(reply, await carryOut(plainDb))
      const hash = requestHash(method, path.replace('{id}', String(id)), body)
      const response = await once(services, { ...who, key }, hash, carryOut, group)
      if (response.replayed) reply.header('Idempotent-Replayed', 'true')
      return send(reply, response)
    },
  })
}

const send = (reply: FastifyReply, { status, body }: PlainResponse) => reply.code(status).send(body)

/** Serializers are compiled from the closed schemas, so a field that is not in the contract cannot leak. */
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

/** Responds 404 or 405 before the body is read. */
function refuseUnknownPath(request: FastifyRequest, reply: FastifyReply): never {
  const path = request.url.split('?', 1)[0] as string
  const methods = pathPatterns.find(([pattern]) => pattern.test(path))?.[1]
  if (!methods) throw new DomainError('not_found', 'Unknown path.')
  reply.header('Allow', methods.join(', '))
  throw new DomainError(
    'method_not_allowed',
    `${request.method} is not allowed here; use ${methods.join(', ')}.`,
  )
}

/** An empty body has no type, whatever the header says. */
async function ignoreTypeOfNothing({ raw }: FastifyRequest): Promise<void> {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = raw.headers
  if (length === '0' && encoding === undefined) delete raw.headers['content-type']
}
