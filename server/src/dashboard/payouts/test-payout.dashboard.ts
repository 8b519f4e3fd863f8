import { notFound } from '../../kit/domain-error.ts'
import { createTestPayout } from '../../money/test-payouts/create-test-payout.ts'
import {
  findTestPayable,
  listRecentTestPayouts,
  listTestPayouts,
} from '../../money/test-payouts/test-payout.store.ts'
import { campaignTerms } from '../../programme/campaigns/campaign-terms.ts'
import type { DashboardHandlers } from '../call.ts'

export const testPayoutDashboard: DashboardHandlers<
  'listTestPayouts' | 'listRecentTestPayouts' | 'createTestPayout'
> = {
  listRecentTestPayouts: async ({ db, accountId, query }) => ({
    data: await listRecentTestPayouts(db, accountId, query),
  }),
  listTestPayouts: async ({ db, accountId, query: { campaign_id: campaignId } }) => {
    const terms = await campaignTerms(db, accountId, campaignId)
    if (!terms) throw notFound('campaign')
    const [open, data] = await Promise.all([
      findTestPayable(db, accountId, campaignId),
      listTestPayouts(db, accountId, campaignId),
    ])
    const { payout_currency: currency, hold_days, minimum_payout_minor } = terms.campaign
    return { currency, hold_days, minimum_payout_minor, open, data }
  },
  createTestPayout: ({ db, accountId, body }) => createTestPayout(db, accountId, body.campaign_id),
}
