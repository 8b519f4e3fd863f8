import type { Db } from '../../db/database.ts'
import { findAccountBySlug } from '../../programme/accounts/account.store.ts'
import { deepLink } from './destination-url.ts'
import type { Link } from './follow-link.ts'
import { findSite } from './link.store.ts'

/**
 * The redirect for a broken link: the destination of its campaign, or of the account's first campaign that has one. Only URLs that the
 * merchant entered are returned. A click without an affiliate is not recorded.
 */
export async function fallbackSite(
  db: Db,
  { accountSlug, campaignSlug, to }: Omit<Link, 'token'>,
): Promise<string | undefined> {
  if ([accountSlug, campaignSlug].some(name => name?.includes('\0'))) return undefined
  const accountId = await findAccountBySlug(db, accountSlug)
  const site = accountId === undefined ? undefined : await findSite(db, accountId, campaignSlug)
  return site && ((to && deepLink(to, site)) || site)
}
