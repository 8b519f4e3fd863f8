import type { ExplainedAttribution } from '@tributary/contract/dashboard'
import type {
  JoinableCampaign,
  LinkOf,
  Me,
  PortalCommission,
  PortalPayout,
  PortalQuery,
  PortalReferral,
} from '@tributary/contract/portal'
import type { Db } from '../db/database.ts'
import { all, keyset, type Sql, sql, when } from '../db/sql.ts'
import { rowsAfter } from '../kit/page.ts'
import { ownCreditOutcome } from '../money/ledger/credit-outcome.ts'
import { isCredit, isOfCurrentAssignment } from '../money/ledger/entries.ts'
import { isInReview } from '../money/ledger/in-review.ts'
import { isOwn, isTheirs } from '../money/ledger/own-money.ts'
import { sentTo } from '../money/payouts/payout.store.ts'
import { currentRewards } from '../programme/campaigns/campaign.store.ts'
import { shownCampaign } from './listed-campaign.store.ts'

/** Scopes every statement here to one affiliate's own rows. */
export interface Own {
  accountId: number
  affiliateId: number
}

type CustomerRow<T> = Omit<T, 'customer'> & { customer_ref: string }

/** Without what others earned before the referral was reassigned. */
const earnedOf = ({ accountId, affiliateId }: Own): Sql => sql`coalesce((
  SELECT json_agg(json_build_object('currency', e.currency, 'status', e.status, 'amount_minor', e.amount_minor)
                  ORDER BY e.currency, e.status)
    FROM (SELECT c.payout_currency AS currency, c.status, sum(c.payout_amount_minor) AS amount_minor
            FROM commissions c
           WHERE c.account_id = ${accountId} AND c.referral_id = r.id AND c.affiliate_id = ${affiliateId} AND c.status <> 'void' AND ${isTheirs}
             AND NOT ${isCredit(accountId)} GROUP BY 1, 2) e), '[]')`

function referrals(
  db: Db,
  own: Own,
  condition: Sql,
  order: Sql,
  limit: number,
): Promise<CustomerRow<PortalReferral>[]> {
  return db.many(sql`
    SELECT r.id, g.name AS campaign_name, r.customer_ref, r.status, r.occurred_at, ${earnedOf(own)} AS earned
      FROM referrals r JOIN campaigns g ON g.account_id = ${own.accountId} AND g.id = r.campaign_id
     WHERE r.account_id = ${own.accountId} AND r.affiliate_id = ${own.affiliateId} AND NOT r.is_test AND ${condition}
     ORDER BY ${order} LIMIT ${limit}`)
}

export function listOwnReferrals(
  db: Db,
  own: Own,
  query: PortalQuery<'listReferrals'>,
): Promise<CustomerRow<PortalReferral>[]> {
  const { from, order } = keyset(sql`r.id`, query)
  return referrals(db, own, all(from), order, rowsAfter(query.limit))
}

export async function findOwnReferral(
  db: Db,
  own: Own,
  id: number,
): Promise<CustomerRow<PortalReferral> | undefined> {
  return (await referrals(db, own, sql`r.id = ${id}`, sql`r.id`, 1))[0]
}

export async function findOwnAttribution(
  db: Db,
  { accountId }: Own,
  referralId: number,
): Promise<ExplainedAttribution | undefined> {
  const row = await db.first<{ attribution: ExplainedAttribution }>(sql`
    SELECT v.attribution FROM conversions v WHERE v.account_id = ${accountId} AND v.referral_id = ${referralId}`)
  return row?.attribution
}

export type CommissionRow = Omit<PortalCommission, 'customer' | 'original'> & {
  customer_ref: string | null
  sale_amount_minor: number
  sale_currency: string
  is_of_sale: boolean
  outcome: string | null
}

function commissions(db: Db, own: Own, condition: Sql, order: Sql, limit: number): Promise<CommissionRow[]> {
  return db.many(sql`
    SELECT c.id, g.name AS campaign_name, CASE WHEN r.affiliate_id = ${own.affiliateId} THEN c.referral_id END AS referral_id, r.customer_ref, c.entry_type, c.status,
           c.payout_amount_minor AS amount_minor, c.payout_currency AS currency, c.amount_minor AS sale_amount_minor,
           c.currency AS sale_currency, c.sale_id IS NOT NULL OR c.clawback_of IS NOT NULL AS is_of_sale, c.hold_until,
           c.status IN ('pending', 'approved') AND ${isInReview(own.accountId)} AS in_review,
           c.status = 'approved' AND EXISTS (SELECT 1 FROM pinned_commissions p
             WHERE p.account_id = ${own.accountId} AND p.commission_id = c.id AND NOT p.released) AS in_payout,
           c.refund_id IS NULL AND NOT ${isOfCurrentAssignment(own.accountId)} AS is_reassigned, c.description,
           ${ownCreditOutcome(own.accountId)} AS outcome, c.created_at
      FROM commissions c
      JOIN campaigns g ON g.account_id = ${own.accountId} AND g.id = c.campaign_id
      LEFT JOIN referrals r ON r.account_id = ${own.accountId} AND r.id = c.referral_id
     WHERE c.account_id = ${own.accountId} AND c.affiliate_id = ${own.affiliateId} AND ${isOwn(own.accountId)}
       AND ${condition}
     ORDER BY ${order} LIMIT ${limit}`)
}

export function listOwnCommissions(
  db: Db,
  own: Own,
  query: PortalQuery<'listCommissions'>,
): Promise<CommissionRow[]> {
  const { from, order } = keyset(sql`c.id`, query)
  const filters = all(
    from,
    when(query.status, status => sql`c.status = ${status}`),
    when(query.campaign_id, id => sql`c.campaign_id = ${id}`),
  )
  return commissions(db, own, filters, order, rowsAfter(query.limit))
}

const SHOWN_OF_REFERRAL = 100

export const listCommissionsOfReferral = (db: Db, own: Own, referralId: number): Promise<CommissionRow[]> =>
  commissions(db, own, sql`c.referral_id = ${referralId}`, sql`c.id DESC`, SHOWN_OF_REFERRAL)

/** Whether an item `i` was paid and came back: its payment is balanced by an adjustment. */
const isReturned = sql`(i.status = 'paid' AND (
  SELECT sum(c.payout_amount_minor) = 0 FROM commissions c WHERE c.account_id = i.account_id AND c.payout_item_id = i.id))`

export function listOwnPayouts(
  db: Db,
  { accountId, affiliateId }: Own,
  query: PortalQuery<'listPayouts'>,
): Promise<PortalPayout[]> {
  const { from, order } = keyset(sql`i.id`, query)
  return db.many(sql`
    SELECT i.id, g.name AS campaign_name, i.amount_minor, i.currency, i.status, p.rail, ${sentTo} AS address,
           CASE WHEN i.status = 'failed' OR ${isReturned} THEN i.reason END AS reason, ${isReturned} AS is_returned,
           p.created_at, i.settled_at
      FROM payout_items i
      JOIN payouts p ON p.account_id = ${accountId} AND p.id = i.payout_id
      JOIN campaigns g ON g.account_id = ${accountId} AND g.id = p.campaign_id
     WHERE i.account_id = ${accountId} AND i.affiliate_id = ${affiliateId} AND ${all(from)}
     ORDER BY ${order} LIMIT ${rowsAfter(query.limit)}`)
}

export function findMe(
  db: Db,
  { accountId, affiliateId }: Own,
): Promise<Omit<Me, 'is_fresh' | 'view' | 'csrf_token'> | undefined> {
  return db.first(sql`
    SELECT a.id, a.email, a.name, a.status, a.paypal_email, a.created_at, account.time_zone,
           CASE WHEN EXISTS (SELECT 1 FROM digests d WHERE d.account_id = ${accountId} AND d.kind = 'affiliate' AND d.is_on) THEN a.wants_digest END AS digest,
           coalesce((
             SELECT json_agg(json_build_object('id', g.id, 'name', g.name) ORDER BY e.id)
               FROM enrolments e JOIN campaigns g ON g.account_id = ${accountId} AND g.id = e.campaign_id
              WHERE e.account_id = ${accountId} AND e.affiliate_id = a.id), '[]') AS campaigns
      FROM affiliates a JOIN accounts account ON account.id = a.account_id
     WHERE a.account_id = ${accountId} AND a.id = ${affiliateId}`)
}

export interface LinkRow extends Omit<LinkOf, 'link' | 'clicks' | 'conversions'> {
  campaign_slug: string
  token: string
  coupon_code: string | null
}

export function listOwnLinks(db: Db, { accountId, affiliateId }: Own): Promise<LinkRow[]> {
  return db.many(sql`
    SELECT c.id AS campaign_id, c.name AS campaign_name, c.slug AS campaign_slug, c.destination_url, c.attribution_window_days,
           c.forbids_paid_search, ${currentRewards} AS rewards, c.status = 'paused' AS is_paused, a.token, a.coupon_code
      FROM enrolments e
      JOIN affiliates a ON a.account_id = ${accountId} AND a.id = e.affiliate_id
      JOIN campaigns c ON c.account_id = ${accountId} AND c.id = e.campaign_id
     WHERE e.account_id = ${accountId} AND e.affiliate_id = ${affiliateId} AND c.status <> 'archived' ORDER BY e.id`)
}

/** Public campaigns, with whether they are open to join and whether the affiliate is enrolled. A paused one is listed for enrolled affiliates only. */
export function listJoinableCampaigns(db: Db, { accountId, affiliateId }: Own): Promise<JoinableCampaign[]> {
  return db.many(sql`
    SELECT ${shownCampaign(accountId)}, e.id IS NOT NULL AS is_joined, c.status = 'paused' AS is_paused
      FROM campaigns c
      LEFT JOIN enrolments e ON e.account_id = ${accountId} AND e.affiliate_id = ${affiliateId} AND e.campaign_id = c.id
     WHERE c.account_id = ${accountId} AND c.visibility = 'public'
       AND (c.status = 'active' OR c.status = 'paused' AND e.id IS NOT NULL) ORDER BY c.id`)
}
