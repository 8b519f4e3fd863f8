import { type Sql, sql } from '../../db/sql.ts'

/**
 * What the credit entry aliased `c` is worth now: itself, its clawbacks, and what was given back beside it after it had been voided, as far as
 * they are approved. Never negative: a clawback can be approved before its entry.
 */
export const creditInForce = (accountId: number): Sql => sql`greatest(0,
  CASE WHEN c.status = 'approved' THEN c.amount_minor ELSE 0 END
  + coalesce((
      SELECT sum(b.amount_minor) FROM commissions b
       WHERE b.account_id = ${accountId} AND b.clawback_of = c.id AND b.status = 'approved'), 0)
  + coalesce((
      SELECT sum(b.amount_minor) FROM commissions b
       WHERE c.status = 'void' AND b.account_id = ${accountId} AND b.referral_id = c.referral_id AND b.sale_id IS NOT DISTINCT FROM c.sale_id
         AND b.beneficiary = c.beneficiary AND b.assignment = c.assignment AND b.entry_type = 'adjustment' AND b.clawback_of IS NULL
         AND b.status = 'approved'), 0))::bigint`
