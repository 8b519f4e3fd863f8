import type { Db } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import { isCredit } from '../money/ledger/entries.ts'
import { isOwed } from '../money/ledger/own-money.ts'

export interface NewAffiliate {
  id: number
  name: string
  /** Of all that were added in the period. */
  total: number
}

/** The first affiliates that were added in a range of days, rejected ones excluded. */
export function findNewAffiliates(
  db: Db,
  accountId: number,
  { from, to, limit }: { from: string; to: string; limit: number },
): Promise<NewAffiliate[]> {
  return db.many(sql`
    WITH range AS MATERIALIZED (
      SELECT day_start(${from}::date, a.time_zone) AS starts, day_start(${to}::date + 1, a.time_zone) AS ends
        FROM accounts a WHERE a.id = ${accountId}
    )
    SELECT f.id, coalesce(f.name, f.email) AS name, (count(*) OVER ())::integer AS total
      FROM affiliates f CROSS JOIN range
     WHERE f.account_id = ${accountId} AND f.created_at >= range.starts AND f.created_at < range.ends AND f.status <> 'rejected'
     ORDER BY f.id LIMIT ${limit}`)
}

/** What moved an affiliate's balance, which credit is not part of, besides what they earned: taken back, added by a person or for a returned payment, and paid. */
export interface MovedSum {
  affiliate_id: number
  currency: string
  clawbacks_minor: number
  adjustments_minor: number
  paid_minor: number
}

export function sumMoved(
  db: Db,
  accountId: number,
  { from, to, affiliateIds }: { from: string; to: string; affiliateIds: number[] },
): Promise<MovedSum[]> {
  const sumOf = (type: 'clawback' | 'adjustment' | 'payout') =>
    sql`coalesce(sum(c.payout_amount_minor) FILTER (WHERE c.entry_type = ${type}), 0)`
  return db.many(sql`
    WITH range AS MATERIALIZED (
      SELECT day_start(${from}::date, a.time_zone) AS starts, day_start(${to}::date + 1, a.time_zone) AS ends
        FROM accounts a WHERE a.id = ${accountId}
    )
    SELECT c.affiliate_id, c.payout_currency AS currency, ${sumOf('clawback')} AS clawbacks_minor,
           ${sumOf('adjustment')} AS adjustments_minor, -${sumOf('payout')} AS paid_minor
      FROM commissions c CROSS JOIN range
     WHERE c.account_id = ${accountId} AND c.affiliate_id = ANY (${affiliateIds}::bigint[])
       AND c.entry_type IN ('clawback', 'adjustment', 'payout')
       AND c.created_at >= range.starts AND c.created_at < range.ends AND ${isOwed(accountId)}
       AND NOT ${isCredit(accountId)}
     GROUP BY 1, 2 ORDER BY 1, 2`)
}
