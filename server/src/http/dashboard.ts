import {
  type DashboardRoute,
  type DashboardRouteId,
  type DashboardSchema,
  dashboardRoutes,
  dashboardSchemas,
} from '@tributary/contract/dashboard'
import type { FastifyInstance } from 'fastify'
import type { DashboardCall } from '../dashboard/call.ts'
import type { Db } from '../db/database.ts'
import type { Services } from '../db/services.ts'
import { type AuditedChange, recordChange } from '../programme/audit/record-change.ts'
import { auditedEdit } from './audited-state.ts'
import type { CountGuesses } from './authenticate/guess-limit.ts'
import { member } from './authenticate/person.ts'
import { personRoutes } from './dashboard-person.ts'
import { dashboardHandlers } from './dashboard-routes.ts'
import { acceptPages } from './page-api.ts'
import { LARGEST_BODY_BYTES, LARGEST_UPLOAD_BYTES } from './request/read-body.ts'
import type { ResponseWriter } from './response/closed-response.ts'
import { type Downloads, isDownload } from './response/downloads.ts'
import { sendResult } from './response/send-result.ts'
import { route } from './route.ts'

/**
 * Calls an external service, which may take any time to respond: no transaction is held open, and the audit entry is written after the
 * response.
 */
const callsOut = (id: DashboardRouteId, body: object) =>
  id === 'testMailServer' || (id === 'cancelPayout' && 'item_id' in body)

/** A dry run is rolled back, so there is nothing to audit. */
const isDryRun = (body: object) => 'dry_run' in body && body.dry_run === true

/** Body limits of calls that upload a file. */
const uploadLimits: Partial<Record<DashboardRouteId, number>> = {
  importAffiliates: LARGEST_UPLOAD_BYTES,
  setLogo: 1024 * 1024,
  createCreative: LARGEST_UPLOAD_BYTES,
}

type AnyHandler = (call: DashboardCall<DashboardRouteId>) => Promise<unknown>

/** The session API of the dashboard. Every change is recorded in the audit log. */
export function dashboardApi(
  services: Services,
  countGuesses: CountGuesses,
  downloads: Downloads,
  writer: ResponseWriter,
) {
  return async function register(api: FastifyInstance): Promise<void> {
    await acceptPages(api, services.baseUrl)
    personRoutes(api, services, countGuesses, writer)
    for (const [id, declared] of Object.entries<DashboardRoute>(dashboardRoutes))
      addCall(api, services, downloads, writer, id as DashboardRouteId, declared)
  }
}

function addCall(
  api: FastifyInstance,
  services: Services,
  downloads: Downloads,
  writer: ResponseWriter,
  callId: DashboardRouteId,
  [method, path, permission, action]: DashboardRoute,
): void {
  const { query, body, result } = dashboardSchemas[callId] as DashboardSchema
  const write = writer(result)
  const handler = dashboardHandlers[callId] as unknown as AnyHandler

  route(api, {
    method,
    url: `/accounts/:account/${path}`,
    authenticate: member(services.db, permission),
    query,
    body,
    isBodyOptional: true,
    bodyLimit: uploadLimits[callId] ?? LARGEST_BODY_BYTES,
    async handle({ who, id, query, body, request, reply }) {
      const { accountId, user_id: userId, role } = who
      // First, so that a call rejected by the limit has changed nothing.
      const download = isDownload(path)
        ? await downloads.begin(reply, { accountId, kind: 'user', id: userId })
        : undefined
      const noted = {}
      const note = (facts: object) => Object.assign(noted, facts)
      const call = { ...services, files: download?.files, accountId, userId, role, id, query, body, note }
      const carryOut = (db: Db) => handler({ ...call, db } as unknown as DashboardCall<DashboardRouteId>)
      if (action === undefined || isDryRun(body))
        return sendResult(reply, await carryOut(services.db), write, download)

      const actor = { kind: 'user', id: userId, name: who.email, address: request.ip } as const
      const change = (result: unknown): AuditedChange => ({
        action,
        subjectId: id ?? (result as { id?: number }).id ?? null,
        details: { ...body, ...noted },
      })
      if (!callsOut(callId, body))
        return sendResult(
          reply,
          await auditedEdit(services.db, accountId, actor, { action, id }, carryOut, change),
          write,
          download,
        )
      const result = await carryOut(services.db)
      await recordChange(services.db, accountId, actor, change(result))
      return sendResult(reply, result, write)
    },
  })
}
