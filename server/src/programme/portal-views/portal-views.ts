import { may } from '@tributary/contract/dashboard'
import type { Db } from '../../db/database.ts'
import { notFound } from '../../kit/domain-error.ts'
import { LimitedLookup } from '../../kit/shared-lookup.ts'
import { newLinkToken, sha256 } from '../../kit/tokens.ts'
import { affiliateStatus } from '../affiliates/affiliate-status.ts'
import { rejectedCannotSignIn } from '../magic-links/mint-magic-link.ts'
import { portalOfAccount } from '../portal-settings/portal.store.ts'
import { portalAddress } from '../portal-settings/portal-address.ts'
import {
  findOpenViews,
  findPortalView,
  insertPortalView,
  type PortalViewRow,
  takePortalView,
} from './portal-view.store.ts'

/** The link is opened at once, by the page that requested it. */
const LINK_SECONDS = 120
/** Not renewed by visits. */
export const VIEW_SECONDS = 30 * 60

/**
 * Lets a member of the team see the portal as an affiliate sees it. The portal may be on another domain, so the view starts with a
 * link that works once. It is not a portal session: the affiliate's own sessions are not affected, and the viewer's address does
 * not count as the affiliate's.
 */
export function viewAsAffiliate(
  { db, baseUrl }: { db: Db; baseUrl: string },
  accountId: number,
  affiliateId: number,
  userId: number,
): Promise<{ url: string }> {
  return db.transaction(async tx => {
    const status = await affiliateStatus(tx, accountId, affiliateId)
    if (status === undefined) throw notFound('affiliate')
    if (status === 'rejected') throw rejectedCannotSignIn()
    const token = newLinkToken()
    const link = { linkHash: sha256(token), linkSeconds: LINK_SECONDS }
    await insertPortalView(tx, accountId, { affiliateId, userId, ...link })
    const address = portalAddress(baseUrl, await portalOfAccount(tx, accountId))
    return { url: `${address}/view/${token}` }
  })
}

/** Finds links by their digests, without consuming them. */
export const viewLinks = (db: Db) => new LimitedLookup(lookups => findOpenViews(db, lookups))

/** Starts a view by consuming its link. Undefined when the link is invalid, used or expired. */
export function startPortalView(db: Db, accountId: number, linkToken: string): Promise<string | undefined> {
  return db.transaction(async tx => {
    const token = newLinkToken()
    const hashes = { linkHash: sha256(linkToken), sessionHash: sha256(token) }
    const isTaken = await takePortalView(tx, accountId, { ...hashes, sessionSeconds: VIEW_SECONDS })
    return isTaken ? token : undefined
  })
}

/** The view; undefined when it has ended, or the viewer has lost the permission to start one. */
export async function openPortalView(
  db: Db,
  accountId: number,
  token: string,
): Promise<PortalViewRow | undefined> {
  const view = await findPortalView(db, accountId, sha256(token))
  return view && view.role !== null && may(view.role, 'programme') ? view : undefined
}
