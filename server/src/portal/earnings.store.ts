import type { Earnings } from '@tributary/contract/portal'
import { LISTED_HOLD_DAYS } from '@tributary/contract/portal/holds'
import type { Db } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import { isCredit } from '../money/ledger/entries.ts'
import { isInReview } from '../money/ledger/in-review.ts'
import { isOwed } from '../money/ledger/own-money.ts'
import { isPaidOut } from '../money/ledger/paid-out.ts'

/**
 * An affiliate's earnings per campaign, split without remainder: earned = pending + approved + in a payout + paid. Uses the
 * ledger's definition of a balance: no test entries, nothing owed to a referee. Credit is not money and is summed separately,
 * net of its clawbacks.
 */
export function findEarnings(db: Db, accountId: number, affiliateId: number): Promise<Earnings[]> {
  return db.many(sql`
    WITH zone AS (
      SELECT a.time_zone FROM accounts a WHERE a.id = ${accountId}
    ), marked AS (
      SELECT c.campaign_id, c.payout_amount_minor AS amount, c.status, ${isPaidOut(sql`c`)} AS is_paid_out, c.hold_until,
             ${isInReview(accountId)} AS in_review, ${isCredit(accountId)} AS is_credit,
             EXISTS (SELECT 1 FROM pinned_commissions p
                      WHERE p.account_id = ${accountId} AND p.commission_id = c.id AND NOT p.released) AS is_pinned
        FROM commissions c
       WHERE c.account_id = ${accountId} AND c.affiliate_id = ${affiliateId} AND ${isOwed(accountId)}
    ), own AS (
      -- Review takes precedence over approval, as in payouts: approved commissions of a referral in review are not payable yet.
      SELECT m.campaign_id, m.amount, m.is_paid_out, m.hold_until, m.in_review, m.is_credit, m.is_pinned,
             CASE WHEN m.status = 'approved' AND m.in_review AND NOT m.is_pinned THEN 'pending' ELSE m.status END AS status
        FROM marked m
    ), sums AS (
      SELECT o.campaign_id,
             coalesce(sum(o.amount) FILTER (WHERE NOT o.is_credit AND NOT o.is_paid_out), 0) AS earned_minor,
             coalesce(sum(o.amount) FILTER (WHERE NOT o.is_credit AND o.status = 'pending'), 0) AS pending_minor,
             coalesce(sum(o.amount) FILTER (WHERE NOT o.is_credit AND o.status = 'pending' AND o.in_review), 0)
               AS in_review_minor,
             coalesce(sum(o.amount) FILTER (WHERE NOT o.is_credit AND o.status = 'approved' AND NOT o.is_pinned), 0)
               AS approved_minor,
             coalesce(sum(o.amount) FILTER (WHERE NOT o.is_credit AND o.status = 'approved' AND o.is_pinned), 0)
               AS in_payout_minor,
             coalesce(-sum(o.amount) FILTER (WHERE o.is_paid_out), 0) AS paid_minor,
             coalesce(sum(o.amount) FILTER (WHERE o.is_credit), 0) AS credit_minor
        FROM own o GROUP BY o.campaign_id
    ), days AS (
      SELECT o.campaign_id, least(dense_rank() OVER (PARTITION BY o.campaign_id ORDER BY (o.hold_until AT TIME ZONE z.time_zone)::date),
                                  ${LISTED_HOLD_DAYS + 1}) AS place, o.hold_until, o.amount
        FROM own o CROSS JOIN zone z
       WHERE NOT o.is_credit AND o.status = 'pending' AND NOT o.in_review AND o.hold_until IS NOT NULL
    ), holds AS (
      SELECT d.campaign_id, d.place, max(d.hold_until) AS until, count(*)::integer AS count, sum(d.amount) AS amount_minor
        FROM days d GROUP BY 1, 2
    )
    SELECT g.id AS campaign_id, g.name AS campaign_name, g.payout_currency AS currency, g.minimum_payout_minor, g.hold_days,
           coalesce(s.earned_minor, 0) AS earned_minor, coalesce(s.pending_minor, 0) AS pending_minor,
           coalesce(s.in_review_minor, 0) AS in_review_minor, coalesce(s.approved_minor, 0) AS approved_minor,
           coalesce(s.in_payout_minor, 0) AS in_payout_minor, coalesce(s.paid_minor, 0) AS paid_minor,
           coalesce(s.credit_minor, 0) AS credit_minor,
           coalesce((SELECT json_agg(json_build_object(
                       'day', to_char(h.until AT TIME ZONE (SELECT z.time_zone FROM zone z), 'YYYY-MM-DD'),
                       'until', to_char(h.until AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'count', h.count,
                       'amount_minor', h.amount_minor) ORDER BY h.place)
                       FROM holds h WHERE h.campaign_id = g.id), '[]') AS holds
      FROM campaigns g LEFT JOIN sums s ON s.campaign_id = g.id
     WHERE g.account_id = ${accountId}
       AND (s.campaign_id IS NOT NULL OR g.status <> 'archived' AND EXISTS (SELECT 1 FROM enrolments e
              WHERE e.account_id = ${accountId} AND e.affiliate_id = ${affiliateId} AND e.campaign_id = g.id))
     ORDER BY g.id`)
}

/** Sales that have earned nothing yet because their currency has no exchange rate. */
export async function countAwaitingRate(db: Db, accountId: number, affiliateId: number): Promise<number> {
  const row = await db.first<{ count: number }>(sql`
    SELECT count(*)::integer AS count
      FROM sales s JOIN referrals r ON r.account_id = ${accountId} AND r.id = s.referral_id
     WHERE s.account_id = ${accountId} AND s.awaits_rate AND r.affiliate_id = ${affiliateId} AND NOT r.is_test`)
  return row?.count ?? 0
}
