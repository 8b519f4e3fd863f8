import { explore } from '../../insight/explore.ts'
import type { DashboardHandlers } from '../call.ts'

export const exploreDashboard: DashboardHandlers<'explore'> = {
  explore: ({ db, accountId, query }) => {
    const { campaign_id: campaignId, affiliate_id: affiliateId, ...question } = query
    return explore(db, accountId, { ...question, campaignId, affiliateId })
  },
}
