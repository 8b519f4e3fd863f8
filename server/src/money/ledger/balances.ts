import type { Db } from '../../db/database.ts'
import { all, sql, when } from '../../db/sql.ts'
import { isCredit } from './entries.ts'
import { isInReview } from './in-review.ts'
import { isOwed, isOwn } from './own-money.ts'
import { isPaidOut } from './paid-out.ts'
import { statusThen } from './status-then.ts'

export interface Balance {
  currency: string
  /** On hold or in review. */
  pending_minor: number
  /** Payable now; a negative amount is carried forward. */
  approved_minor: number
  /** Paid out so far, less what was returned, as a positive amount. */
  paid_out_minor: number
  /** The sum of all entries that are not void. */
  balance_minor: number
  /** Credit, which is never paid out and not included in the amounts above. */
  credit_minor: number
}

/**
 * An affiliate's balances by payout currency, without test data. Rewards of referees are recorded with the referring affiliate but do not
 * belong to them. With `asOf`, the ledger as it was at that time, each entry with its status then.
 */
export function balancesOf(
  db: Db,
  accountId: number,
  affiliateId: number,
  asOf?: string,
): Promise<Balance[]> {
  const then = all(when(asOf, time => sql`c.created_at <= ${time}`))
  return db.many(sql`
    WITH own AS (
      SELECT c.payout_currency AS currency, c.payout_amount_minor AS minor, ${isPaidOut(sql`c`)} AS is_paid_out, ${statusThen(accountId, asOf)} AS status,
             ${isCredit(accountId)} AS is_credit, ${isInReview(accountId, asOf)} AS in_review
        FROM commissions c
       WHERE c.account_id = ${accountId} AND c.affiliate_id = ${affiliateId} AND ${isOwn(accountId)} AND ${then}
    )
    SELECT o.currency,
           coalesce(sum(o.minor) FILTER (WHERE NOT o.is_credit AND (o.status = 'pending' OR o.status = 'approved' AND o.in_review)), 0) AS pending_minor,
           coalesce(sum(o.minor) FILTER (WHERE NOT o.is_credit AND o.status = 'approved' AND NOT o.in_review), 0) AS approved_minor,
           coalesce(-sum(o.minor) FILTER (WHERE o.is_paid_out), 0) AS paid_out_minor,
           coalesce(sum(o.minor) FILTER (WHERE NOT o.is_credit), 0) AS balance_minor,
           coalesce(sum(o.minor) FILTER (WHERE o.is_credit), 0) AS credit_minor
      FROM own o WHERE o.status <> 'void' GROUP BY o.currency ORDER BY o.currency`)
}

/** The balances of these affiliates, computed the same way in one query. */
export async function owedTo(
  db: Db,
  accountId: number,
  affiliateIds: number[],
): Promise<Map<number, Pick<Balance, 'currency' | 'balance_minor'>[]>> {
  const rows = await db.many<{ affiliate_id: number; currency: string; balance_minor: number }>(sql`
    SELECT c.affiliate_id, c.payout_currency AS currency, sum(c.payout_amount_minor) AS balance_minor
      FROM commissions c
     WHERE c.account_id = ${accountId} AND c.affiliate_id = ANY (${affiliateIds}::bigint[])
       AND ${isOwed(accountId)} AND NOT ${isCredit(accountId)}
     GROUP BY c.affiliate_id, c.payout_currency ORDER BY c.affiliate_id, c.payout_currency`)
  const owed = new Map(affiliateIds.map(id => [id, [] as Pick<Balance, 'currency' | 'balance_minor'>[]]))
  for (const { affiliate_id, ...balance } of rows) owed.get(affiliate_id)?.push(balance)
  return owed
}
