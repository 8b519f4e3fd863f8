import type { Db } from '../../db/database.ts'
import { findAccountBySlug } from '../../programme/accounts/account.store.ts'
import { isMerchantOrigin } from './destination-url.ts'
import { findDestinations } from './link.store.ts'
import { findTracking } from './tracking-settings.store.ts'

export interface MerchantSites {
  /** Whether a page is on one of the sites. */
  includes(page: string): boolean
  sharesSubdomains: boolean
}

const none: MerchantSites = { includes: () => false, sharesSubdomains: false }

/** The sites where the tracker may run: those of the campaigns' destinations and those that were added. */
export async function sitesOfAccount(db: Db, accountId: number): Promise<MerchantSites> {
  const [destinations, { sites, shares_subdomains }] = await Promise.all([
    findDestinations(db, accountId),
    findTracking(db, accountId),
  ])
  const all = [...destinations, ...sites]
  return { includes: page => isMerchantOrigin(page, all), sharesSubdomains: shares_subdomains }
}

/** The same, by the account's slug; nothing if the account does not exist. */
export async function merchantSites(db: Db, accountSlug: string): Promise<MerchantSites> {
  const accountId = await findAccountBySlug(db, accountSlug)
  return accountId === undefined ? none : sitesOfAccount(db, accountId)
}
