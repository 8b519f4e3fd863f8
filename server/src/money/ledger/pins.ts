import type { Commission } from '@tributary/contract'
import type { Tx } from '../../db/database.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { entryColumns, isOfCurrentAssignment } from './entries.ts'

/**
 * Serializes whatever puts a campaign's entries into payouts, or takes away entries that are in none, until the transaction ends. Taken
 * before any entry is locked.
 */
export async function lockCampaignPayouts(tx: Tx, accountId: number, campaignId: number): Promise<void> {
  const key = `payout ${accountId} ${campaignId}`
  await tx.many(sql`SELECT pg_advisory_xact_lock(hashtextextended(${key}, 0))`)
}

/** Locks the campaigns of these entries as above, in id order. */
export async function lockPayoutsOf(tx: Tx, accountId: number, ids: number[]): Promise<void> {
  const campaigns = await tx.many<{ campaign_id: number }>(sql`
    SELECT DISTINCT c.campaign_id FROM commissions c
     WHERE c.account_id = ${accountId} AND c.id = ANY (${ids}::bigint[]) ORDER BY c.campaign_id`)
  for (const { campaign_id } of campaigns) await lockCampaignPayouts(tx, accountId, campaign_id)
}

/** Locks the campaigns of a referral as above, in id order: its own, which the caller names, and those that it has entries in. */
export async function lockPayoutsOfReferral(
  tx: Tx,
  accountId: number,
  referral: { id: number; campaign_id: number },
): Promise<void> {
  const campaigns = await tx.many<{ campaign_id: number }>(sql`
    SELECT c.campaign_id FROM commissions c WHERE c.account_id = ${accountId} AND c.referral_id = ${referral.id}
     UNION SELECT ${referral.campaign_id}::bigint ORDER BY 1`)
  for (const { campaign_id } of campaigns) await lockCampaignPayouts(tx, accountId, campaign_id)
}

/** The sales of a referral of which anything that counts is paid, or in a payout or test payout. The caller has locked the payouts. */
export async function salesInPayouts(tx: Tx, accountId: number, referralId: number): Promise<Set<number>> {
  const sales = await tx.many<{ sale_id: number | null }>(sql`
    SELECT DISTINCT c.sale_id FROM commissions c
     WHERE c.account_id = ${accountId} AND c.referral_id = ${referralId} AND ${isOfCurrentAssignment(accountId)}
       AND (c.status = 'paid' OR EXISTS (SELECT 1 FROM pinned_commissions p
             WHERE p.account_id = ${accountId} AND p.commission_id = c.id AND NOT p.released)
            OR EXISTS (SELECT 1 FROM test_payout_entries t WHERE t.account_id = ${accountId} AND t.commission_id = c.id))`)
  return new Set(sales.flatMap(({ sale_id }) => sale_id ?? []))
}

/** The payout that an entry is in and that hasn't failed or been canceled. */
export async function payoutOfEntry(tx: Tx, accountId: number, id: number): Promise<number | undefined> {
  const row = await tx.first<{ payout_id: number }>(sql`
    SELECT i.payout_id FROM pinned_commissions p
      JOIN payout_items i ON i.account_id = ${accountId} AND i.id = p.payout_item_id
     WHERE p.account_id = ${accountId} AND p.commission_id = ${id} AND NOT p.released`)
  return row?.payout_id
}

/** The entries of unsettled items, found through their affiliates' open entries, which are few. */
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
 * Books paid items in the ledger: their entries become `paid`, and a payout entry for each deducts its amount from the balance. Throws,
 * and so rolls back, if an item is not exactly the sum of its entries. The entries are locked in id order, as rejections and reviews do:
 * an UPDATE would lock them in the planner's order and could deadlock.
 */
export async function payPinned(tx: Tx, accountId: number, itemIds: number[]): Promise<Commission[]> {
  await tx.many(sql`
    WITH ${pinsOf(accountId, itemIds)}
    SELECT c.id FROM commissions c
     WHERE c.account_id = ${accountId} AND c.id = ANY (ARRAY(SELECT pins.commission_id FROM pins)) ORDER BY c.id FOR NO KEY UPDATE`)
  const mismatch = await tx.first<{ id: number }>(sql`
    WITH ${pinsOf(accountId, itemIds)}, paid AS (
      UPDATE commissions c SET status = 'paid' FROM pins
       WHERE c.account_id = ${accountId} AND c.id = pins.commission_id AND c.status = 'approved'
      RETURNING pins.payout_item_id, c.payout_amount_minor
    )
    SELECT i.id FROM payout_items i LEFT JOIN paid ON paid.payout_item_id = i.id
     WHERE i.account_id = ${accountId} AND i.id = ANY (${itemIds}::bigint[])
     GROUP BY i.id, i.amount_minor HAVING i.amount_minor <> coalesce(sum(paid.payout_amount_minor), 0) LIMIT 1`)
  if (mismatch) throw new Error(`Payout item ${mismatch.id} is not the sum of its commissions.`)
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

/** Releases the entries of unpaid items for the next payout. */
export async function releasePinned(tx: Tx, accountId: number, itemIds: number[]): Promise<void> {
  await tx.many(sql`
    WITH ${pinsOf(accountId, itemIds)}
    UPDATE pinned_commissions p SET released = true FROM pins
     WHERE p.account_id = ${accountId} AND p.commission_id = pins.commission_id AND p.payout_item_id = pins.payout_item_id
       AND NOT p.released`)
}

/**
 * Corrects the ledger after a rail changed the outcome of a settled item: returned money is owed again, and money that was paid after all
 * is not. The caller has locked the item and checked that the ledger differs.
 */
export async function correctItem(
  tx: Tx,
  accountId: number,
  itemId: number,
  change: 'returned' | 'paid',
): Promise<Commission> {
  const [sign, description] =
    change === 'returned' ? [1, 'Payout %s was returned'] : [-1, 'Payout %s was paid after all']
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
