import type { Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import { type TermsRow, termsColumns } from '../../programme/campaigns/campaign.store.ts'

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
