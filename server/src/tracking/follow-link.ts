import { accountBySlug } from '../accounts/account-by-slug.ts'
import type { Db } from '../db/database.ts'
import { DomainError } from '../kit/domain-error.ts'
import type { ClickWriter } from './click-writer.ts'
import { deepLink, withClick } from './destination-url.ts'
import { findLink } from './link.store.ts'
import { type Visit, visitDetails } from './visit.ts'

export interface Link {
  accountSlug: string
  token: string
  campaignSlug: string | undefined
  /** A page of the destination's site to go to instead of its front page. */
  to: string | undefined
}

/** Records the click and tells where the visitor goes. */
export async function followLink(
  { db, clicks, addressKey }: { db: Db; clicks: ClickWriter; addressKey: Buffer },
  { accountSlug, token, campaignSlug, to }: Link,
  visit: Visit,
): Promise<string> {
  // PostgreSQL cannot even be asked for a name with a NUL in it.
  const isNameable = ![accountSlug, token, campaignSlug].some(name => name?.includes('\0'))
  const accountId = isNameable ? await accountBySlug(db, accountSlug) : undefined
  const link = accountId === undefined ? undefined : await findLink(db, accountId, token, campaignSlug)
  if (accountId === undefined || !link)
    throw new DomainError('not_found', 'This link leads nowhere: there is no such affiliate or campaign.')
  if (link.destination_url === null)
    throw new DomainError('not_found', 'This link leads nowhere yet: its campaign has no destination.')
  const address = (to && deepLink(to, link.destination_url)) || link.destination_url
  const clickId = await clicks.write({
    accountId,
    campaignId: link.campaign_id,
    affiliateId: link.affiliate_id,
    visitorId: null,
    ...visitDetails({ ...visit, landingUrl: address }, addressKey),
  })
  return withClick(address, token, clickId)
}
