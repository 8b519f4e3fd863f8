import {
  type DashboardRoute,
  type DashboardRouteId,
  type DashboardSchema,
  dashboardRoutes,
  dashboardSchemas,
  may,
  type Role,
} from '@tributary/contract/dashboard'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { DashboardCall } from '../dashboard/call.ts'
import type { Db } from '../db/database.ts'
import type { Services } from '../db/services.ts'
import { DomainError, notFound } from '../kit/domain-error.ts'
import { type AuditedChange, audited, recordChange } from '../programme/audit/record-change.ts'
import { sendResult } from './answer.ts'
import { acceptJsonOnly } from './body.ts'
import { closedRequest } from './closed-request.ts'
import { personRoutes } from './dashboard-person.ts'
import { dashboardHandlers } from './dashboard-routes.ts'
import { type Downloads, isDownload } from './downloads.ts'
import type { CountGuesses } from './guess-limit.ts'
import { idFrom } from './path-id.ts'
import { LARGEST_BODY_BYTES, LARGEST_UPLOAD_BYTES } from './read-body.ts'
import { assertSameOrigin } from './same-origin.ts'
import { signedIn } from './signed-in.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who is calling in the dashboard, with a role that allows the call; known before the body is read. */
    member: Member
  }
}

/**
 * Whoever is asked outside may keep us waiting for as long as they like: no transaction is open meanwhile, and the line in the audit
 * log is written when they have answered.
 */
const asksOutside = (id: DashboardRouteId, body: object) => id === 'cancelPayout' && 'item_id' in body

/** What carries a file takes more than other calls. */
const uploadLimits: Partial<Record<DashboardRouteId, number>> = {
  importAffiliates: LARGEST_UPLOAD_BYTES,
  setLogo: 1024 * 1024,
}

type Member = Awaited<ReturnType<typeof signedIn>> & { role: Role }
type AnyHandler = (call: DashboardCall<DashboardRouteId>) => Promise<unknown>

/** The session API of the dashboard's pages: closed requests, a session, a role, and a line in the audit log for every change. */
export function dashboardApi(services: Services, countGuesses: CountGuesses, downloads: Downloads) {
  return async function register(api: FastifyInstance): Promise<void> {
    acceptJsonOnly(api)
    api.decorateRequest('member', null as never)
    api.addHook('onRequest', async request => {
      if (request.method !== 'GET' && request.method !== 'HEAD') assertSameOrigin(request, services.baseUrl)
    })
    personRoutes(api, services, countGuesses)
    for (const [id, route] of Object.entries<DashboardRoute>(dashboardRoutes))
      addRoute(api, services, downloads, id as DashboardRouteId, route)
    // Otherwise the page itself would be the answer to a call that does not exist.
    api.get('/*', async () => {
      throw new DomainError('not_found', 'There is no such path.')
    })
  }
}

function addRoute(
  api: FastifyInstance,
  services: Services,
  downloads: Downloads,
  id: DashboardRouteId,
  route: DashboardRoute,
): void {
  const [method, path, permission, action] = route
  const { query, body } = dashboardSchemas[id] as DashboardSchema
  const readRequest = closedRequest(query, body)
  const handler = dashboardHandlers[id] as unknown as AnyHandler
  const admit = async (request: FastifyRequest) => {
    request.member = await admitMember(request, services.db, permission)
  }

  api.route({
    method,
    url: `/accounts/:account/${path.replace('{id}', ':id')}`,
    bodyLimit: uploadLimits[id] ?? LARGEST_BODY_BYTES,
    onRequest: admit,
    async handler(request, reply) {
      if (request.hasSlowBody) await admit(request)
      const params = request.params as { account: string; id?: string }
      const accountId = idFrom(params.account)
      const person = request.member
      const read = readRequest(request)
      // Before anything is done: what is refused for now has changed nothing.
      const download = isDownload(path)
        ? await downloads.begin(reply, { accountId, kind: 'user', id: person.user_id })
        : undefined
      const call = {
        ...services,
        files: download?.files,
        accountId,
        userId: person.user_id,
        role: person.role,
        id: idFrom(params.id),
        ...read,
      }
      const noted = {}
      const note = (facts: object) => Object.assign(noted, facts)
      const carryOut = (db: Db) =>
        handler({ ...call, db, note } as unknown as DashboardCall<DashboardRouteId>)
      // A dry run takes back what it did, so there is nothing to write down.
      const isDryRun = 'dry_run' in call.body && call.body.dry_run === true
      if (action === undefined || isDryRun) return sendResult(reply, await carryOut(services.db), download)
      const actor = { kind: 'user', id: person.user_id, name: person.email, address: request.ip } as const
      const change = (result: unknown): AuditedChange => ({
        action,
        subjectId: call.id || ((result as { id?: number }).id ?? null),
        details: { ...call.body, ...noted },
      })
      if (asksOutside(id, call.body)) {
        const result = await carryOut(services.db)
        await recordChange(services.db, accountId, actor, change(result))
        return sendResult(reply, result)
      }
      const result = await audited(services.db, accountId, actor, carryOut, change)
      return sendResult(reply, result, download)
    },
  })
}

/** Lets a person in by session and role. Nothing of the body has been read yet: it is not worth reading from anybody else. */
async function admitMember(request: FastifyRequest, db: Db, permission: DashboardRoute[2]): Promise<Member> {
  const accountId = idFrom((request.params as { account: string }).account)
  const person = await signedIn(request, db, accountId)
  // A stranger to the account learns nothing of it, not even that it exists.
  if (person.role === null) throw notFound('account')
  request.accountId = accountId
  assertMay(person.role, permission)
  return { ...person, role: person.role }
}

function assertMay(role: Role, permission: DashboardRoute[2]): void {
  if (!may(role, permission))
    throw new DomainError(
      'forbidden',
      `Your role, ${role}, does not allow this. Ask an owner of the account.`,
    )
}
