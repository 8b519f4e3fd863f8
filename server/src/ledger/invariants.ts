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

  'the clawbacks of an entry never exceed it': findBroken(sql`
    /* every account */ SELECT format('entry %s of account %s is %s / %s, and %s / %s was taken back', c.id, c.account_id,
                  c.amount_minor, c.payout_amount_minor, -sum(b.amount_minor), -sum(b.payout_amount_minor)) AS problem
      FROM commissions c JOIN commissions b ON b.account_id = c.account_id AND b.clawback_of = c.id AND b.status <> 'void'
     GROUP BY c.account_id, c.id
    HAVING -sum(b.amount_minor) > c.amount_minor OR -sum(b.payout_amount_minor) > c.payout_amount_minor LIMIT 20`),

  'refunds never exceed their sale': findBroken(sql`
    /* every account */ SELECT format('sale %s of account %s is %s, and %s was refunded', s.external_id, s.account_id, s.amount_minor,
                  sum(f.amount_minor)) AS problem
      FROM sales s JOIN refunds f ON f.account_id = s.account_id AND f.sale_id = s.id
     GROUP BY s.account_id, s.id HAVING sum(f.amount_minor) > s.amount_minor LIMIT 20`),

  'an entry of a sale belongs to the referral of that sale': findBroken(sql`
    /* every account */ SELECT format('commission %s of account %s and sale %s differ', c.id, c.account_id, s.external_id) AS problem
      FROM commissions c JOIN sales s ON s.account_id = c.account_id AND s.id = c.sale_id
     WHERE c.referral_id IS DISTINCT FROM s.referral_id LIMIT 20`),

  'what was created has its event': findBroken(sql`
    /* every account */ SELECT format('commission %s of account %s has no event', c.id, c.account_id) AS problem
      FROM commissions c
     WHERE NOT EXISTS (SELECT 1 FROM events e WHERE e.account_id = c.account_id AND e.kind = 'commission.created'
                          AND e.subject_id = c.id AND NOT e.is_test)
    UNION ALL
    SELECT format('referral %s of account %s has no event', r.id, r.account_id) FROM referrals r
     WHERE NOT EXISTS (SELECT 1 FROM events e WHERE e.account_id = r.account_id AND e.kind = 'conversion.created'
                          AND e.subject_id = r.id AND NOT e.is_test)
    LIMIT 20`),

  'nothing of a rejected referral is owed': findBroken(sql`
    /* every account */ SELECT format('entry %s of account %s counts, and its referral is rejected', c.id, c.account_id) AS problem
      FROM commissions c JOIN referrals r ON r.account_id = c.account_id AND r.id = c.referral_id
     WHERE c.entry_type IN ('earned', 'credit') AND c.status <> 'void' AND r.status = 'rejected'
       AND c.amount_minor <> coalesce((SELECT -sum(b.amount_minor) FROM commissions b
             WHERE b.account_id = c.account_id AND b.clawback_of = c.id AND b.status <> 'void'), 0) LIMIT 20`),

  'what was taken back waits no longer than what it is taken from': findBroken(sql`
    /* every account */ SELECT format('clawback %s of account %s is pending, its entry is %s', b.id, b.account_id, c.status) AS problem
      FROM commissions b JOIN commissions c ON c.account_id = b.account_id AND c.id = b.clawback_of
     WHERE b.status = 'pending' AND c.status <> 'pending' LIMIT 20`),
}
