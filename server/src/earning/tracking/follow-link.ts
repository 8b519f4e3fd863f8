import { DomainError } from '../../kit/domain-error.ts'
import type { ClickWriter } from './click-writer.ts'
import { clickUrl, deepLink, type LinkQuery, markedPage } from './destination-url.ts'
import type { LinkName } from './link.store.ts'
import type { Links, ResolvedLink } from './links.ts'
import { type Visit, type VisitorLookup, visitDetails } from './visit.ts'

export interface Link extends LinkName, LinkQuery {}

export interface LinkServices extends VisitorLookup {
  clicks: ClickWriter
  links: Links
}

/** Records the click and returns the URL to redirect to. */
export async function followLink(services: LinkServices, name: Link, visit: Visit): Promise<string> {
  const link = await services.links.resolve(name)
  if (!link)
    throw new DomainError('not_found', "This link doesn't work: its affiliate or campaign doesn't exist.")
  return followResolved(services, name, link, visit)
}

/** The same for a link that has been resolved. */
export async function followResolved(
  services: LinkServices,
  { to, marks, token }: Link,
  { account_id, affiliate_id, campaign }: ResolvedLink,
  { address, userAgent, referrer }: Visit,
): Promise<string> {
  if (campaign.destination_url === null)
    throw new DomainError('not_found', "This link doesn't work yet: its campaign has no destination.")
  const page = (to && deepLink(to, campaign.destination_url)) || campaign.destination_url
  const landingUrl = markedPage(page, marks)
  const details = visitDetails({ address, userAgent, referrer, landingUrl }, services)
  const clickId = await services.clicks.write({
    accountId: account_id,
    campaignId: campaign.id,
    affiliateId: affiliate_id,
    visitorId: null,
    // Named, because a spread with further fields takes longer than anything else here.
    addressHash: details.addressHash,
    isBot: details.isBot,
    userAgent: details.userAgent,
    landingUrl: details.landingUrl,
    referrer: details.referrer,
    country: details.country,
  })
  return clickUrl(page, token, clickId)
}
