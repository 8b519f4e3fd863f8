import type { ExploreDimension } from '@tributary/contract/dashboard'
import type { Db } from '../db/database.ts'
import { findAffiliateNames, findCampaignNames } from './explore.store.ts'

const names = async (db: Db, accountId: number, find: typeof findCampaignNames, keys: Iterable<string>) => {
  const rows = await find(db, accountId, [...keys].map(Number))
  return new Map(rows.map(({ id, name }) => [String(id), name]))
}

/** A link's key: the ids of its campaign and affiliate, and the page it leads to, if it's known. */
const LINK = /^(?<campaign>\d{1,15}) (?<affiliate>\d{1,15})(?: (?<page>.+))?$/

/** Links by their affiliate, campaign and page, which may all be shared with others. */
async function linkNames(db: Db, accountId: number, keys: string[]): Promise<Map<string, string>> {
  const links = keys.flatMap(key => {
    const { campaign, affiliate, page } = LINK.exec(key)?.groups ?? {}
    return campaign && affiliate
      ? [{ key, campaign, affiliate, page: page?.replace(/^https?:\/\//, '') }]
      : []
  })
  const campaigns = await names(db, accountId, findCampaignNames, new Set(links.map(each => each.campaign)))
  const affiliates = await names(
    db,
    accountId,
    findAffiliateNames,
    new Set(links.map(each => each.affiliate)),
  )
  return new Map(
    links.map(({ key, campaign, affiliate, page }) => [
      key,
      [affiliates.get(affiliate) ?? affiliate, campaigns.get(campaign) ?? campaign, page]
        .filter(Boolean)
        .join(' · '),
    ]),
  )
}

/** Whether keys of a dimension have names: every other key is its own name. */
export const hasNames = (by: ExploreDimension) => by === 'campaign' || by === 'affiliate' || by === 'link'

export async function namesOf(
  db: Db,
  accountId: number,
  by: ExploreDimension,
  keys: string[],
): Promise<Map<string, string>> {
  if (by === 'link') return linkNames(db, accountId, keys)
  if (!hasNames(by)) return new Map()
  return names(db, accountId, by === 'campaign' ? findCampaignNames : findAffiliateNames, keys)
}
