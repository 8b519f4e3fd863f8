import type { Db } from '../../db/database.ts'
import { Batches } from '../../kit/batches.ts'
import { ttlCache } from '../../kit/cache.ts'
import {
  findLinkCampaigns,
  findSites,
  findTokens,
  type LinkCampaign,
  type LinkName,
  type TokenRow,
} from './link.store.ts'

/** A changed destination takes effect within this time. */
const CAMPAIGN_MS = 1000
const MOST_ACCOUNTS = 1000
/** Much longer: a token never leads to another affiliate, and enrolments are only added. */
const TOKEN_MS = 60_000
const MOST_TOKENS = 20_000
const MOST_PER_LOOKUP = 500

/** Only these can be slugs and tokens. Nothing else is looked up: PostgreSQL would reject a NUL, and with it the whole batch. */
const isName = (text: string) => /^[\w-]{1,64}$/.test(text)

export interface ResolvedLink {
  account_id: number
  affiliate_id: number
  campaign: LinkCampaign
}

type SiteName = Omit<LinkName, 'token'>
type Campaigns = ReadonlyMap<number, LinkCampaign>

/** The named campaign, or else that of the first enrolment, archived ones last. Undefined if it isn't known. */
function campaignOf({ campaign_ids }: TokenRow, campaigns: Campaigns, slug: string | undefined) {
  let archived: LinkCampaign | undefined
  for (const id of campaign_ids) {
    const campaign = campaigns.get(id)
    // Created since the campaigns were looked up.
    if (!campaign) return undefined
    if (slug !== undefined && slug !== campaign.slug) continue
    if (!campaign.is_archived) return campaign
    archived ??= campaign
  }
  return archived
}

/**
 * Looks up links in batches: a click on a link that isn't cached, or on one that doesn't exist, costs a row of a shared statement. Only
 * existing links are cached, so that a flood of invented ones evicts none.
 */
export class Links {
  readonly #tokens: Batches<LinkName, TokenRow | undefined>
  readonly #campaigns: Batches<number, LinkCampaign[]>
  readonly #sites: Batches<SiteName, string | undefined>
  readonly #knownTokens = ttlCache<TokenRow>(TOKEN_MS, MOST_TOKENS)
  readonly #knownCampaigns = ttlCache<Campaigns>(CAMPAIGN_MS, MOST_ACCOUNTS)

  constructor(db: Db) {
    this.#tokens = new Batches(names => findTokens(db, names), MOST_PER_LOOKUP)
    this.#campaigns = new Batches(accounts => findLinkCampaigns(db, accounts), MOST_PER_LOOKUP)
    this.#sites = new Batches(names => findSites(db, names), MOST_PER_LOOKUP)
  }

  /** The link as it was at most a second ago; undefined if its affiliate or campaign doesn't exist. */
  async resolve(name: LinkName): Promise<ResolvedLink | undefined> {
    const { accountSlug, token, campaignSlug } = name
    if (!isName(accountSlug) || !isName(token) || !isName(campaignSlug ?? '-')) return undefined
    return this.#look(name)
  }

  /** The same without a query: undefined if the link isn't cached, or if its campaign has been archived. */
  known({ accountSlug, token, campaignSlug }: LinkName): ResolvedLink | undefined {
    const found = this.#knownTokens.known(`${accountSlug}/${token}`)
    const campaigns = found && this.#knownCampaigns.known(accountSlug)
    const campaign = campaigns && campaignOf(found, campaigns, campaignSlug)
    if (!campaign || campaign.is_archived) return undefined
    return { account_id: found.account_id, affiliate_id: found.affiliate_id, campaign }
  }

  async #look(name: LinkName, maxAgeMs?: number): Promise<ResolvedLink | undefined> {
    const { accountSlug, token, campaignSlug } = name
    const found = await this.#knownTokens(`${accountSlug}/${token}`, () => this.#tokens.add(name), maxAgeMs)
    if (!found) return undefined
    const { account_id, affiliate_id } = found
    const campaigns = await this.#knownCampaigns(accountSlug, () => this.#campaignsOf(account_id), maxAgeMs)
    const campaign = campaigns && campaignOf(found, campaigns, campaignSlug)
    // Only a link without an active campaign can be changed by a new enrolment.
    if (maxAgeMs === undefined && (!campaign || campaign.is_archived))
      return this.#look(name, campaign ? CAMPAIGN_MS : 0)
    return campaign && { account_id, affiliate_id, campaign }
  }

  async #campaignsOf(accountId: number): Promise<Campaigns> {
    const campaigns = await this.#campaigns.add(accountId)
    return new Map(campaigns.map(campaign => [campaign.id, campaign]))
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
