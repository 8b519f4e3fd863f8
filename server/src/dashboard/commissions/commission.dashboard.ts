import { pageAfter } from '../../kit/page.ts'
import { adjustBalance } from '../../money/commissions/adjust-balance.ts'
import { listCommissionSummaries } from '../../money/commissions/commission-list.store.ts'
import { reviewCommissions } from '../../money/commissions/review-commissions.ts'
import type { DashboardHandlers } from '../call.ts'
import { withDays } from '../created-days.ts'
import { csvCommissions } from './csv-commissions.ts'
import { showPath } from './show-path.ts'

/** What the affiliate reads on the clawback; the reason stays in the audit log unless it is shared. */
const voidDescription = ({ reason, share_reason }: { reason?: string; share_reason?: boolean }) =>
  reason && share_reason ? `Commission voided: ${reason}` : undefined

export const commissionDashboard: DashboardHandlers<
  'listCommissions' | 'exportCommissions' | 'getCommission' | 'reviewCommissions' | 'adjustBalance'
> = {
  listCommissions: async ({ db, accountId, query }) =>
    pageAfter(
      await listCommissionSummaries(db, accountId, await withDays(db, accountId, query)),
      query.limit,
    ),
  exportCommissions: async ({ db, files, accountId, query }) => ({
    name: 'commissions.csv',
    pages: csvCommissions(files, accountId, await withDays(db, accountId, query)),
  }),
  getCommission: ({ db, accountId, id }) => showPath(db, accountId, id),
  reviewCommissions: ({ db, accountId, body }) =>
    db.transaction(tx => reviewCommissions(tx, accountId, body.ids, body.status, voidDescription(body))),
  adjustBalance: ({ db, accountId, body }) =>
    adjustBalance(db, accountId, {
      affiliateId: body.affiliate_id,
      campaignId: body.campaign_id,
      amountMinor: body.amount_minor,
      description: body.description,
    }),
}
