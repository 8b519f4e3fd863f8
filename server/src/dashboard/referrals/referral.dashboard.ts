import type { DashboardBody, ReferralDetail } from '@tributary/contract/dashboard'
import type { Db } from '../../db/database.ts'
import { explainWithNames } from '../../earning/conversions/explain-with-names.ts'
import { findReferral, findRejection } from '../../earning/referrals/referral.store.ts'
import { reviewReferral } from '../../earning/referrals/review-referral.ts'
import { reportRefund } from '../../earning/refunds/report-refund.ts'
import { reportSale } from '../../earning/sales/report-sale.ts'
import { externalIdOf } from '../../earning/sales/sale.store.ts'
import { decideEach } from '../../kit/bulk.ts'
import { notFound } from '../../kit/domain-error.ts'
import { pageAfter } from '../../kit/page.ts'
import type { DashboardHandlers } from '../call.ts'
import { withDays } from '../created-days.ts'
import { csvReferrals } from './csv-referrals.ts'
import {
  countToReview,
  findReferralSummary,
  listReferralSummaries,
  listRefundsOfSales,
  listSalesOfReferral,
} from './referral-list.store.ts'

const SHOWN_SALES = 50

/** The referral page: why this affiliate was credited, and the resulting sales and commissions. */
async function showReferral(db: Db, accountId: number, id: number): Promise<ReferralDetail> {
  const referral = await findReferralSummary(db, accountId, id)
  if (!referral) throw notFound('referral')
  const found = await listSalesOfReferral(db, accountId, id, SHOWN_SALES + 1)
  const sales = found.slice(0, SHOWN_SALES)
  return {
    ...referral,
    ...(await explainWithNames(db, accountId, id)),
    sales,
    rejection: await findRejection(db, accountId, id),
    more_sales: found.length > sales.length,
    refunds: await listRefundsOfSales(
      db,
      accountId,
      sales.map(sale => sale.id),
    ),
  }
}

const rejectionOf = ({ status, reason, share_reason }: DashboardBody<'reviewReferrals'>) =>
  status === 'rejected' && reason ? { reason, isShared: share_reason ?? false } : undefined

export const referralDashboard: DashboardHandlers<
  'listReferrals' | 'exportReferrals' | 'getReferral' | 'reviewReferrals' | 'recordSale' | 'recordRefund'
> = {
  listReferrals: async ({ db, accountId, query }) => ({
    ...pageAfter(
      await listReferralSummaries(db, accountId, await withDays(db, accountId, query)),
      query.limit,
    ),
    needs_review: await countToReview(db, accountId),
  }),
  exportReferrals: async ({ db, files, accountId, query }) => ({
    name: 'referrals.csv',
    pages: csvReferrals(files, accountId, await withDays(db, accountId, query)),
  }),
  getReferral: ({ db, accountId, id }) => showReferral(db, accountId, id),
  reviewReferrals: ({ db, accountId, body }) =>
    decideEach(body.ids, id => reviewReferral(db, accountId, id, body.status, rejectionOf(body))),

  // The use cases of the ingest API, so that a manual correction has exactly the effects of a report.
  recordSale: async ({ db, accountId, id, body }) => {
    const referral = await findReferral(db, accountId, id)
    if (!referral) throw notFound('referral')
    const { customer_ref, campaign_id } = referral
    const { created, result } = await reportSale(db, accountId, { ...body, customer_ref, campaign_id })
    return { created, commissions: result.commissions.length, waiting_for: result.waiting_for }
  },
  recordRefund: async ({ db, accountId, id, body: { sale_id, ...refund } }) => {
    const sale_external_id = await externalIdOf(db, accountId, id, sale_id)
    if (sale_external_id === undefined) throw notFound('sale')
    const { created, result } = await reportRefund(db, accountId, { ...refund, sale_external_id })
    return { created, commissions: result.commissions.length }
  },
}
