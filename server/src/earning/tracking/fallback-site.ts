import { deepLink } from './destination-url.ts'
import type { Link } from './follow-link.ts'
import type { Links } from './links.ts'

/**
 * The redirect for a broken link: the destination of its campaign, or of the account's first campaign that has one. Only URLs that the
 * merchant entered are returned. A click without an affiliate is not recorded.
 */
export async function fallbackSite(
  links: Links,
  { to, ...name }: Omit<Link, 'token' | 'marks'>,
): Promise<string | undefined> {
  const site = await links.site(name)
  return site && ((to && deepLink(to, site)) || new URL(site).href)
}
