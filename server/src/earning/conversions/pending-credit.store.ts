import type { ExplainedAttribution } from '@tributary/contract/dashboard'
import type { Db, Tx } from '../../db/database.ts'
import { all, type Sql, sql, when } from '../../db/sql.ts'

export interface PendingCredit {
  affiliateId: number
  /** The index of its candidate in the explanation. */
  place: number
  review: string[]
}

/** Stores the pending affiliates of an unattributed conversion, in place of an earlier report's. */
export function savePendingCredits(
  tx: Tx,
  accountId: number,
  conversion: {
    id: number
    attribution: ExplainedAttribution
    subscriptionRef: string | null
    isTest: boolean
    creditUntil: string
  },
  credits: PendingCredit[],
): void {
  for (const { affiliateId, place, review } of credits)
    tx.send(sql`
      INSERT INTO pending_credits (account_id, affiliate_id, conversion_id, attribution, place, subscription_ref, is_test, review, credit_until)
      VALUES (${accountId}, ${affiliateId}, ${conversion.id}, ${JSON.stringify(conversion.attribution)}::jsonb, ${place},
              ${conversion.subscriptionRef}, ${conversion.isTest}, ${review}, ${conversion.creditUntil})
      ON CONFLICT (account_id, affiliate_id, conversion_id) DO UPDATE
        SET attribution = excluded.attribution, place = excluded.place, subscription_ref = excluded.subscription_ref,
            is_test = excluded.is_test, review = excluded.review, credit_until = excluded.credit_until`)
}

export interface NotedRow {
  conversion_id: number
  affiliate_id: number
  review: string[]
  email: string
  paypal_email: string | null
}

/** The pending affiliates who may be credited for the customer's conversions. The caller has locked the customer. */
export function findNotedOf(tx: Tx, accountId: number, customerRef: string): Promise<NotedRow[]> {
  return tx.many(sql`
    SELECT p.conversion_id, p.affiliate_id, p.review, a.email, a.paypal_email
      FROM conversions v
      JOIN pending_credits p ON p.account_id = ${accountId} AND p.conversion_id = v.id
      JOIN affiliates a ON a.account_id = ${accountId} AND a.id = p.affiliate_id
     WHERE v.account_id = ${accountId} AND v.customer_ref = ${customerRef} AND v.referral_id IS NULL LIMIT 100`)
}

/** Replaces why a referral would need a review if this affiliate were credited. */
export async function replaceReview(
  tx: Tx,
  accountId: number,
  { conversion_id, affiliate_id, review }: Pick<NotedRow, 'conversion_id' | 'affiliate_id' | 'review'>,
): Promise<void> {
  await tx.many(sql`
    UPDATE pending_credits p SET review = ${review}
     WHERE p.account_id = ${accountId} AND p.conversion_id = ${conversion_id} AND p.affiliate_id = ${affiliate_id}`)
}

export interface LookBack {
  account_id: number
  affiliate_id: number
  /** As text, to the microsecond, to distinguish two approvals of one affiliate. */
  approved_at: string
}

/** Approved affiliates with conversions to credit, oldest approval first. */
export function findLookBacks(db: Db, limit: number): Promise<LookBack[]> {
  return db.many(sql`
    /* every account */
    SELECT b.account_id, b.affiliate_id, b.approved_at::text AS approved_at FROM look_backs b ORDER BY b.approved_at LIMIT ${limit}`)
}

/** The next conversions that this affiliate may be credited for. */
export function findWaitingConversions(
  db: Db,
  { account_id, affiliate_id }: LookBack,
  after: number,
  limit: number,
): Promise<{ id: number; customer_ref: string }[]> {
  return db.many(sql`
    SELECT v.id, v.customer_ref FROM pending_credits p
      JOIN conversions v ON v.account_id = ${account_id} AND v.id = p.conversion_id
     WHERE p.account_id = ${account_id} AND p.affiliate_id = ${affiliate_id} AND p.conversion_id > ${after}
     ORDER BY p.conversion_id LIMIT ${limit}`)
}

export interface CreditableRow {
  affiliate_id: number
  email: string
  paypal_email: string | null
  review_referrals: boolean
  attribution: ExplainedAttribution
  place: number
  subscription_ref: string | null
  is_test: boolean
  review: string[]
  approved_at: string
  /** Whether the approval was within the window. */
  is_in_time: boolean
  campaign_id: number
  customer_ref: string
  occurred_at: string
  sale_id: number | null
}

/**
 * The affiliate to credit for an unattributed conversion: of those approved since, the one whose candidate comes first. Share-locked
 * until the transaction ends, so that a concurrent rejection waits. The caller has locked the customer.
 */
export function findCreditable(
  tx: Tx,
  accountId: number,
  conversionId: number,
): Promise<CreditableRow | undefined> {
  return tx.first(sql`
    SELECT p.affiliate_id, a.email, a.paypal_email, a.review_referrals, p.attribution, p.place, p.subscription_ref, p.is_test, p.review,
           b.approved_at::timestamptz(3) AS approved_at, b.approved_at <= p.credit_until AS is_in_time,
           v.campaign_id, v.customer_ref, v.occurred_at, v.sale_id
      FROM pending_credits p
      JOIN conversions v ON v.account_id = ${accountId} AND v.id = p.conversion_id AND v.referral_id IS NULL
      JOIN look_backs b ON b.account_id = ${accountId} AND b.affiliate_id = p.affiliate_id
      JOIN affiliates a ON a.account_id = ${accountId} AND a.id = p.affiliate_id
     WHERE p.account_id = ${accountId} AND p.conversion_id = ${conversionId} AND a.status = 'approved'
     ORDER BY p.place, p.affiliate_id LIMIT 1 FOR SHARE OF a`)
}

/** Deletes a conversion's pending credits: all of them, or one affiliate's. */
export function deletePendingCredits(
  tx: Tx,
  accountId: number,
  conversionId: number,
  affiliateId: number | null = null,
): void {
  tx.send(sql`
    DELETE FROM pending_credits p WHERE p.account_id = ${accountId} AND p.conversion_id = ${conversionId}
       AND p.affiliate_id = coalesce(${affiliateId}, p.affiliate_id)`)
}

/** Deletes a conversion's pending credits if it has been credited. */
export function deleteIfCredited(tx: Tx, accountId: number, conversionId: number): void {
  tx.send(sql`
    DELETE FROM pending_credits p USING conversions v
     WHERE p.account_id = ${accountId} AND p.conversion_id = ${conversionId}
       AND v.account_id = ${accountId} AND v.id = ${conversionId} AND v.referral_id IS NOT NULL`)
}

/** Deletes a look-back that has nothing left to do. One restarted by a later approval is kept. */
export async function deleteLookBack(
  db: Db,
  { account_id, affiliate_id, approved_at }: LookBack,
): Promise<void> {
  await db.many(sql`
    DELETE FROM look_backs b
     WHERE b.account_id = ${account_id} AND b.affiliate_id = ${affiliate_id} AND b.approved_at = ${approved_at}::timestamptz
       AND (NOT EXISTS (SELECT 1 FROM pending_credits p WHERE p.account_id = ${account_id} AND p.affiliate_id = ${affiliate_id})
         OR NOT EXISTS (SELECT 1 FROM affiliates a
                         WHERE a.account_id = ${account_id} AND a.id = ${affiliate_id} AND a.status = 'approved'))`)
}

/** A condition on a sale `s`: its report named another campaign, or it was reported with a conversion of another one. */
const isOfOtherCampaign = (accountId: number, campaignId: number): Sql => sql`(
  coalesce(s.reported_campaign_id <> ${campaignId}, false) OR EXISTS (
    SELECT 1 FROM campaigns c
      JOIN conversions o ON o.account_id = ${accountId} AND o.campaign_id = c.id AND o.customer_ref = s.customer_ref
     WHERE c.account_id = ${accountId} AND c.id <> ${campaignId} AND o.sale_id = s.id))`

/** What decides which sales count for a conversion. */
type OfConversion = Pick<CreditableRow, 'customer_ref' | 'campaign_id' | 'is_test' | 'occurred_at'>

/** A condition on a sale `s`: it is the customer's, and no referral has it. Those of tests count for tests only. */
const isFree = ({ customer_ref, is_test }: OfConversion): Sql => sql`
  s.customer_ref = ${customer_ref} AND s.referral_id IS NULL AND s.replaced_by IS NULL AND (NOT s.is_test OR ${is_test}::boolean)`

/** A condition on a sale `s`: it happened since the conversion, and isn't another campaign's. */
const isSince = (accountId: number, { campaign_id, occurred_at }: OfConversion): Sql =>
  sql`s.occurred_at >= ${occurred_at} AND NOT ${isOfOtherCampaign(accountId, campaign_id)}`

/**
 * The sale to credit with a conversion: the one it was reported with, or else the customer's first one since. The one it was reported
 * with may be a trial of 0, replaced, or credited in another campaign, and then isn't the first.
 */
export function findFirstSale(
  tx: Tx,
  accountId: number,
  conversion: OfConversion & Pick<CreditableRow, 'sale_id'>,
): Promise<{ id: number } | undefined> {
  const { sale_id } = conversion
  return tx.first(sql`
    SELECT s.id FROM sales s
     WHERE s.account_id = ${accountId} AND ${isFree(conversion)} AND s.amount_minor > 0
       AND (s.id = ${sale_id} OR ${isSince(accountId, conversion)})
     ORDER BY s.id IS DISTINCT FROM ${sale_id}, s.occurred_at, s.id LIMIT 1`)
}

/** Which of the sales since a conversion: reported since a moment, or all but one. */
export interface SalesSince extends OfConversion {
  reportedSince?: string
  except?: number | null | undefined
}

/** The customer's sales since the conversion that no referral has: had the conversion been credited by then, each would have earned. */
export function findSalesSince(
  tx: Tx,
  accountId: number,
  { reportedSince, except, ...conversion }: SalesSince,
  limit: number,
): Promise<{ id: number }[]> {
  const isAsked = all(
    when(reportedSince, at => sql`s.created_at >= ${at}`),
    when(except ?? undefined, id => sql`s.id <> ${id}`),
  )
  return tx.many(sql`
    SELECT s.id FROM sales s
     WHERE s.account_id = ${accountId} AND ${isFree(conversion)} AND ${isSince(accountId, conversion)} AND ${isAsked}
     ORDER BY s.id LIMIT ${limit}`)
}
