import { DomainError } from '../../kit/domain-error.ts'
import type { ClickWriter } from './click-writer.ts'
import { clickUrlBuilder, deepLink } from './destination-url.ts'
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
  const { destination } = link
  if (!destination)
    throw new DomainError('not_found', "This link doesn't work yet: its campaign has no destination.")
  const page = to && deepLink(to, destination.url)
  const clickId = await clicks.write({
    accountId: link.account_id,
    campaignId: link.campaign_id,
    affiliateId: link.affiliate_id,
    visitorId: null,
    ...visitDetails({ ...visit, landingUrl: page || destination.url }, lookup),
  })
  return (page ? clickUrlBuilder(page, name.token) : destination.urlFor)(clickId)
}
