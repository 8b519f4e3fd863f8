import type { Db } from '../../db/database.ts'
import type { TtlCache } from '../../kit/cache.ts'
import { DomainError } from '../../kit/domain-error.ts'
import { findAccountBySlug } from '../../programme/accounts/account.store.ts'
import type { ClickWriter } from './click-writer.ts'
import { clickUrlBuilder, deepLink } from './destination-url.ts'
import { findLink, type LinkRow } from './link.store.ts'
import { type Visit, visitDetails } from './visit.ts'

export interface Link {
  accountSlug: string
  token: string
  campaignSlug: string | undefined
  /** A page on the destination's site to redirect to instead of the destination itself. */
  to: string | undefined
}

export interface LinkServices {
  db: Db
  clicks: ClickWriter
  /** Cached: a popular link is followed by many visitors at once and rarely changes. */
  links: TtlCache<ResolvedLink>
  addressKey: Buffer
}

export interface ResolvedLink extends Pick<LinkRow, 'campaign_id' | 'affiliate_id'> {
  accountId: number
  /** Undefined while its campaign has no destination. */
  destination: { url: string; urlFor: (clickId: number) => string } | undefined
}

async function resolveLink(
  db: Db,
  accountSlug: string,
  token: string,
  campaignSlug: string | undefined,
): Promise<ResolvedLink | undefined> {
  // PostgreSQL rejects text that contains NUL.
  if ([accountSlug, token, campaignSlug].some(name => name?.includes('\0'))) return undefined
  const accountId = await findAccountBySlug(db, accountSlug)
  const link = accountId === undefined ? undefined : await findLink(db, accountId, token, campaignSlug)
  if (accountId === undefined || !link) return undefined
  const { destination_url: url, ...parties } = link
  const destination = url === null ? undefined : { url, urlFor: clickUrlBuilder(url, token) }
  return { ...parties, accountId, destination }
}

/** Records the click and returns the URL to redirect to. */
export async function followLink(
  { db, clicks, links, addressKey }: LinkServices,
  { accountSlug, token, campaignSlug, to }: Link,
  visit: Visit,
): Promise<string> {
  const link = await links([accountSlug, token, campaignSlug ?? ''].join('/'), () =>
    resolveLink(db, accountSlug, token, campaignSlug),
  )
  if (!link)
    throw new DomainError('not_found', "This link doesn't work: its affiliate or campaign doesn't exist.")
  const { destination } = link
  if (!destination)
    throw new DomainError('not_found', "This link doesn't work yet: its campaign has no destination.")
  const page = to && deepLink(to, destination.url)
  const clickId = await clicks.write({
    accountId: link.accountId,
    campaignId: link.campaign_id,
    affiliateId: link.affiliate_id,
    visitorId: null,
    ...visitDetails({ ...visit, landingUrl: page || destination.url }, addressKey),
  })
  return (page ? clickUrlBuilder(page, token) : destination.urlFor)(clickId)
}
