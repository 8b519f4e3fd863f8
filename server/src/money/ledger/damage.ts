import { type Sql, sql } from '../../db/sql.ts'

/** Integer division rounded half to even, as entries are. */
const halfEven = (numerator: Sql, denominator: Sql): Sql => sql`(
  div(${numerator}, ${denominator}) + CASE
    WHEN 2 * mod(${numerator}, ${denominator}) > ${denominator} THEN 1
    WHEN 2 * mod(${numerator}, ${denominator}) = ${denominator} AND mod(div(${numerator}, ${denominator}), 2) = 1 THEN 1
    ELSE 0 END)`

/**
 * Whether the refund `f` of the voided clawback `b` did not happen after all. A person waived nothing then, so the next refund is not
 * waived either. What was voided after the reversal had been given back: that was waived.
 */
const isMoot = sql`coalesce(b.status = 'void' AND b.voided_at <= f.reversed_at, false)`

/** Whether a person waived the clawback `b`, whose refund is `f`. */
export const isForgiven = sql`b.status = 'void' AND b.entry_type = 'clawback' AND NOT ${isMoot}`

/**
 * Entries that are inconsistent with their clawbacks, refunds or referral, which race conditions in earlier versions could cause. Each
 * statement selects the entry and describes the problem; `tributary doctor` lists them and `doctor --repair` fixes them.
 */
export const damagedEntries = {
  'a void entry has no active clawbacks': sql`
    /* every account */ SELECT c.account_id, c.id,
           format('entry %s of account %s is void, but its clawbacks still add up to %s', c.id, c.account_id,
                  sum(b.payout_amount_minor)) AS problem
      FROM commissions c JOIN commissions b ON b.account_id = c.account_id AND b.clawback_of = c.id AND b.status <> 'void'
     WHERE c.status = 'void'
     GROUP BY c.account_id, c.id HAVING sum(b.amount_minor) <> 0`,

  'every refund of a sale is clawed back from its entries': sql`
    /* every account */ SELECT e.account_id, e.id,
           format('entry %s of account %s: the refunds of sale %s should claw back %s, but %s was clawed back', e.id, e.account_id,
                  e.external_id, e.due_minor, e.taken_minor) AS problem
      FROM (SELECT c.account_id, c.id, s.external_id,
                   ${halfEven(sql`(c.amount_minor * x.refunded_minor)`, sql`s.amount_minor`)} AS due_minor,
                   -- A clawback that a user voided separately counts as clawed back.
                   coalesce((SELECT -sum(b.amount_minor) FROM commissions b
                               LEFT JOIN refunds f ON f.account_id = b.account_id AND f.id = b.refund_id
                              WHERE b.account_id = c.account_id AND b.clawback_of = c.id AND NOT ${isMoot}), 0) AS taken_minor
              FROM (SELECT account_id, sale_id, sum(amount_minor) AS refunded_minor FROM refunds WHERE reversed_at IS NULL
                     GROUP BY account_id, sale_id) x
              JOIN sales s ON s.account_id = x.account_id AND s.id = x.sale_id
              JOIN commissions c ON c.account_id = s.account_id AND c.sale_id = s.id AND c.entry_type IN ('earned', 'credit')
                                AND c.status <> 'void') e
     WHERE e.taken_minor < e.due_minor`,

  'a rejected referral has no unpaid earnings': sql`
    /* every account */ SELECT c.account_id, c.id,
           format('entry %s of account %s is active, but its referral is rejected', c.id, c.account_id) AS problem
      FROM commissions c JOIN referrals r ON r.account_id = c.account_id AND r.id = c.referral_id
     WHERE c.entry_type IN ('earned', 'credit') AND c.status <> 'void' AND r.status = 'rejected'
       AND c.amount_minor <> coalesce((SELECT -sum(b.amount_minor) FROM commissions b
             WHERE b.account_id = c.account_id AND b.clawback_of = c.id AND b.status <> 'void'), 0)`,

  'a rejected referral has no pending entries': sql`
    /* every account */ SELECT c.account_id, c.id,
           format('entry %s of account %s is pending, but its referral is rejected', c.id, c.account_id) AS problem
      FROM commissions c JOIN referrals r ON r.account_id = c.account_id AND r.id = c.referral_id
     WHERE c.entry_type IN ('earned', 'credit') AND c.status = 'pending' AND r.status = 'rejected'`,

  'a clawback is pending only while its entry is': sql`
    /* every account */ SELECT c.account_id, c.id,
           format('clawback %s of account %s is pending, but its entry is %s', b.id, b.account_id, c.status) AS problem
      FROM commissions b JOIN commissions c ON c.account_id = b.account_id AND c.id = b.clawback_of
     WHERE b.status = 'pending' AND c.status <> 'pending'`,
}
