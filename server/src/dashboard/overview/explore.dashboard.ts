import type { DashboardQuery } from '@tributary/contract/dashboard'
import { breakDown, explore, type Question } from '../../insight/explore.ts'
import type { DashboardHandlers } from '../call.ts'
import { csvExploration } from './csv-exploration.ts'

const asked = ({
  campaign_id: campaignId,
  affiliate_id: affiliateId,
  ...question
}: DashboardQuery<'explore'>): Question => ({ ...question, campaignId, affiliateId })

export const exploreDashboard: DashboardHandlers<'explore' | 'exportExploration'> = {
  explore: ({ db, accountId, query }) => explore(db, accountId, asked(query)),
  exportExploration: async ({ files, accountId, query }) => ({
    name: 'performance.csv',
    // Summed before the first line, so that a range that is none is refused.
    pages: csvExploration(files, accountId, await breakDown(files, accountId, asked(query))),
  }),
}
