import { DomainError } from '../../kit/domain-error.ts'
import type { ClickWriter } from './click-writer.ts'
import { clickUrl, deepLink } from './destination-url.ts'
import type { LinkName } from './link.store.ts'
import type { Links } from './links.ts'
import { type Visit, type VisitorLookup, visitDetails } from './visit.ts'

export interface Link extends LinkName {
  /** A page on the destination's site to redirect to instead of the destination itself. */
  to: string | undefined
}

export interface LinkServices extends VisitorLookup {
  clicks: ClickWriter
  links: Links
}

/** Records the click and returns the URL to redirect to. */
export async function followLink(
  { clicks, links, ...lookup }: LinkServices,
  { to, ...name }: Link,
  visit: Visit,
): Promise<string> {
  const link = await links.resolve(name)
  if (!link)
    throw new DomainError('not_found', "This link doesn't work: its affiliate or campaign doesn't exist.")
  const { account_id, affiliate_id, campaign } = link
  if (campaign.destination_url === null)
    throw new DomainError('not_found', "This link doesn't work yet: its campaign has no destination.")
  const page = (to && deepLink(to, campaign.destination_url)) || campaign.destination_url
  const clickId = await clicks.write({
    accountId: account_id,
    campaignId: campaign.id,
    affiliateId: affiliate_id,
    visitorId: null,
    ...visitDetails({ ...visit, landingUrl: page }, lookup),
  })
  return clickUrl(page, name.token, clickId)
}
