import type { Commission } from '@tributary/contract'
import type { Tx } from '../../db/database.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { entryColumns } from './entries.ts'

/** The entries that unsettled items are made of: found through what is open of their affiliates, which is little. */
const pinsOf = (accountId: number, itemIds: number[]): Sql => sql`
  pins AS (
    SELECT p.commission_id, p.payout_item_id
      FROM payout_items i
      JOIN payouts b ON b.account_id = ${accountId} AND b.id = i.payout_id
      JOIN commissions c ON c.account_id = ${accountId} AND c.campaign_id = b.campaign_id AND c.affiliate_id = i.affiliate_id
                        AND c.status IN ('pending', 'approved')
      JOIN pinned_commissions p ON p.account_id = ${accountId} AND p.commission_id = c.id AND p.payout_item_id = i.id AND NOT p.released
     WHERE i.account_id = ${accountId} AND i.id = ANY (${itemIds}::bigint[])
  )`

/**
 * The ledger's side of items that were paid: their entries become `paid`, and one payout entry each takes the amount off the
 * balance. Refuses to go on when an item is not exactly the sum of its entries: then nothing of this is written. The entries are
 * locked lowest id first, as rejections and reviews lock them: an UPDATE would take them in the planner's order, and deadlock.
 */
export async function payPinned(tx: Tx, accountId: number, itemIds: number[]): Promise<Commission[]> {
  await tx.many(sql`
    WITH ${pinsOf(accountId, itemIds)}
    SELECT c.id FROM commissions c
     WHERE c.account_id = ${accountId} AND c.id IN (SELECT pins.commission_id FROM pins) ORDER BY c.id FOR NO KEY UPDATE`)
  const wrong = await tx.first<{ id: number }>(sql`
    WITH ${pinsOf(accountId, itemIds)}, paid AS (
      UPDATE commissions c SET status = 'paid' FROM pins
       WHERE c.account_id = ${accountId} AND c.id = pins.commission_id AND c.status = 'approved'
      RETURNING pins.payout_item_id, c.payout_amount_minor
    )
    SELECT i.id FROM payout_items i LEFT JOIN paid ON paid.payout_item_id = i.id
     WHERE i.account_id = ${accountId} AND i.id = ANY (${itemIds}::bigint[])
     GROUP BY i.id, i.amount_minor HAVING i.amount_minor <> coalesce(sum(paid.payout_amount_minor), 0) LIMIT 1`)
  if (wrong) throw new Error(`Payout item ${wrong.id} is not the sum of its commissions.`)
  return tx.many(sql`
    INSERT INTO commissions AS c (account_id, campaign_id, affiliate_id, entry_type, beneficiary, amount_minor, currency,
      payout_amount_minor, payout_currency, status, description, payout_item_id)
    SELECT ${accountId}, b.campaign_id, i.affiliate_id, 'payout',
           CASE g.program_type WHEN 'referral' THEN 'referrer' ELSE 'affiliate' END,
           -i.amount_minor, i.currency, -i.amount_minor, i.currency, 'paid', format('Payout %s', b.id), i.id
      FROM payout_items i
      JOIN payouts b ON b.account_id = ${accountId} AND b.id = i.payout_id
      JOIN campaigns g ON g.account_id = ${accountId} AND g.id = b.campaign_id
     WHERE i.account_id = ${accountId} AND i.id = ANY (${itemIds}::bigint[]) ORDER BY i.id
    RETURNING ${entryColumns}`)
}

/** Items that were not paid let go of their entries, which the next payout takes up. */
export async function releasePinned(tx: Tx, accountId: number, itemIds: number[]): Promise<void> {
  await tx.many(sql`
    WITH ${pinsOf(accountId, itemIds)}
    UPDATE pinned_commissions p SET released = true FROM pins
     WHERE p.account_id = ${accountId} AND p.commission_id = pins.commission_id AND p.payout_item_id = pins.payout_item_id
       AND NOT p.released`)
}

/**
 * Corrects the ledger where a rail changed its mind about an item: money that came back is owed again, and money that left
 * after all is not. The caller has locked the item and seen that the ledger says otherwise.
 */
export async function correctItem(
  tx: Tx,
  accountId: number,
  itemId: number,
  change: 'came back' | 'left after all',
): Promise<Commission> {
  const [sign, description] =
    change === 'came back' ? [1, 'Payout %s came back'] : [-1, 'Payout %s was paid after all']
  const entry = await tx.first<Commission>(sql`
    INSERT INTO commissions AS c (account_id, campaign_id, affiliate_id, entry_type, beneficiary, amount_minor, currency,
      payout_amount_minor, payout_currency, status, description, payout_item_id)
    SELECT ${accountId}, b.campaign_id, i.affiliate_id, 'adjustment',
           CASE g.program_type WHEN 'referral' THEN 'referrer' ELSE 'affiliate' END,
           ${sign} * i.amount_minor, i.currency, ${sign} * i.amount_minor, i.currency, 'approved', format(${description}, b.id), i.id
      FROM payout_items i
      JOIN payouts b ON b.account_id = ${accountId} AND b.id = i.payout_id
      JOIN campaigns g ON g.account_id = ${accountId} AND g.id = b.campaign_id
     WHERE i.account_id = ${accountId} AND i.id = ${itemId}
    RETURNING ${entryColumns}`)
  return entry as Commission
}
