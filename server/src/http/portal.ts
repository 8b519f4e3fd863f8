import { type PortalRoute, type PortalRouteId, portalRoutes, portalSchemas } from '@tributary/contract/portal'
import type { FastifyInstance } from 'fastify'
import type { Db } from '../db/database.ts'
import type { Services } from '../db/services.ts'
import { networkOf } from '../kit/address.ts'
import { DomainError } from '../kit/domain-error.ts'
import type { PortalCall } from '../portal/call.ts'
import { portalHandlers } from '../portal/portal.handlers.ts'
import { auditedEdit } from './audited-state.ts'
import { affiliate, anyoneAtPortal, viewCookie } from './authenticate/affiliate.ts'
import type { CountGuesses, Guesses } from './authenticate/guess-limit.ts'
import { clearPortalCookies } from './authenticate/portal-cookie.ts'
import { tooManyAttempts } from './authenticate/rate-limited.ts'
import { clearCookie } from './authenticate/session-cookie.ts'
import { acceptPages } from './page-api.ts'
import { LARGEST_ANONYMOUS_BODY_BYTES } from './request/read-body.ts'
import type { ResponseWriter } from './response/closed-response.ts'
import { type Downloads, isDownload } from './response/downloads.ts'
import { sendResult } from './response/send-result.ts'
import { route } from './route.ts'

/** Emails that one network may trigger per minute, to any number of recipients. */
const EMAILS_PER_MINUTE = 10
/** Reads without a session that one network may make per minute. */
const READS_PER_MINUTE = 120

type AnyHandler = (call: PortalCall<PortalRouteId>) => Promise<unknown>

/** The session API of the portal. */
export function portalApi(
  services: Services,
  countGuesses: CountGuesses,
  downloads: Downloads,
  writer: ResponseWriter,
) {
  return async function register(api: FastifyInstance): Promise<void> {
    await acceptPages(api, services.baseUrl)
    const emails = countGuesses('mails', EMAILS_PER_MINUTE)
    const reads = countGuesses('join forms', READS_PER_MINUTE)
    for (const [id, declared] of Object.entries<PortalRoute>(portalRoutes))
      if (declared[2] === 'public') {
        const limit = declared[0] === 'GET' ? reads : emails
        addOpenCall(api, services, limit, writer, id as PortalRouteId, declared)
      } else addCall(api, services, downloads, writer, id as PortalRouteId, declared)
  }
}

const readOnly = () =>
  new DomainError('forbidden', 'You are viewing the portal as this affiliate, so you cannot change anything.')

/** The log, which nothing is deleted from, does without the answers of an affiliate, who can have them deleted. */
const fitToLog = ({ form, ...details }: { form?: { terms_version: number | null } } & object) =>
  form ? { ...details, terms_version: form.terms_version } : details

const handlerOf = (callId: PortalRouteId) => portalHandlers[callId] as unknown as AnyHandler

/** A call without a session. Each that isn't a read may send an email. */
function addOpenCall(
  api: FastifyInstance,
  services: Services,
  calls: Guesses,
  writer: ResponseWriter,
  callId: PortalRouteId,
  [method, path]: PortalRoute,
): void {
  const handler = handlerOf(callId)
  const { result, ...request } = portalSchemas[callId]
  const write = writer(result)
  route(api, {
    method,
    url: `/${path}`,
    authenticate: anyoneAtPortal(services.db),
    async limit({ ip }) {
      const { admitted, freesInMs } = await calls.begin(networkOf(ip))
      if (!admitted) throw tooManyAttempts(freesInMs)
    },
    ...request,
    isBodyOptional: true,
    bodyLimit: LARGEST_ANONYMOUS_BODY_BYTES,
    async handle({ who: { portal }, id, query, body, reply }) {
      const call = { ...services, accountId: portal.account_id, id, query, body }
      return sendResult(reply, await handler(call as unknown as PortalCall<PortalRouteId>), write)
    },
  })
}

function addCall(
  api: FastifyInstance,
  services: Services,
  downloads: Downloads,
  writer: ResponseWriter,
  callId: PortalRouteId,
  [method, path, , action]: PortalRoute,
): void {
  const handler = handlerOf(callId)
  const { result, ...request } = portalSchemas[callId]
  const write = writer(result)
  const endsSession = callId === 'signOut' || callId === 'signOutEverywhere'
  const signedIn = affiliate(services.db)
  route(api, {
    method,
    url: `/${path}`,
    async authenticate(request, reply) {
      const who = await signedIn(request, reply)
      // Here, so that it holds for every change, including those added later. Signing out ends only the view.
      if (who.view && method !== 'GET' && callId !== 'signOut') throw readOnly()
      return who
    },
    ...request,
    isBodyOptional: true,
    async handle({ who: { portal, ...who }, id, query, body, request, reply }) {
      const { accountId, affiliateId, email, view } = who
      const downloader = view
        ? ({ accountId, kind: 'user', id: view.userId } as const)
        : ({ accountId, kind: 'affiliate', id: affiliateId } as const)
      const download = isDownload(path) ? await downloads.begin(reply, downloader) : undefined
      const call = { ...services, ...who, ...download, id, query, body }
      const carryOut = (db: Db) => handler({ ...call, db } as unknown as PortalCall<PortalRouteId>)
      if (view && endsSession) clearCookie(request, reply, viewCookie(portal))
      else if (endsSession) clearPortalCookies(request, reply, portal)
      if (action === undefined) return sendResult(reply, await carryOut(services.db), write, download)
      const actor = { kind: 'affiliate', id: affiliateId, name: email, address: request.ip } as const
      const change = () => ({ action, subjectId: id ?? affiliateId, details: fitToLog(body) })
      return sendResult(
        reply,
        await auditedEdit(services.db, accountId, actor, { action, id: id ?? affiliateId }, carryOut, change),
        write,
      )
    },
  })
}
