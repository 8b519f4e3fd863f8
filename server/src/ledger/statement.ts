import type { Commission } from '@tributary/contract'
import type { Tx } from '../db/database.ts'
import { all, type Sql, sql, when } from '../db/sql.ts'
import { entryColumns, isCredit } from './entries.ts'
import { statusThen } from './status-then.ts'

export interface StatementLine extends Commission {
  campaign_name: string
  customer_ref: string | null
  /** As it stood then: what was paid or voided only later was still approved or pending. */
  status_then: Commission['status']
  /** Whether it is credit or takes some back, and no money. */
  is_credit: boolean
  /** What was owed in this currency after the entry; credit is no part of it. */
  balance_minor: number
  /** The credit in this currency after the entry. */
  credit_balance_minor: number
}

/**
 * An affiliate's entries as the ledger held them at a time, oldest first, each in the status that it had then and with the balance
 * after it. What was voided only later still counts. Tests, and rewards that belong to a referee, are no part of what the affiliate is owed.
 */
export function streamStatement(
  tx: Tx,
  accountId: number,
  affiliateId: number,
  asOf?: string,
): AsyncGenerator<StatementLine[]> {
  const then = all(when(asOf, time => sql`c.created_at <= ${time}`))
  return tx.stream(sql`
    WITH line AS (
      SELECT ${entryColumns}, g.name AS campaign_name, r.customer_ref, ${statusThen(accountId, asOf)} AS status_then,
             ${isCredit(accountId)} AS is_credit
        FROM commissions c
        JOIN campaigns g ON g.account_id = ${accountId} AND g.id = c.campaign_id
        LEFT JOIN referrals r ON r.account_id = ${accountId} AND r.id = c.referral_id
       WHERE c.account_id = ${accountId} AND c.affiliate_id = ${affiliateId} AND c.beneficiary <> 'referee' AND ${then}
         AND r.is_test IS NOT TRUE
    )
    SELECT line.*, ${runningSum(false)} AS balance_minor, ${runningSum(true)} AS credit_balance_minor FROM line ORDER BY line.id`)
}

const runningSum = (isCredit: boolean): Sql => sql`coalesce(sum(line.payout_amount_minor)
  FILTER (WHERE line.is_credit = ${isCredit} AND line.status_then <> 'void')
  OVER (PARTITION BY line.payout_currency ORDER BY line.id ROWS UNBOUNDED PRECEDING), 0)`
