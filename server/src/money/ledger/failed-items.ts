import type { Db, Tx } from '../../db/database.ts'
import { all, type Sql, sql, when } from '../../db/sql.ts'

/**
 * Whether the money of the failed item `i` of the payout `p` is still owed as it was: all its entries are approved and in no other payout,
 * and its rail has not reported since that it was paid after all.
 */
export const isStillOwed = (accountId: number): Sql => sql`(i.status = 'failed'
  AND i.amount_minor = (
    SELECT coalesce(sum(c.payout_amount_minor), 0) FROM commissions c
      JOIN pinned_commissions n ON n.account_id = ${accountId} AND n.commission_id = c.id AND n.payout_item_id = i.id
     WHERE c.account_id = ${accountId} AND c.campaign_id = p.campaign_id AND c.affiliate_id = i.affiliate_id AND c.status = 'approved'
       AND NOT EXISTS (SELECT 1 FROM pinned_commissions o
                        WHERE o.account_id = ${accountId} AND o.commission_id = c.id AND NOT o.released))
  AND 0 = (SELECT coalesce(sum(c.payout_amount_minor), 0) FROM commissions c
            WHERE c.account_id = ${accountId} AND c.payout_item_id = i.id))`

export interface FailedItem {
  id: number
  affiliate_id: number
  is_still_owed: boolean
}

/** The failed items of a payout, or those among the given ones. */
export function failedItems(
  db: Db,
  accountId: number,
  payoutId: number,
  itemIds: number[] | undefined,
): Promise<FailedItem[]> {
  const named = all(when(itemIds, ids => sql`i.id = ANY (${ids}::bigint[])`))
  return db.many(sql`
    SELECT i.id, i.affiliate_id, ${isStillOwed(accountId)} AS is_still_owed
      FROM payouts p JOIN payout_items i ON i.account_id = ${accountId} AND i.payout_id = p.id
     WHERE p.account_id = ${accountId} AND p.id = ${payoutId} AND i.status = 'failed' AND ${named} ORDER BY i.id`)
}

/**
 * Creates a manual payout of exactly the entries of these failed items, which a person has paid since. The entries are the same, so it
 * has the same amounts, whatever was earned or refunded in the meantime. It was paid another way, so not to the address that failed. The caller holds the campaign's lock and has checked them.
 */
export async function insertPayoutOfFailed(
  tx: Tx,
  accountId: number,
  payoutId: number,
  itemIds: number[],
): Promise<number> {
  const row = await tx.first<{ id: number }>(sql`
    WITH failed AS (
      SELECT i.id, i.affiliate_id, i.amount_minor, i.currency FROM payout_items i
       WHERE i.account_id = ${accountId} AND i.payout_id = ${payoutId} AND i.id = ANY (${itemIds}::bigint[])
    ), payout AS (
      INSERT INTO payouts (account_id, campaign_id, rail, status, currency, total_minor, minimum_payout_minor, cut_off)
      SELECT ${accountId}, p.campaign_id, 'manual', 'pending', p.currency, (SELECT sum(f.amount_minor) FROM failed f),
             p.minimum_payout_minor, p.cut_off
        FROM payouts p WHERE p.account_id = ${accountId} AND p.id = ${payoutId}
      RETURNING id, campaign_id
    ), items AS (
      INSERT INTO payout_items (account_id, payout_id, affiliate_id, amount_minor, currency, status)
      SELECT ${accountId}, payout.id, f.affiliate_id, f.amount_minor, f.currency, 'pending'
        FROM payout, failed f ORDER BY f.affiliate_id
      RETURNING id, affiliate_id
    ), pins AS (
      INSERT INTO pinned_commissions (account_id, commission_id, payout_item_id)
      SELECT ${accountId}, c.id, items.id
        FROM items
        JOIN failed f ON f.affiliate_id = items.affiliate_id
        CROSS JOIN payout
        JOIN commissions c ON c.account_id = ${accountId} AND c.campaign_id = payout.campaign_id
                          AND c.affiliate_id = f.affiliate_id AND c.status = 'approved'
        JOIN pinned_commissions n ON n.account_id = ${accountId} AND n.commission_id = c.id AND n.payout_item_id = f.id
       ORDER BY c.id
    )
    SELECT payout.id FROM payout`)
  return (row as { id: number }).id
}
