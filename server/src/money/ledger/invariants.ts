import type { Db } from '../../db/database.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { damagedEntries } from './damage.ts'

/** Runs a statement that finds rows violating an invariant, across all accounts, and describes them. */
const findViolations = (statement: Sql) => async (db: Db) =>
  (await db.many<{ problem: string }>(statement)).map(({ problem }) => problem)

/** Invariants of the ledger that constraints can't express. */
export const ledgerInvariants = {
  'a payout is the sum of its items': findViolations(sql`
    /* every account */ SELECT format('payout %s of account %s is %s, but its items sum to %s', p.id, p.account_id, p.total_minor,
                  coalesce(sum(i.amount_minor), 0)) AS problem
      FROM payouts p LEFT JOIN payout_items i ON i.account_id = p.account_id AND i.payout_id = p.id
     GROUP BY p.account_id, p.id HAVING p.total_minor <> coalesce(sum(i.amount_minor), 0) LIMIT 20`),

  'a payout item is the sum of commissions of its campaign and affiliate': findViolations(sql`
    /* every account */ SELECT format('payout item %s of account %s is %s, but its commissions sum to %s', i.id, i.account_id,
                  i.amount_minor, coalesce(sum(c.payout_amount_minor), 0)) AS problem
      FROM payout_items i
      JOIN payouts p ON p.account_id = i.account_id AND p.id = i.payout_id
      LEFT JOIN pinned_commissions n ON n.account_id = i.account_id AND n.payout_item_id = i.id
      LEFT JOIN commissions c ON c.account_id = n.account_id AND c.id = n.commission_id AND c.affiliate_id = i.affiliate_id
       AND c.campaign_id = p.campaign_id AND c.payout_currency = i.currency
     GROUP BY i.account_id, i.id HAVING i.amount_minor <> coalesce(sum(c.payout_amount_minor), 0) LIMIT 20`),

  'a payout item contains only payable commissions': findViolations(sql`
    /* every account */ SELECT format('commission %s of account %s is %s and in payout item %s', c.id, c.account_id, c.status,
                  n.payout_item_id) AS problem
      FROM pinned_commissions n JOIN commissions c ON c.account_id = n.account_id AND c.id = n.commission_id
      LEFT JOIN referrals r ON r.account_id = c.account_id AND r.id = c.referral_id
     WHERE c.status IN ('pending', 'void') OR r.is_test OR c.beneficiary = 'referee' OR c.entry_type IN ('payout', 'credit') LIMIT 20`),

  'a test payout contains only test commissions': findViolations(sql`
    /* every account */ SELECT format('commission %s of account %s is in test payout %s but is not a test', c.id, c.account_id,
                  t.test_payout_id) AS problem
      FROM test_payout_entries t JOIN commissions c ON c.account_id = t.account_id AND c.id = t.commission_id
      LEFT JOIN referrals r ON r.account_id = c.account_id AND r.id = c.referral_id
     WHERE NOT coalesce(r.is_test, false) LIMIT 20`),

  'no payout item is below its minimum': findViolations(sql`
    /* every account */ SELECT format('payout item %s of account %s is %s, but the minimum was %s', i.id, i.account_id, i.amount_minor,
                  p.minimum_payout_minor) AS problem
      FROM payout_items i JOIN payouts p ON p.account_id = i.account_id AND p.id = i.payout_id
     WHERE i.amount_minor < p.minimum_payout_minor LIMIT 20`),

  'a commission is paid exactly when its payout item is': findViolations(sql`
    /* every account */ SELECT format('commission %s of account %s is %s, but its payout item is %s', c.id, c.account_id, c.status,
                  coalesce(i.status, 'missing')) AS problem
      FROM commissions c
      LEFT JOIN pinned_commissions n ON n.account_id = c.account_id AND n.commission_id = c.id AND NOT n.released
      LEFT JOIN payout_items i ON i.account_id = n.account_id AND i.id = n.payout_item_id
     WHERE c.entry_type <> 'payout'
       AND (c.status = 'paid' AND i.status IS DISTINCT FROM 'paid' OR c.status <> 'paid' AND i.status IN ('paid', 'failed', 'canceled'))
     LIMIT 20`),

  'a paid item and its payout entry sum to zero': findViolations(sql`
    /* every account */ SELECT format('payout item %s of account %s is %s (%s), but its payout entries sum to %s', i.id, i.account_id,
                  i.amount_minor, i.status, coalesce(sum(c.payout_amount_minor), 0)) AS problem
      FROM payout_items i
      LEFT JOIN commissions c ON c.account_id = i.account_id AND c.payout_item_id = i.id AND c.entry_type = 'payout'
     GROUP BY i.account_id, i.id
    HAVING coalesce(sum(c.payout_amount_minor), 0) <> CASE i.status WHEN 'paid' THEN -i.amount_minor ELSE 0 END LIMIT 20`),

  'the status of a payout matches its items': findViolations(sql`
    /* every account */ SELECT format('payout %s of account %s is %s', p.id, p.account_id, p.status) AS problem
      FROM payouts p JOIN payout_items i ON i.account_id = p.account_id AND i.payout_id = p.id
     GROUP BY p.account_id, p.id
    HAVING CASE WHEN bool_or(i.status IN ('pending', 'processing')) THEN p.status NOT IN ('pending', 'processing')
                WHEN bool_and(i.status = 'paid') THEN p.status <> 'paid'
                WHEN bool_or(i.status = 'paid') THEN p.status <> 'partially_paid'
                ELSE p.status NOT IN ('failed', 'canceled') END LIMIT 20`),

  'every payment sent to a rail was recorded first': findViolations(sql`
    /* every account */ SELECT format('payout item %s of account %s is %s without a recorded submission to PayPal', i.id, i.account_id, i.status) AS problem
      FROM payout_items i JOIN payouts p ON p.account_id = i.account_id AND p.id = i.payout_id
     WHERE p.rail = 'paypal' AND i.status IN ('processing', 'paid', 'failed') AND i.submission_id IS NULL LIMIT 20`),

  'an entry has the campaign and affiliate that its referral has or had': findViolations(sql`
    /* every account */ SELECT format('commission %s of account %s and referral %s differ', c.id, c.account_id, r.id) AS problem
      FROM commissions c JOIN referrals r ON r.account_id = c.account_id AND r.id = c.referral_id
     WHERE (c.campaign_id <> r.campaign_id OR (c.affiliate_id <> r.affiliate_id AND c.beneficiary <> 'referee'))
       AND NOT EXISTS (SELECT 1 FROM past_assignments p
             WHERE p.account_id = c.account_id AND p.referral_id = r.id AND p.campaign_id = c.campaign_id
               AND (p.affiliate_id = c.affiliate_id OR c.beneficiary = 'referee')) LIMIT 20`),

  'a correction has the campaign and affiliate of its entry': findViolations(sql`
    /* every account */ SELECT format('%s %s of account %s and entry %s differ', b.entry_type, b.id, b.account_id, c.id) AS problem
      FROM commissions b JOIN commissions c ON c.account_id = b.account_id AND c.id = b.clawback_of
     WHERE b.campaign_id <> c.campaign_id OR b.affiliate_id <> c.affiliate_id LIMIT 20`),

  'what a sale earned before its referral was reassigned is taken back': findViolations(sql`
    /* every account */ SELECT format('entry %s of account %s counts beside those of a later assignment of sale %s', c.id, c.account_id,
                  s.external_id) AS problem
      FROM commissions c JOIN sales s ON s.account_id = c.account_id AND s.id = c.sale_id
     WHERE c.entry_type IN ('earned', 'credit') AND (c.assignment > s.assignment OR c.assignment < s.assignment AND c.status <> 'void'
       AND c.amount_minor <> coalesce((SELECT -sum(b.amount_minor) FROM commissions b
             WHERE b.account_id = c.account_id AND b.clawback_of = c.id AND b.status <> 'void'), 0)) LIMIT 20`),

  'the clawbacks of an entry never exceed it': findViolations(sql`
    /* every account */ SELECT format('entry %s of account %s is %s / %s, but %s / %s was clawed back', c.id, c.account_id,
                  c.amount_minor, c.payout_amount_minor, -sum(b.amount_minor), -sum(b.payout_amount_minor)) AS problem
      FROM commissions c JOIN commissions b ON b.account_id = c.account_id AND b.clawback_of = c.id AND b.status <> 'void'
     GROUP BY c.account_id, c.id
    HAVING -sum(b.amount_minor) > c.amount_minor OR -sum(b.payout_amount_minor) > c.payout_amount_minor LIMIT 20`),

  'refunds never exceed their sale': findViolations(sql`
    /* every account */ SELECT format('sale %s of account %s is %s, but %s was refunded', s.external_id, s.account_id, s.amount_minor,
                  sum(f.amount_minor)) AS problem
      FROM sales s JOIN refunds f ON f.account_id = s.account_id AND f.sale_id = s.id AND f.reversed_at IS NULL
     GROUP BY s.account_id, s.id HAVING sum(f.amount_minor) > s.amount_minor LIMIT 20`),

  'an entry of a sale belongs to the referral of that sale': findViolations(sql`
    /* every account */ SELECT format('commission %s of account %s and sale %s differ', c.id, c.account_id, s.external_id) AS problem
      FROM commissions c JOIN sales s ON s.account_id = c.account_id AND s.id = c.sale_id
     WHERE c.referral_id IS DISTINCT FROM s.referral_id LIMIT 20`),

  'no event is missing': findViolations(sql`
    /* every account */ SELECT format('commission %s of account %s has no event', c.id, c.account_id) AS problem
      FROM commissions c
     WHERE NOT EXISTS (SELECT 1 FROM events e WHERE e.account_id = c.account_id AND e.kind = 'commission.created'
                          AND e.subject_id = c.id AND NOT e.is_test)
    UNION ALL
    SELECT format('referral %s of account %s has no event', r.id, r.account_id) FROM referrals r
     WHERE NOT EXISTS (SELECT 1 FROM events e WHERE e.account_id = r.account_id AND e.kind = 'conversion.created'
                          AND e.subject_id = r.id AND NOT e.is_test)
    UNION ALL
    SELECT format('payout %s of account %s has no event', p.id, p.account_id) FROM payouts p
     WHERE p.status IN ('paid', 'partially_paid')
       AND NOT EXISTS (SELECT 1 FROM events e WHERE e.account_id = p.account_id AND e.kind = 'payout.paid'
                          AND e.subject_id = p.id AND NOT e.is_test)
    LIMIT 20`),

  ...Object.fromEntries(
    Object.entries(damagedEntries).map(([name, damage]) => [
      name,
      findViolations(sql`/* every account */ SELECT d.problem FROM (${damage}) d LIMIT 20`),
    ]),
  ),
}
