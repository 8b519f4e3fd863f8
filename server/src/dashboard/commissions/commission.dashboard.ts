import { askedSource } from '../../insight/asked-source.ts'
import { idsOfPage, pageAfter } from '../../kit/page.ts'
import { adjustBalance } from '../../money/commissions/adjust-balance.ts'
import { listCommissionSummaries } from '../../money/commissions/commission-list.store.ts'
import { reviewCommissions } from '../../money/commissions/review-commissions.ts'
import type { DashboardHandlers } from '../call.ts'
import { withDays } from '../created-days.ts'
import { searchedIn } from '../search/searched.ts'
import { isPartial, lookForCommissions, lookUp } from './commission-search.store.ts'
import { csvCommissions } from './csv-commissions.ts'
import { showPath } from './show-path.ts'

/** What the affiliate reads on the clawback; the reason stays in the audit log unless it is shared. */
const sharedReason = ({ reason, share_reason }: { reason?: string; share_reason?: boolean }) =>
  share_reason ? reason : undefined

export const commissionDashboard: DashboardHandlers<
  'listCommissions' | 'exportCommissions' | 'getCommission' | 'reviewCommissions' | 'adjustBalance'
> = {
  listCommissions: async call => {
    const { db, accountId, query } = call
    const asked = await withDays(db, accountId, query)
    const searched = await searchedIn(call, accountId, query.q)
    const found = searched && (await lookUp(db, accountId, searched))
    const source = askedSource(query)
    const page =
      source && idsOfPage(await lookForCommissions(db, accountId, asked, source, found), query.limit)
    const rows = await listCommissionSummaries(db, accountId, asked, found, page?.ids)
    return {
      ...pageAfter(rows, query.limit),
      ...(page && { next: page.next }),
      is_partial: found !== undefined && isPartial(found),
    }
  },
  exportCommissions: async call => {
    const { db, files, accountId, query } = call
    const asked = await withDays(db, accountId, query)
    const searched = await searchedIn(call, accountId, query.q)
    return { name: 'commissions.csv', pages: csvCommissions(files, accountId, asked, searched) }
  },
  getCommission: ({ db, accountId, id }) => showPath(db, accountId, id),
  reviewCommissions: ({ db, accountId, body }) =>
    db.transaction(tx => reviewCommissions(tx, accountId, body.ids, body.status, sharedReason(body))),
  adjustBalance: ({ db, accountId, body }) =>
    adjustBalance(db, accountId, {
      affiliateId: body.affiliate_id,
      campaignId: body.campaign_id,
      amountMinor: body.amount_minor,
      description: body.description,
      requestId: body.request_id,
    }),
}
