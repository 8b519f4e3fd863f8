import type { Commission } from '@tributary/contract'
import type { Tx } from '../db/database.ts'
import { all, sql, when } from '../db/sql.ts'
import { entryColumns } from './entries.ts'

export interface StatementLine extends Commission {
  campaign_name: string
  customer_ref: string | null
  /** As it stood then: what was voided only later was still pending. */
  status_then: Commission['status']
  /** What was owed in this currency after the entry. */
  balance_minor: number
}

/**
 * An affiliate's entries as the ledger held them at a time, oldest first, each with the balance after it. What was voided only
 * later still counts. Tests, and rewards that belong to a referee, are no part of what the affiliate is owed.
 */
export function streamStatement(
  tx: Tx,
  accountId: number,
  affiliateId: number,
  asOf?: string,
): AsyncGenerator<StatementLine[]> {
  const then = all(when(asOf, time => sql`c.created_at <= ${time}`))
  const isVoid = asOf === undefined ? sql`c.status = 'void'` : sql`coalesce(c.voided_at <= ${asOf}, false)`
  return tx.stream(sql`
    SELECT ${entryColumns}, g.name AS campaign_name, r.customer_ref,
           CASE WHEN c.status = 'void' AND NOT ${isVoid} THEN 'pending' ELSE c.status END AS status_then,
           sum(CASE WHEN ${isVoid} THEN 0 ELSE c.payout_amount_minor END)
             OVER (PARTITION BY c.payout_currency ORDER BY c.id)::bigint AS balance_minor
      FROM commissions c
      JOIN campaigns g ON g.account_id = ${accountId} AND g.id = c.campaign_id
      LEFT JOIN referrals r ON r.account_id = ${accountId} AND r.id = c.referral_id
     WHERE c.account_id = ${accountId} AND c.affiliate_id = ${affiliateId} AND c.beneficiary <> 'referee' AND ${then}
       AND r.is_test IS NOT TRUE
     ORDER BY c.id`)
}
