import type { Db } from '../db/database.ts'
import { type Sql, sql } from '../db/sql.ts'

/** Each statement looks through all accounts for rows that break a promise, and describes those that it finds. */
const findBroken = (statement: Sql) => async (db: Db) =>
  (await db.many<{ problem: string }>(statement)).map(({ problem }) => problem)

/** What must always hold of the money. Constraints keep most of it; these see what a constraint cannot. */
export const ledgerInvariants = {
  'a payout is the sum of its items': findBroken(sql`
    /* every account */ SELECT format('payout %s of account %s says %s, its items sum to %s', p.id, p.account_id, p.total_minor,
                  coalesce(sum(i.amount_minor), 0)) AS problem
      FROM payouts p LEFT JOIN payout_items i ON i.account_id = p.account_id AND i.payout_id = p.id
     GROUP BY p.account_id, p.id HAVING p.total_minor <> coalesce(sum(i.amount_minor), 0) LIMIT 20`),

  'an entry and its referral name the same campaign and affiliate': findBroken(sql`
    /* every account */ SELECT format('commission %s of account %s and referral %s differ', c.id, c.account_id, r.id) AS problem
      FROM commissions c JOIN referrals r ON r.account_id = c.account_id AND r.id = c.referral_id
     WHERE c.campaign_id <> r.campaign_id OR (c.affiliate_id <> r.affiliate_id AND c.beneficiary <> 'referee') LIMIT 20`),
}
