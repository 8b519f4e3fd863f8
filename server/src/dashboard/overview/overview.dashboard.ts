import type { Overview } from '@tributary/contract/dashboard'
import type { Db } from '../../db/database.ts'
import { accountOverview } from '../../earning/overview/account-overview.ts'
import { OneAtATime } from '../../kit/one-at-a-time.ts'
import type { DashboardHandlers } from '../call.ts'

/** A survey reads everything of its period: however many people look, one runs at a time. */
const surveys = new WeakMap<Db, OneAtATime<Overview>>()

function surveysOf(db: Db): OneAtATime<Overview> {
  const known = surveys.get(db) ?? new OneAtATime<Overview>()
  surveys.set(db, known)
  return known
}

export const overviewDashboard: DashboardHandlers<'getOverview'> = {
  getOverview: ({ db, accountId, query }) => {
    const { days = 30, campaign_id: campaignId } = query
    return surveysOf(db).ask(`${accountId} ${days} ${campaignId}`, () =>
      accountOverview(db, accountId, { days, campaignId }),
    )
  },
}
