import type { Db } from '../db/database.ts'
import { type Sql, sql } from '../db/sql.ts'

export interface Balance {
  currency: string
  /** Waiting for its hold or for review. */
  pending_minor: number
  /** Payable now; negative is carried forward. */
  approved_minor: number
  /** What has been paid out, as a positive amount. */
  paid_out_minor: number
  /** The sum of all entries that are not void: what is still owed. */
  balance_minor: number
}

/** Whether the entry that the statement calls `c` belongs to a referral in review: then it is not payable, approved or not. */
const inReview = (accountId: number): Sql => sql`EXISTS (SELECT 1 FROM referrals v
  WHERE v.account_id = ${accountId} AND v.id = c.referral_id AND v.status = 'pending_review')`

/**
 * What an affiliate has, by payout currency. Tests do not count. Rewards of referees are noted in the ledger of who referred them, but belong to
 * somebody else. As of an earlier time it is what the ledger held then, also what was voided since; the split by status is today's.
 */
export function balancesOf(
  db: Db,
  accountId: number,
  affiliateId: number,
  asOf?: string,
): Promise<Balance[]> {
  const then =
    asOf === undefined
      ? sql`c.status <> 'void'`
      : sql`c.created_at <= ${asOf} AND (c.voided_at IS NULL OR c.voided_at > ${asOf})`
  return db.many(sql`
    SELECT c.payout_currency AS currency,
           coalesce(sum(c.payout_amount_minor) FILTER (WHERE c.status = 'pending' OR (c.status = 'approved' AND ${inReview(accountId)})), 0)::bigint
             AS pending_minor,
           coalesce(sum(c.payout_amount_minor) FILTER (WHERE c.status = 'approved' AND NOT ${inReview(accountId)}), 0)::bigint
             AS approved_minor,
           coalesce(-sum(c.payout_amount_minor) FILTER (WHERE c.entry_type = 'payout'), 0)::bigint AS paid_out_minor,
           coalesce(sum(c.payout_amount_minor), 0)::bigint AS balance_minor
      FROM commissions c
     WHERE c.account_id = ${accountId} AND c.affiliate_id = ${affiliateId}
       AND c.beneficiary <> 'referee' AND ${then}
       AND NOT EXISTS (SELECT 1 FROM referrals r WHERE r.account_id = c.account_id AND r.id = c.referral_id AND r.is_test)
     GROUP BY c.payout_currency ORDER BY c.payout_currency`)
}

/** What is still owed to each of these affiliates, on the same terms, in one question. */
export async function owedTo(
  db: Db,
  accountId: number,
  affiliateIds: number[],
): Promise<Map<number, Pick<Balance, 'currency' | 'balance_minor'>[]>> {
  const rows = await db.many<{ affiliate_id: number; currency: string; balance_minor: number }>(sql`
    SELECT c.affiliate_id, c.payout_currency AS currency, sum(c.payout_amount_minor)::bigint AS balance_minor
      FROM commissions c
     WHERE c.account_id = ${accountId} AND c.affiliate_id = ANY (${affiliateIds}::bigint[])
       AND c.beneficiary <> 'referee' AND c.status <> 'void'
       AND NOT EXISTS (SELECT 1 FROM referrals r WHERE r.account_id = c.account_id AND r.id = c.referral_id AND r.is_test)
     GROUP BY c.affiliate_id, c.payout_currency ORDER BY c.affiliate_id, c.payout_currency`)
  const owed = new Map(affiliateIds.map(id => [id, [] as Pick<Balance, 'currency' | 'balance_minor'>[]]))
  for (const { affiliate_id, ...balance } of rows) owed.get(affiliate_id)?.push(balance)
  return owed
}
