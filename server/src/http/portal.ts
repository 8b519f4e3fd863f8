import { type PortalRoute, type PortalRouteId, portalRoutes, portalSchemas } from '@tributary/contract/portal'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Db } from '../db/database.ts'
import type { Services } from '../db/services.ts'
import { networkOf } from '../kit/address.ts'
import { DomainError } from '../kit/domain-error.ts'
import { csrfToken } from '../kit/tokens.ts'
import type { PortalCall } from '../portal/call.ts'
import { portalHandlers } from '../portal/portal.handlers.ts'
import { openPortalSession } from '../portal/portal-sessions.ts'
import { audited } from '../programme/audit/record-change.ts'
import type { PortalRow } from '../programme/portal-settings/portal.store.ts'
import { sendResult } from './answer.ts'
import { acceptJsonOnly } from './body.ts'
import { closedRequest } from './closed-request.ts'
import { type Downloads, isDownload } from './downloads.ts'
import type { CountGuesses, Guesses } from './guess-limit.ts'
import { idFrom } from './path-id.ts'
import { portalOf } from './portal-host.ts'
import { LARGEST_ANONYMOUS_BODY_BYTES, LARGEST_BODY_BYTES } from './read-body.ts'
import { assertSameOrigin } from './same-origin.ts'
import { clearCookie, readCookie } from './session-cookie.ts'

/** How many mails an address may ask for in a minute, whomever they would go to. */
const MAILS_PER_MINUTE = 10

/** Each account's portal has a session of its own, also where many share one host. */
export const portalCookie = ({ slug }: Pick<PortalRow, 'slug'>) => `portal-${slug}`

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose portal is called and by whom; known before the body is read. */
    portalVisit: { portal: PortalRow; who: typeof nobody }
  }
}

const nobody = { affiliateId: 0, email: '', isFresh: false, sessionToken: '' }

/** Which affiliate is calling. Every change also proves that our page makes it. */
async function affiliateOf(request: FastifyRequest, db: Db, portal: PortalRow) {
  const token = readCookie(request, portalCookie(portal))
  const session = token === undefined ? undefined : await openPortalSession(db, portal.account_id, token)
  if (!session || token === undefined) throw new DomainError('unauthorized', 'Sign in first.')
  if (request.method !== 'GET' && request.headers['tributary-csrf'] !== csrfToken(token))
    throw new DomainError('unauthorized', 'The page is out of date. Load it again.')
  return {
    affiliateId: session.affiliate_id,
    email: session.email,
    isFresh: session.is_fresh,
    sessionToken: token,
  }
}

/** The session API of the portal's pages. */
export function portalApi(services: Services, countGuesses: CountGuesses, downloads: Downloads) {
  return async function register(api: FastifyInstance): Promise<void> {
    acceptJsonOnly(api)
    api.decorateRequest('portalVisit', null as never)
    api.addHook('onRequest', async request => {
      if (request.method !== 'GET' && request.method !== 'HEAD') assertSameOrigin(request, services.baseUrl)
    })
    const asked = countGuesses('mails', MAILS_PER_MINUTE)
    for (const [id, route] of Object.entries<PortalRoute>(portalRoutes))
      addRoute(api, services, asked, downloads, id as PortalRouteId, route)
    // Otherwise the page itself would be the answer to a call that does not exist.
    api.get('/*', async () => {
      throw new DomainError('not_found', 'There is no such path.')
    })
  }
}

function addRoute(
  api: FastifyInstance,
  services: Services,
  asked: Guesses,
  downloads: Downloads,
  id: PortalRouteId,
  [method, path, caller, action]: PortalRoute,
): void {
  const readRequest = closedRequest(portalSchemas[id].query, portalSchemas[id].body)
  const handler = portalHandlers[id] as unknown as (call: PortalCall<PortalRouteId>) => Promise<unknown>
  const isOpen = caller === 'anybody'
  const admit = async (request: FastifyRequest) => {
    const portal = await portalOf(request, services.db)
    const who = isOpen ? nobody : await affiliateOf(request, services.db, portal)
    if (!isOpen) request.accountId = portal.account_id
    request.portalVisit = { portal, who }
  }

  api.route({
    method,
    url: `/${path.replace('{id}', ':id')}`,
    bodyLimit: isOpen ? LARGEST_ANONYMOUS_BODY_BYTES : LARGEST_BODY_BYTES,
    async onRequest(request, reply) {
      await admit(request)
      if (!isOpen) return
      const { admitted, freesInMs } = await asked.begin(networkOf(request.ip))
      if (admitted) return
      reply.header('Retry-After', Math.max(1, Math.ceil(freesInMs / 1000)))
      throw new DomainError('rate_limited', 'Too many attempts. Try again in a minute.')
    },
    async handler(request, reply) {
      if (request.hasSlowBody) await admit(request)
      const { portal, who } = request.portalVisit
      const read = readRequest(request)
      const download = isDownload(path)
        ? await downloads.begin(reply, {
            accountId: portal.account_id,
            kind: 'affiliate',
            id: who.affiliateId,
          })
        : undefined
      const call = {
        ...services,
        ...who,
        ...download,
        accountId: portal.account_id,
        id: idFrom((request.params as { id?: string }).id),
        ...read,
      }
      const carryOut = (db: Db) => handler({ ...call, db } as PortalCall<PortalRouteId>)
      if (id === 'signOut' || id === 'signOutEverywhere')
        clearCookie(request, reply, portalCookie(portal), { inFrames: portal.frame_origins.length > 0 })
      if (action === undefined) return sendResult(reply, await carryOut(services.db), download)
      const actor = {
        kind: 'affiliate',
        id: who.affiliateId,
        name: who.email,
        address: request.ip,
      } as const
      const result = await audited(services.db, portal.account_id, actor, carryOut, () => ({
        action,
        subjectId: call.id || who.affiliateId,
        details: call.body,
      }))
      return sendResult(reply, result)
    },
  })
}
