import { type Sql, sql } from '../../db/sql.ts'

/** A fraction of whole numbers rounded half to even, as entries are. */
const halfEven = (numerator: Sql, denominator: Sql): Sql => sql`(
  div(${numerator}, ${denominator}) + CASE
    WHEN 2 * mod(${numerator}, ${denominator}) > ${denominator} THEN 1
    WHEN 2 * mod(${numerator}, ${denominator}) = ${denominator} AND mod(div(${numerator}, ${denominator}), 2) = 1 THEN 1
    ELSE 0 END)`

/**
 * Entries that have parted from their clawbacks, refunds or referral, as races of earlier versions could leave them. Each statement
 * selects the entry and describes the problem; `tributary doctor` names them and `doctor --repair` mends them.
 */
export const damagedEntries = {
  'an entry that is void has no clawback that counts': sql`
    /* every account */ SELECT c.account_id, c.id,
           format('entry %s of account %s is void, and %s of its clawbacks still counts', c.id, c.account_id,
                  sum(b.payout_amount_minor)) AS problem
      FROM commissions c JOIN commissions b ON b.account_id = c.account_id AND b.clawback_of = c.id AND b.status <> 'void'
     WHERE c.status = 'void'
     GROUP BY c.account_id, c.id HAVING sum(b.amount_minor) <> 0`,

  'an entry that counts has every refund of its sale taken back': sql`
    /* every account */ SELECT e.account_id, e.id,
           format('entry %s of account %s: the refunds of sale %s take back %s, and %s was taken back', e.id, e.account_id,
                  e.external_id, e.due_minor, e.taken_minor) AS problem
      FROM (SELECT c.account_id, c.id, s.external_id,
                   ${halfEven(sql`(c.amount_minor * f.refunded_minor)`, sql`s.amount_minor`)} AS due_minor,
                   -- What a person forgave by voiding a clawback alone counts as taken back.
                   coalesce((SELECT -sum(b.amount_minor) FROM commissions b
                              WHERE b.account_id = c.account_id AND b.clawback_of = c.id AND b.entry_type = 'clawback'), 0) AS taken_minor
              FROM (SELECT account_id, sale_id, sum(amount_minor) AS refunded_minor FROM refunds GROUP BY account_id, sale_id) f
              JOIN sales s ON s.account_id = f.account_id AND s.id = f.sale_id
              JOIN commissions c ON c.account_id = s.account_id AND c.sale_id = s.id AND c.entry_type IN ('earned', 'credit')
                                AND c.status <> 'void') e
     WHERE e.taken_minor < e.due_minor`,

  'nothing of a rejected referral is owed': sql`
    /* every account */ SELECT c.account_id, c.id,
           format('entry %s of account %s counts, and its referral is rejected', c.id, c.account_id) AS problem
      FROM commissions c JOIN referrals r ON r.account_id = c.account_id AND r.id = c.referral_id
     WHERE c.entry_type IN ('earned', 'credit') AND c.status <> 'void' AND r.status = 'rejected'
       AND c.amount_minor <> coalesce((SELECT -sum(b.amount_minor) FROM commissions b
             WHERE b.account_id = c.account_id AND b.clawback_of = c.id AND b.entry_type = 'clawback' AND b.status <> 'void'), 0)`,

  'nothing of a rejected referral is pending': sql`
    /* every account */ SELECT c.account_id, c.id,
           format('entry %s of account %s is pending, and its referral is rejected', c.id, c.account_id) AS problem
      FROM commissions c JOIN referrals r ON r.account_id = c.account_id AND r.id = c.referral_id
     WHERE c.entry_type IN ('earned', 'credit') AND c.status = 'pending' AND r.status = 'rejected'`,

  'what was taken back waits no longer than what it is taken from': sql`
    /* every account */ SELECT c.account_id, c.id,
           format('clawback %s of account %s is pending, its entry is %s', b.id, b.account_id, c.status) AS problem
      FROM commissions b JOIN commissions c ON c.account_id = b.account_id AND c.id = b.clawback_of
     WHERE b.status = 'pending' AND c.status <> 'pending'`,
}
