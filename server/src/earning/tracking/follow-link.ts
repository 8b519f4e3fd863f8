import type { Db } from '../../db/database.ts'
import { DomainError } from '../../kit/domain-error.ts'
import type { ShortMemory } from '../../kit/memory.ts'
import { findAccountBySlug } from '../../programme/accounts/account.store.ts'
import type { ClickWriter } from './click-writer.ts'
import { addressOfClicks, deepLink } from './destination-url.ts'
import { findLink, type LinkRow } from './link.store.ts'
import { type Visit, visitDetails } from './visit.ts'

export interface Link {
  accountSlug: string
  token: string
  campaignSlug: string | undefined
  /** A page of the destination's site to go to instead of its front page. */
  to: string | undefined
}

export interface LinkServices {
  db: Db
  clicks: ClickWriter
  /** A link that went round is followed by many at once, and changes rarely. */
  links: ShortMemory<ResolvedLink>
  addressKey: Buffer
}

export interface ResolvedLink extends Pick<LinkRow, 'campaign_id' | 'affiliate_id'> {
  accountId: number
  /** Where it leads, as long as its campaign leads anywhere. */
  destination: { url: string; addressOf: (clickId: number) => string } | undefined
}

async function resolveLink(
  db: Db,
  accountSlug: string,
  token: string,
  campaignSlug: string | undefined,
): Promise<ResolvedLink | undefined> {
  // PostgreSQL cannot even be asked for a name with a NUL in it.
  if ([accountSlug, token, campaignSlug].some(name => name?.includes('\0'))) return undefined
  const accountId = await findAccountBySlug(db, accountSlug)
  const link = accountId === undefined ? undefined : await findLink(db, accountId, token, campaignSlug)
  if (accountId === undefined || !link) return undefined
  const { destination_url: url, ...parties } = link
  const destination = url === null ? undefined : { url, addressOf: addressOfClicks(url, token) }
  return { ...parties, accountId, destination }
}

/** Records the click and tells where the visitor goes. */
export async function followLink(
  { db, clicks, links, addressKey }: LinkServices,
  { accountSlug, token, campaignSlug, to }: Link,
  visit: Visit,
): Promise<string> {
  const link = await links([accountSlug, token, campaignSlug ?? ''].join('/'), () =>
    resolveLink(db, accountSlug, token, campaignSlug),
  )
  if (!link)
    throw new DomainError('not_found', 'This link leads nowhere: there is no such affiliate or campaign.')
  const { destination } = link
  if (!destination)
    throw new DomainError('not_found', 'This link leads nowhere yet: its campaign has no destination.')
  const page = to && deepLink(to, destination.url)
  const clickId = await clicks.write({
    accountId: link.accountId,
    campaignId: link.campaign_id,
    affiliateId: link.affiliate_id,
    visitorId: null,
    ...visitDetails({ ...visit, landingUrl: page || destination.url }, addressKey),
  })
  return (page ? addressOfClicks(page, token) : destination.addressOf)(clickId)
}
