import type { Db } from '../../db/database.ts'
import { invalid } from '../../kit/domain-error.ts'
import { DAY_MS } from '../../kit/timestamp.ts'
import { findAccountBySlug } from '../../programme/accounts/account.store.ts'
import { adoptClick } from './click.store.ts'
import type { ClickWriter } from './click-writer.ts'
import type { Links } from './links.ts'
import { type Visit, type VisitorLookup, visitDetails } from './visit.ts'

const DAY_SECONDS = DAY_MS / 1000

/** The tracker's report from a merchant's page: a visit with a token, or with a click that the redirect recorded. */
export interface Beacon {
  account: string
  visitor_id: string
  token?: string
  click_id?: number
  campaign?: string
  url?: string
  referrer?: string
}

/**
 * Links the visitor to a click, recording it if the redirect did not: also for an address with another visitor's click, which is a link of the
 * same affiliate. Returns how long the browser should store it.
 */
export async function recordClick(
  { db, clicks, links, ...lookup }: { db: Db; clicks: ClickWriter; links: Links } & VisitorLookup,
  beacon: Beacon,
  visit: Visit,
): Promise<{ click_id: number; expires_in: number }> {
  const accountId = await findAccountBySlug(db, beacon.account)
  if (accountId === undefined) throw invalid('account', 'does not match an account')
  const details = {
    visitorId: beacon.visitor_id,
    ...visitDetails({ ...visit, landingUrl: beacon.url, referrer: beacon.referrer }, lookup),
  }
  if (beacon.click_id !== undefined) {
    const click = await adoptClick(db, accountId, beacon.click_id, details)
    if (click) {
      const { campaign_id: campaignId, affiliate_id: affiliateId } = click
      const clickId = click.is_of_visit
        ? beacon.click_id
        : await clicks.write({ accountId, campaignId, affiliateId, ...details })
      return { click_id: clickId, expires_in: click.window_days * DAY_SECONDS }
    }
  }
  if (beacon.token === undefined) throw invalid('click_id', 'does not match a click in this account')
  const link = await links.resolve({
    accountSlug: beacon.account,
    token: beacon.token,
    campaignSlug: beacon.campaign,
  })
  if (!link) throw invalid('token', 'does not match an affiliate in this account and campaign')
  const clickId = await clicks.write({
    accountId,
    campaignId: link.campaign.id,
    affiliateId: link.affiliate_id,
    ...details,
  })
  return { click_id: clickId, expires_in: link.campaign.attribution_window_days * DAY_SECONDS }
}
