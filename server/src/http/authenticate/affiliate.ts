import type { FastifyRequest } from 'fastify'
import type { Db } from '../../db/database.ts'
import { openPortalSession } from '../../portal/portal-sessions.ts'
import type { PortalRow } from '../../programme/portal-settings/portal.store.ts'
import { portalOf } from '../portal-host.ts'
import { pageSession } from './page-session.ts'

/** Each account's portal has its own session cookie, even if many portals share one host. */
export const portalCookie = ({ slug }: Pick<PortalRow, 'slug'>) => `portal-${slug}`

/** Admits any visitor to the portal named in the path. */
export const anyoneAtPortal = (db: Db) => async (request: FastifyRequest) => ({
  portal: await portalOf(request, db),
})

/** Admits an affiliate who is signed in to the portal named in the path. */
export const affiliate = (db: Db) => async (request: FastifyRequest) => {
  const portal = await portalOf(request, db)
  const session = await pageSession(request, portalCookie(portal), token =>
    openPortalSession(db, portal.account_id, token),
  )
  request.accountId = portal.account_id
  return {
    portal,
    accountId: portal.account_id,
    affiliateId: session.affiliate_id,
    email: session.email,
    isFresh: session.is_fresh,
    sessionToken: session.token,
  }
}
