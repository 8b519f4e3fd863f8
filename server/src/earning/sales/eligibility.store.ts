import type { Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import { type TermsRow, termsColumns, termsColumnsAt } from '../../programme/campaigns/campaign.store.ts'

export interface EligibilityRow extends TermsRow {
  is_rejected: boolean
}

/**
 * The campaigns that the customer was referred in, with whether the affiliate is rejected. That is not locked: rejecting reverses
 * nothing, so a concurrent sale counts as just before it.
 */
export function findEligibility(tx: Tx, accountId: number, customerRef: string): Promise<EligibilityRow[]> {
  return tx.many(sql`
    SELECT ${termsColumns}, a.status = 'rejected' AS is_rejected
      FROM referrals f
      JOIN campaigns c ON c.account_id = ${accountId} AND c.id = f.campaign_id
      JOIN affiliates a ON a.account_id = ${accountId} AND a.id = f.affiliate_id
     WHERE f.account_id = ${accountId} AND f.customer_ref = ${customerRef} ORDER BY f.id LIMIT 100`)
}

/**
 * The campaign of a sale's referral under the rules that the sale earns by: those of when it was reported, or of when a person credited or
 * reassigned its referral after that.
 */
export function findTermsOfSale(tx: Tx, accountId: number, saleId: number): Promise<TermsRow | undefined> {
  return tx.first(sql`
    SELECT ${termsColumnsAt(sql`credited.under`)}
      FROM (SELECT f.campaign_id, greatest(
                     s.created_at,
                     (SELECT max(p.ended_at) FROM past_assignments p WHERE p.account_id = ${accountId} AND p.referral_id = f.id),
                     CASE WHEN EXISTS (SELECT 1 FROM conversions o
                                        WHERE o.account_id = ${accountId} AND o.referral_id = f.id
                                          AND o.attribution -> 'why' ->> 'code' = 'credited_manually') THEN f.created_at END
                   ) AS under
              FROM sales s
              JOIN referrals f ON f.account_id = ${accountId} AND f.id = s.referral_id
             WHERE s.account_id = ${accountId} AND s.id = ${saleId}) credited
      JOIN campaigns c ON c.account_id = ${accountId} AND c.id = credited.campaign_id`)
}
