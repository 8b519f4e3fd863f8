import type { Db } from '../../db/database.ts'
import { Batches } from '../../kit/batches.ts'
import { ttlCache } from '../../kit/cache.ts'
import { clickUrlBuilder } from './destination-url.ts'
import { findLinks, findSites, type LinkName, type LinkRow } from './link.store.ts'

/** A changed destination takes effect within this time. */
const CACHE_MS = 1000
const MOST_CACHED = 10_000
const MOST_PER_LOOKUP = 500

/** Only these can be slugs and tokens. Nothing else is looked up: PostgreSQL would reject a NUL, and with it the whole batch. */
const isName = (text: string) => /^[\w-]{1,64}$/.test(text)

export interface ResolvedLink extends Omit<LinkRow, 'destination_url'> {
  /** Undefined while its campaign has no destination. */
  destination: { url: string; urlFor: (clickId: number) => string } | undefined
}

type SiteName = Omit<LinkName, 'token'>

/**
 * Looks up links in batches: a click on a link that isn't cached, or on one that doesn't exist, costs a row of a shared statement. Only
 * existing links are cached, so that a flood of invented ones evicts none.
 */
export class Links {
  readonly #links: Batches<LinkName, LinkRow | undefined>
  readonly #sites: Batches<SiteName, string | undefined>
  /** A popular link is followed by many visitors at once and rarely changes. */
  readonly #cache = ttlCache<ResolvedLink>(CACHE_MS, MOST_CACHED)

  constructor(db: Db) {
    this.#links = new Batches(names => findLinks(db, names), MOST_PER_LOOKUP)
    this.#sites = new Batches(names => findSites(db, names), MOST_PER_LOOKUP)
  }

  /** The link as it is now; undefined if its affiliate or campaign doesn't exist. */
  async find(name: LinkName): Promise<LinkRow | undefined> {
    const { accountSlug, token, campaignSlug } = name
    if (![accountSlug, token, campaignSlug ?? '-'].every(isName)) return undefined
    return this.#links.add(name)
  }

  /** The link as it was at most a second ago. */
  resolve(name: LinkName): Promise<ResolvedLink | undefined> | ResolvedLink {
    return this.#cache(`${name.accountSlug}/${name.token}/${name.campaignSlug ?? ''}`, async () => {
      const link = await this.find(name)
      if (!link) return undefined
      const { destination_url: url, ...parties } = link
      return {
        ...parties,
        destination: url === null ? undefined : { url, urlFor: clickUrlBuilder(url, name.token) },
      }
    })
  }

  /** The merchant's site, for a link that is broken; undefined if the account has none. */
  async site({ accountSlug, campaignSlug }: SiteName): Promise<string | undefined> {
    if (!isName(accountSlug)) return undefined
    return this.#sites.add({
      accountSlug,
      campaignSlug: campaignSlug && isName(campaignSlug) ? campaignSlug : undefined,
    })
  }
}
