import type { RecentClick, TrackingSettings } from '@tributary/contract/dashboard'
import type { Services } from '../../db/services.ts'
import { changeTracking } from '../../earning/tracking/change-tracking.ts'
import { sitesOfAccount } from '../../earning/tracking/merchant-sites.ts'
import { findTracking } from '../../earning/tracking/tracking-settings.store.ts'
import { portalOfAccount } from '../../programme/portal-settings/portal.store.ts'
import { linkBase, scriptAddress } from '../../programme/portal-settings/portal-address.ts'
import type { DashboardHandlers } from '../call.ts'
import {
  type CampaignSiteRow,
  findTestLink,
  listCampaignSites,
  listRecentClicks,
  type RecentClickRow,
} from './tracking.store.ts'

/** The site of each destination, once, with the first of its campaigns. */
function sitesOf(campaigns: CampaignSiteRow[]): TrackingSettings['campaign_sites'] {
  const first = new Map<string, TrackingSettings['campaign_sites'][number]>()
  for (const { id, name, destination_url } of campaigns) {
    const { protocol, hostname } = new URL(destination_url)
    const site = `${protocol}//${hostname}`
    if (!first.has(site)) first.set(site, { site, campaign: { id, name } })
  }
  return [...first.values()]
}

async function show({
  db,
  baseUrl,
  accountId,
}: Pick<Services, 'db' | 'baseUrl'> & { accountId: number }): Promise<TrackingSettings> {
  const [portal, settings, campaigns, link] = await Promise.all([
    portalOfAccount(db, accountId),
    findTracking(db, accountId),
    listCampaignSites(db, accountId),
    findTestLink(db, accountId),
  ])
  return {
    ...settings,
    script_url: scriptAddress(baseUrl, portal),
    campaign_sites: sitesOf(campaigns),
    test_link: link
      ? { url: `${linkBase(baseUrl, portal)}/${link.token}/${link.campaign_slug}`, affiliate: link.affiliate }
      : null,
  }
}

const shown = (click: RecentClickRow, isAllowed: boolean): RecentClick => {
  const { affiliate_id, affiliate_name, campaign_id, campaign_name, ...rest } = click
  return {
    ...rest,
    affiliate: { id: affiliate_id, name: affiliate_name },
    campaign: { id: campaign_id, name: campaign_name },
    is_allowed: isAllowed,
  }
}

export const trackingDashboard: DashboardHandlers<'getTracking' | 'updateTracking' | 'getRecentClicks'> = {
  getTracking: show,
  updateTracking: async call => {
    await changeTracking(call.db, call.accountId, call.body)
    return show(call)
  },
  getRecentClicks: async ({ db, accountId }) => {
    const [clicks, sites] = await Promise.all([
      listRecentClicks(db, accountId),
      sitesOfAccount(db, accountId),
    ])
    const isAllowed = ({ landing_url: page }: RecentClickRow) => page === null || sites.includes(page)
    return { data: clicks.map(click => shown(click, isAllowed(click))) }
  },
}
