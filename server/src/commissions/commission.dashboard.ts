import type { DashboardHandlers } from '../kit/dashboard-endpoint.ts'
import { pageAfter } from '../kit/page.ts'
import { adjustBalance } from './adjust-balance.ts'
import { listCommissionSummaries } from './commission-list.store.ts'
import { csvCommissions } from './csv-commissions.ts'
import { reviewCommissions } from './review-commissions.ts'
import { showPath } from './show-path.ts'

export const commissionDashboard: DashboardHandlers<
  'listCommissions' | 'exportCommissions' | 'getCommission' | 'reviewCommissions' | 'adjustBalance'
> = {
  listCommissions: async ({ db, accountId, query }) =>
    pageAfter(await listCommissionSummaries(db, accountId, query), query.limit),
  exportCommissions: async ({ files, accountId, query }) => ({
    name: 'commissions.csv',
    pages: csvCommissions(files, accountId, query),
  }),
  getCommission: ({ db, accountId, id }) => showPath(db, accountId, id),
  reviewCommissions: ({ db, accountId, body }) =>
    db.transaction(tx => reviewCommissions(tx, accountId, body.ids, body.status)),
  adjustBalance: ({ db, accountId, body }) =>
    adjustBalance(db, accountId, {
      affiliateId: body.affiliate_id,
      campaignId: body.campaign_id,
      amountMinor: body.amount_minor,
      description: body.description,
    }),
}
