import type { ReferralDetail } from '@tributary/contract/dashboard'
import type { Db } from '../../db/database.ts'
import { explainWithNames } from '../../earning/conversions/explain-with-names.ts'
import { reviewReferral } from '../../earning/referrals/review-referral.ts'
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
    more_sales: found.length > sales.length,
    refunds: await listRefundsOfSales(
      db,
      accountId,
      sales.map(sale => sale.id),
    ),
  }
}

export const referralDashboard: DashboardHandlers<
  'listReferrals' | 'exportReferrals' | 'getReferral' | 'reviewReferrals'
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
    decideEach(body.ids, id => reviewReferral(db, accountId, id, body.status)),
}
