import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Db } from '../../db/database.ts'
import { isLinkToken } from '../../kit/tokens.ts'
import { openPortalSession } from '../../portal/portal-sessions.ts'
import type { PortalRow } from '../../programme/portal-settings/portal.store.ts'
import { openPortalView } from '../../programme/portal-views/portal-views.ts'
import { portalOf } from '../portal-host.ts'
import { pageSession } from './page-session.ts'
import { portalCookies, setPortalCookie } from './portal-cookie.ts'
import { readCookie } from './session-cookie.ts'

/** Admits any visitor to the portal named in the path. */
export const anyoneAtPortal = (db: Db) => async (request: FastifyRequest) => ({
  portal: await portalOf(request, db),
})

/** The cookie of a view by the company's team. A separate one, so that it does not replace the affiliate's own session. */
export const viewCookie = ({ slug }: Pick<PortalRow, 'slug'>) => `portal-view-${slug}`

/** The view in the cookie; undefined without one. An expired view leaves a visitor with their own session. */
async function viewIn(request: FastifyRequest, db: Db, portal: PortalRow) {
  const token = readCookie(request, viewCookie(portal))
  const view = token && isLinkToken(token) && (await openPortalView(db, portal.account_id, token))
  return view ? pageSession(request, [viewCookie(portal)], async () => view) : undefined
}

/** Admits an affiliate who is signed in to the portal named in the path, or a member of the team who views it as they do. */
export const affiliate = (db: Db) => async (request: FastifyRequest, reply: FastifyReply) => {
  const portal = await portalOf(request, db)
  const view = await viewIn(request, db, portal)
  const session =
    view ??
    (await pageSession(request, portalCookies(portal), token =>
      openPortalSession(db, portal.account_id, token),
    ))
  // The browser keeps the cookie for as long as the session is renewed.
  if ('isRenewed' in session && session.isRenewed) setPortalCookie(request, reply, portal, session.token)
  request.accountId = portal.account_id
  return {
    portal,
    accountId: portal.account_id,
    affiliateId: session.affiliate_id,
    email: session.email,
    status: session.status,
    isFresh: 'is_fresh' in session && session.is_fresh,
    sessionToken: session.token,
    view: view && { userId: view.user_id, viewer: view.viewer, expiresAt: view.expires_at },
  }
}
