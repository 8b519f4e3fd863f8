import { type Sql, sql } from '../../db/sql.ts'
import { wasPaid } from './status-then.ts'

/**
 * Whether the entry aliased `c` takes back one that is, or at `asOf` was, paid. It counts even while its referral is in review: what was paid
 * too much is not paid out first and clawed back after the review.
 */
export const takesBackPaid = (accountId: number, asOf?: string): Sql => sql`EXISTS (
  SELECT 1 FROM commissions e
   WHERE e.account_id = ${accountId} AND e.id = c.clawback_of AND ${wasPaid(accountId, asOf, sql`e`)})`

/**
 * Whether the entry aliased `c` belongs to a referral that is, or at `asOf` was, in review: then it is not payable even if approved. A trigger
 * records when each review began, since migration 0165; a referral without that was in review from its creation.
 */
export const isInReview = (accountId: number, asOf?: string): Sql => sql`(EXISTS (SELECT 1 FROM referrals v
  WHERE v.account_id = ${accountId} AND v.id = c.referral_id
    AND (v.status = 'pending_review' OR v.reviewed_at > ${asOf ?? null}::timestamptz)
    AND coalesce(v.review_periods @> ${asOf ?? null}::timestamptz, true)) AND NOT ${takesBackPaid(accountId, asOf)})`
