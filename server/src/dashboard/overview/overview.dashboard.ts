import type { Overview } from '@tributary/contract/dashboard'
import { accountOverview } from '../../insight/account-overview.ts'
import { countWaiting } from '../../insight/needs-attention.ts'
import { oneAtATimeFor } from '../../kit/one-at-a-time.ts'
import type { DashboardHandlers } from '../call.ts'

/** The overview reads open days from the raw rows, so only one query per account runs at a time, whatever the number of viewers. */
const overviewsOf = oneAtATimeFor<Overview>()

export const overviewDashboard: DashboardHandlers<'getOverview'> = {
  getOverview: ({ db, accountId, query }) => {
    const { days = 30, campaign_id: campaignId } = query
    return overviewsOf(db).run(`${accountId} ${days} ${campaignId}`, async () => {
      const overview = await accountOverview(db, accountId, { days, campaignId })
      return { ...overview, waiting: await countWaiting(db, accountId) }
    })
  },
}
