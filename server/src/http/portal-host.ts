import type { FastifyRequest } from 'fastify'
import type { Db } from '../db/database.ts'
import { notFound } from '../kit/domain-error.ts'
import { findAccountBySlug } from '../programme/accounts/account.store.ts'
import { type PortalRow, portalOfAccount } from '../programme/portal-settings/portal.store.ts'

/** Paths that a custom domain serves besides the portal, unchanged. */
const SHARED = ['/web/', '/assets/', '/tracker.js', '/t/']

/** Maps a path on a custom domain to the internal path: the portal, or an affiliate's link. */
export function fromOwnDomain(slug: string, url: string): string {
  if (url.startsWith('/r/')) return `/r/${slug}${url.slice(2)}`
  return SHARED.some(prefix => url.startsWith(prefix)) ? url : `/portal/${slug}${url}`
}

/** The portal named in the path. */
export async function portalOf(request: FastifyRequest, db: Db): Promise<PortalRow> {
  const { slug } = request.params as { slug: string }
  // PostgreSQL rejects a parameter with a NUL.
  const accountId = slug.includes('\0') ? undefined : await findAccountBySlug(db, slug)
  if (accountId === undefined) throw notFound('portal')
  return portalOfAccount(db, accountId)
}
