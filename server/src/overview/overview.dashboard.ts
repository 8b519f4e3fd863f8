import type { DashboardHandlers } from '../kit/dashboard-endpoint.ts'
import { surveyAccount } from './survey-account.ts'

export const overviewDashboard: DashboardHandlers<'getOverview'> = {
  getOverview: ({ db, accountId, query }) =>
    surveyAccount(db, accountId, { days: query.days ?? 30, campaignId: query.campaign_id }),
}
