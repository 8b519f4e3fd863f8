import type { OverviewPeriod } from '@tributary/contract/dashboard'
import type { Db } from '../../db/database.ts'
import { type CampaignCount, countClicksByCampaign, countConversionsByCampaign } from './link-counts.store.ts'
import { findPeriod } from './period.store.ts'

const byCampaign = (rows: CampaignCount[]) => new Map(rows.map(row => [row.campaign_id, row.count]))

/** How an affiliate's link of each campaign did over the last days: the parts of what the overview shows for all of them. */
export async function linkCounts(db: Db, accountId: number, affiliateId: number, days: OverviewPeriod) {
  const scope = { accountId, affiliateId, period: await findPeriod(db, accountId, days) }
  const clicks = byCampaign(await countClicksByCampaign(db, scope))
  const conversions = byCampaign(await countConversionsByCampaign(db, scope))
  return (campaignId: number) => ({
    clicks: clicks.get(campaignId) ?? 0,
    conversions: conversions.get(campaignId) ?? 0,
  })
}
