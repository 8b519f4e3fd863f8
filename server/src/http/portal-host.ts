import type { FastifyRequest } from 'fastify'
import type { Db } from '../db/database.ts'
import { notFound } from '../kit/domain-error.ts'
import { findAccountBySlug } from '../programme/accounts/account.store.ts'
import type { PortalRow } from '../programme/portal-settings/portal.store.ts'
import { portalOfAccount } from '../programme/portal-settings/portal-of-account.ts'

/** What an account's own domain serves besides the portal, under the same paths as everywhere. */
const SHARED = ['/web/', '/assets/', '/tracker.js', '/t/']

/** A path on an account's own domain as the path that it stands for: its portal, or a link of one of its affiliates. */
export function fromOwnDomain(slug: string, url: string): string {
  if (url.startsWith('/r/')) return `/r/${slug}${url.slice(2)}`
  return SHARED.some(prefix => url.startsWith(prefix)) ? url : `/portal/${slug}${url}`
}

/** The portal that the path names. */
export async function portalOf(request: FastifyRequest, db: Db): Promise<PortalRow> {
  const { slug } = request.params as { slug: string }
  // PostgreSQL cannot even be asked for a name with a NUL in it.
  const accountId = slug.includes('\0') ? undefined : await findAccountBySlug(db, slug)
  if (accountId === undefined) throw notFound('portal')
  return portalOfAccount(db, accountId)
}
