import type { DashboardBody, ReferralDetail } from '@tributary/contract/dashboard'
import { emailsKnownWith } from '../../connectors/known-emails.ts'
import type { Db } from '../../db/database.ts'
import { explainWithNames } from '../../earning/conversions/explain-with-names.ts'
import { reassignReferral } from '../../earning/conversions/reassign-referral.ts'
import { findReferral, findRejection } from '../../earning/referrals/referral.store.ts'
import { reviewReferral } from '../../earning/referrals/review-referral.ts'
import { reportRefund } from '../../earning/refunds/report-refund.ts'
import { reportSale } from '../../earning/sales/report-sale.ts'
import { findSaleOfReferral } from '../../earning/sales/sale.store.ts'
import { referralsOfEmail } from '../../earning/tracking/record-lead.ts'
import { askedSource } from '../../insight/asked-source.ts'
import { decideEach } from '../../kit/bulk.ts'
import { notFound } from '../../kit/domain-error.ts'
import { idsOfPage, pageAfter } from '../../kit/page.ts'
import type { DashboardCall, DashboardHandlers } from '../call.ts'
import { withDays } from '../created-days.ts'
import { csvReferrals } from './csv-referrals.ts'
import {
  countToReview,
  findReferralSummary,
  listReferralSummaries,
  listRefundsOfSales,
  listSalesOfReferral,
  listSubscriptionsOfCustomer,
  lookForReferrals,
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
    subscriptions: await listSubscriptionsOfCustomer(db, accountId, referral.customer_ref),
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

/** The referrals that belong to the searched customer's email. */
const ofCustomerEmail = (
  call: Pick<DashboardCall<'exportReferrals'>, 'db' | 'secrets' | 'accountId' | 'query'>,
) => referralsOfEmail(call, call.accountId, call.query.customer_ref?.trim() ?? '')

export const referralDashboard: DashboardHandlers<
  | 'listReferrals'
  | 'exportReferrals'
  | 'getReferral'
  | 'reviewReferrals'
  | 'reassignReferral'
  | 'recordSale'
  | 'recordRefund'
> = {
  listReferrals: async call => {
    const { db, accountId, query } = call
    const asked = await withDays(db, accountId, query)
    const ofEmail = await ofCustomerEmail(call)
    const source = askedSource(query)
    const page =
      source && idsOfPage(await lookForReferrals(db, accountId, asked, source, ofEmail), query.limit)
    const rows = await listReferralSummaries(db, accountId, asked, ofEmail, page?.ids)
    return {
      ...pageAfter(rows, query.limit),
      ...(page && { next: page.next }),
      needs_review: await countToReview(db, accountId),
    }
  },
  exportReferrals: async call => {
    const { db, files, accountId, query } = call
    const asked = await withDays(db, accountId, query)
    return {
      name: 'referrals.csv',
      pages: csvReferrals(files, accountId, asked, await ofCustomerEmail(call)),
    }
  },
  getReferral: ({ db, accountId, id }) => showReferral(db, accountId, id),
  reviewReferrals: ({ db, accountId, body }) =>
    decideEach(body.ids, id => reviewReferral(db, accountId, id, body.status, rejectionOf(body))),

  reassignReferral: async ({ db, secrets, accountId, id, body, note }) => {
    const request = { ...body, referral_id: id }
    const known = emailsKnownWith(secrets.key('lead email'))
    const { before, ...effect } = await reassignReferral(db, accountId, request, known)
    const { affiliate_id, campaign_id } = before
    note({
      before: {
        ...(affiliate_id !== body.affiliate_id && { affiliate_id }),
        ...(campaign_id !== body.campaign_id && { campaign_id }),
      },
    })
    return effect
  },

  // The use cases of the ingest API, so that a manual correction has exactly the effects of a report.
  recordSale: async ({ db, accountId, id, body }) => {
    const referral = await findReferral(db, accountId, id)
    if (!referral) throw notFound('referral')
    const { customer_ref, campaign_id } = referral
    const { created, result } = await reportSale(db, accountId, { ...body, customer_ref, campaign_id })
    return { created, commissions: result.commissions.length, waiting_for: result.waiting_for }
  },
  recordRefund: async ({ db, accountId, id, body: { sale_id, ...refund }, note }) => {
    const sale = await findSaleOfReferral(db, accountId, id, sale_id)
    if (!sale) throw notFound('sale')
    const { created, result } = await reportRefund(db, accountId, {
      ...refund,
      sale_external_id: sale.external_id,
    })
    note({ currency: sale.currency })
    return { created, commissions: result.commissions.length }
  },
}
