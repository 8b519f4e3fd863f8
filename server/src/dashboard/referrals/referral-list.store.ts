import type {
  DashboardQuery,
  ReferralRefund,
  ReferralSale,
  ReferralSubscription,
  ReferralSummary,
} from '@tributary/contract/dashboard'
import type { Db, Tx } from '../../db/database.ts'
import { all, inRange, keyset, type Sql, sql, when } from '../../db/sql.ts'
import { emailOfCustomer } from '../../earning/customers/customer-email.store.ts'
import { countsAsConversion } from '../../earning/referrals/counts-as-conversion.store.ts'
import { findsCustomer } from '../../earning/referrals/matches-customer.store.ts'
import { askedSource } from '../../insight/asked-source.ts'
import { isOfSource, type Source } from '../../insight/referral-source.store.ts'
import { rowsAfter } from '../../kit/page.ts'
import { isTheirs } from '../../money/ledger/own-money.ts'
import { type LookedThrough, lookedThrough, MOST_LOOKED_AT } from '../look-through.store.ts'

type Filters = DashboardQuery<'exportReferrals'>

/** `ofEmail` are the referrals that a complete email in `customer_ref` belongs to. */
const matching = (accountId: number, query: Filters, ofEmail: number[]): Sql =>
  all(
    ...inRange(sql`r.id`, query.is_counted ? sql`r.occurred_at` : sql`r.created_at`, query),
    when(query.is_counted, () => countsAsConversion),
    when(query.campaign_id, id => sql`r.campaign_id = ${id}`),
    when(query.affiliate_id, id => sql`r.affiliate_id = ${id}`),
    when(query.status, status => sql`r.status = ${status}`),
    when(
      query.customer_ref,
      text =>
        sql`(${findsCustomer(accountId, sql`r.customer_ref`, text)} OR r.id = ANY (${ofEmail}::bigint[]))`,
    ),
    when(query.is_test, isTest => sql`r.is_test = ${isTest}`),
  )

/**
 * Referrals with all columns of the dashboard's list. The rows are selected first; their totals are then aggregated for all of them
 * together.
 */
function summaries(
  db: Db,
  accountId: number,
  condition: Sql,
  order: Sql,
  limit: number,
): Promise<ReferralSummary[]> {
  return db.many(sql`
    WITH page AS (
      SELECT r.id, r.campaign_id, r.affiliate_id, r.customer_ref, r.subscription_ref, r.status, r.is_test, r.occurred_at, r.created_at
        FROM referrals r WHERE r.account_id = ${accountId} AND ${condition} ORDER BY ${order} LIMIT ${limit}
    ), revenue AS (
      SELECT s.referral_id, s.currency, sum(s.amount_minor - coalesce((
               SELECT sum(f.amount_minor) FROM refunds f WHERE f.account_id = ${accountId} AND f.sale_id = s.id
                  AND f.reversed_at IS NULL), 0)) AS amount_minor
        FROM sales s WHERE s.account_id = ${accountId} AND s.referral_id IN (SELECT page.id FROM page) GROUP BY 1, 2
    ), earned AS (
      SELECT c.referral_id, c.status, c.payout_currency AS currency, sum(c.payout_amount_minor) AS amount_minor
        FROM commissions c
       WHERE c.account_id = ${accountId} AND c.referral_id IN (SELECT page.id FROM page) AND ${isTheirs}
         AND c.status <> 'void' GROUP BY 1, 2, 3
    )
    SELECT r.id, r.campaign_id, r.affiliate_id, r.customer_ref, r.subscription_ref, r.status, r.is_test, r.occurred_at, r.created_at,
           ${emailOfCustomer(accountId, sql`r.customer_ref`)} AS customer_email, a.name AS affiliate_name, a.email AS affiliate_email, g.name AS campaign_name,
           coalesce(v.attribution -> 'review', '[]') AS flags,
           coalesce((SELECT json_agg(json_build_object('currency', x.currency, 'amount_minor', x.amount_minor) ORDER BY x.currency)
                       FROM revenue x WHERE x.referral_id = r.id), '[]') AS revenue,
           coalesce((SELECT json_agg(json_build_object('status', x.status, 'currency', x.currency, 'amount_minor', x.amount_minor)
                                     ORDER BY x.status, x.currency)
                       FROM earned x WHERE x.referral_id = r.id), '[]') AS commissions
      FROM page r
      JOIN affiliates a ON a.account_id = ${accountId} AND a.id = r.affiliate_id
      JOIN campaigns g ON g.account_id = ${accountId} AND g.id = r.campaign_id
      LEFT JOIN conversions v ON v.account_id = ${accountId} AND v.referral_id = r.id
     ORDER BY ${order}`)
}

/** The referrals of a source for a page of the list. */
export function lookForReferrals(
  db: Db,
  accountId: number,
  query: DashboardQuery<'listReferrals'>,
  source: Source,
  ofEmail: number[] = [],
): Promise<LookedThrough | undefined> {
  const { from, order } = keyset(sql`r.id`, query)
  return db.first(sql`
    WITH looked_at AS MATERIALIZED (
      SELECT r.id, r.campaign_id, r.affiliate_id FROM referrals r
       WHERE r.account_id = ${accountId} AND ${all(from, matching(accountId, query, ofEmail))} ORDER BY ${order} LIMIT ${MOST_LOOKED_AT}
    ), wanted AS (
      SELECT r.id FROM looked_at r WHERE ${isOfSource(accountId, source, sql`r`, sql`r.id`)} ORDER BY ${order} LIMIT ${rowsAfter(query.limit)}
    )
    SELECT ${lookedThrough()}`)
}

/** A page of the list; only of `ids` if those have been looked for. */
export function listReferralSummaries(
  db: Db,
  accountId: number,
  query: DashboardQuery<'listReferrals'>,
  ofEmail: number[] = [],
  ids?: number[],
): Promise<ReferralSummary[]> {
  const { from, order } = keyset(sql`r.id`, query)
  const isListed = ids ? sql`r.id = ANY (${ids}::bigint[])` : matching(accountId, query, ofEmail)
  return summaries(db, accountId, all(from, isListed), order, rowsAfter(query.limit))
}

export async function findReferralSummary(
  db: Db,
  accountId: number,
  id: number,
): Promise<ReferralSummary | undefined> {
  const [referral] = await summaries(db, accountId, sql`r.id = ${id}`, sql`r.id`, 1)
  return referral
}

const COUNTED_ROWS = 1000

/** How many are in review. Capped: beyond what a person can review, the exact number is not worth the cost of counting. */
export async function countToReview(db: Db, accountId: number): Promise<number> {
  const row = await db.first<{ count: number }>(sql`
    SELECT count(*)::integer AS count FROM (
      SELECT 1 FROM referrals r WHERE r.account_id = ${accountId} AND r.status = 'pending_review' LIMIT ${COUNTED_ROWS}) waiting`)
  return row?.count ?? 0
}

export interface ReferralLine extends Omit<ReferralSummary, 'commissions'> {}

/** All referrals that match the filters, newest first. */
export const streamReferrals = (
  tx: Tx,
  accountId: number,
  query: Filters,
  ofEmail: number[] = [],
): AsyncGenerator<ReferralLine[]> =>
  tx.stream(sql`
    SELECT r.id, r.campaign_id, r.affiliate_id, r.customer_ref, r.subscription_ref, r.status, r.is_test, r.occurred_at, r.created_at,
           ${emailOfCustomer(accountId, sql`r.customer_ref`)} AS customer_email, a.name AS affiliate_name, a.email AS affiliate_email, g.name AS campaign_name,
           coalesce(v.attribution -> 'review', '[]') AS flags,
           coalesce((SELECT json_agg(json_build_object('currency', x.currency, 'amount_minor', x.amount_minor) ORDER BY x.currency)
                       FROM (SELECT s.currency, sum(s.amount_minor - coalesce((
                                      SELECT sum(f.amount_minor) FROM refunds f
                                       WHERE f.account_id = ${accountId} AND f.sale_id = s.id AND f.reversed_at IS NULL), 0)) AS amount_minor
                               FROM sales s WHERE s.account_id = ${accountId} AND s.referral_id = r.id GROUP BY s.currency) x), '[]') AS revenue
      FROM referrals r
      JOIN affiliates a ON a.account_id = ${accountId} AND a.id = r.affiliate_id
      JOIN campaigns g ON g.account_id = ${accountId} AND g.id = r.campaign_id
      LEFT JOIN conversions v ON v.account_id = ${accountId} AND v.referral_id = r.id
     WHERE r.account_id = ${accountId} AND ${all(
       matching(accountId, query, ofEmail),
       when(askedSource(query), source => isOfSource(accountId, source, sql`r`, sql`r.id`)),
     )} ORDER BY r.id DESC`)

/** The newest sales of a referral. */
export function listSalesOfReferral(
  db: Db,
  accountId: number,
  referralId: number,
  limit: number,
): Promise<ReferralSale[]> {
  return db.many(sql`
    SELECT s.id, s.external_id, s.amount_minor, s.currency, s.occurred_at, s.awaits_rate, s.unearned_reason FROM sales s
     WHERE s.account_id = ${accountId} AND s.referral_id = ${referralId} ORDER BY s.occurred_at DESC, s.id DESC LIMIT ${limit}`)
}

const SHOWN_REFUNDS = 200

/** The refunds of these sales, oldest first; without those that did not happen after all. */
export function listRefundsOfSales(db: Db, accountId: number, saleIds: number[]): Promise<ReferralRefund[]> {
  return db.many(sql`
    SELECT f.id, f.sale_id, f.external_id, f.amount_minor, f.occurred_at FROM refunds f
     WHERE f.account_id = ${accountId} AND f.sale_id = ANY (${saleIds}::bigint[]) AND f.reversed_at IS NULL
     ORDER BY f.id LIMIT ${SHOWN_REFUNDS}`)
}

const SHOWN_SUBSCRIPTIONS = 20

/** The newest subscriptions of a customer, whichever billing system reported them. */
export function listSubscriptionsOfCustomer(
  db: Db,
  accountId: number,
  customer: string,
): Promise<ReferralSubscription[]> {
  return db.many(sql`
    SELECT u.subscription AS id, n.provider, u.status, u.occurred_at AS updated_at FROM connector_subscriptions u
      JOIN connectors n ON n.account_id = ${accountId} AND n.id = u.connector_id
     WHERE u.account_id = ${accountId} AND u.customer = ${customer}
     ORDER BY u.occurred_at DESC, u.subscription LIMIT ${SHOWN_SUBSCRIPTIONS}`)
}
