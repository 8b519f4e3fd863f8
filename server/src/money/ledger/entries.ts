import type { Commission } from '@tributary/contract'
import { NOW } from '../../db/current-time.ts'
import type { Db, Tx } from '../../db/database.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { shownDescription, withShownDescriptions } from './credit-outcome.ts'
import { isForgiven } from './damage.ts'
import type { NewEntry, SaleEntry, SourcedEntry } from './entry.ts'
import type { TakenByRefunds } from './give-back.ts'
import { isOwn } from './own-money.ts'
import { assertTotals, sumOfLargeEntries } from './totals.ts'

const frozenColumns = sql`c.id, c.campaign_id, c.affiliate_id, c.referral_id, c.entry_type, c.beneficiary, c.amount_minor,
  c.currency, c.payout_amount_minor, c.payout_currency, c.status, c.hold_until, c.created_at`

/** An entry as it is stored, for what writes the ledger. */
export const entryColumns = sql`${frozenColumns}, c.description`

/** An entry as the company reads it: the description of credit says what happened to it at the billing provider. */
export const shownEntryColumns = (accountId: number): Sql =>
  sql`${frozenColumns}, ${shownDescription(accountId)} AS description`

/** Whether the entry aliased `c` gives voided credit back, or takes that again: it stands beside the void entry and does not name it. */
export const isCreditGivenBack = (accountId: number): Sql => sql`(
  c.entry_type = 'adjustment' AND c.clawback_of IS NULL AND EXISTS (
    SELECT 1 FROM commissions x WHERE x.account_id = ${accountId} AND x.sale_id = c.sale_id AND x.beneficiary = c.beneficiary
       AND x.assignment = c.assignment AND x.entry_type = 'credit'))`

/** Whether the entry aliased `c` is credit, claws some back or gives it back. Credit is not money: it is never paid out. */
export const isCredit = (accountId: number): Sql => sql`(c.entry_type = 'credit' OR EXISTS (
  SELECT 1 FROM commissions x WHERE x.account_id = ${accountId} AND x.id = c.clawback_of AND x.entry_type = 'credit')
  OR ${isCreditGivenBack(accountId)})`

/** Whether the entry aliased `c` was earned by the affiliate: not test data, and not a referee's reward. */
export const isOwnEarning = (accountId: number): Sql => sql`c.entry_type = 'earned' AND ${isOwn(accountId)}`

/**
 * The first affiliate, by id and starting with this one, who has earned anything. Written this way, the planner always uses the index on
 * affiliates: if a few affiliates have most of the entries, it plans a plain EXISTS as a scan that reads all of those for the others.
 */
const firstEarnerFrom = (accountId: number, affiliateId: Sql | number): Sql => sql`
  SELECT c.affiliate_id FROM commissions c
   WHERE c.account_id = ${accountId} AND c.affiliate_id >= ${affiliateId} AND ${isOwnEarning(accountId)}
   ORDER BY c.affiliate_id LIMIT 1`

/** A referee's reward is not the affiliate's earning. */
export const isEarning = ({ entry_type, beneficiary }: Pick<NewEntry, 'entry_type' | 'beneficiary'>) =>
  entry_type === 'earned' && beneficiary !== 'referee'

/** Whether the affiliate has earned nothing so far. */
export const hasEarnedNothing = (accountId: number, affiliateId: Sql | number): Sql =>
  sql`(${firstEarnerFrom(accountId, affiliateId)}) IS DISTINCT FROM ${affiliateId}`

/** How often a sale was earned anew because its referral was reassigned. */
const assignmentOf = (accountId: number, saleId: Sql): Sql =>
  sql`(SELECT s.assignment FROM sales s WHERE s.account_id = ${accountId} AND s.id = ${saleId})`

/** Whether the entry aliased `c` is of its sale's current assignment, and the sale was not replaced by another one, which has earned it too. */
export const isOfCountedSale = (accountId: number): Sql => sql`c.assignment = coalesce((
  SELECT CASE WHEN s.replaced_by IS NULL THEN s.assignment ELSE -1 END FROM sales s
   WHERE s.account_id = ${accountId} AND s.id = c.sale_id), 0)`

/** Whether the entry aliased `c` is of its sale's current assignment: what was written before a reassignment has been taken back. */
export const isOfCurrentAssignment = (accountId: number): Sql =>
  sql`c.assignment = coalesce(${assignmentOf(accountId, sql`c.sale_id`)}, 0)`

/**
 * Inserts an entry and returns whether it is the affiliate's first earning. Undefined if the sale already has this entry: reporting a sale
 * twice earns once. An entry that would push a total out of range is rejected.
 */
export async function insertEntry(
  tx: Tx,
  accountId: number,
  entry: NewEntry,
): Promise<(Commission & { is_first: boolean }) | undefined> {
  const written = await tx.first<Commission & { is_first: boolean; large_minor: number }>(sql`
    INSERT INTO commissions AS c (account_id, campaign_id, affiliate_id, referral_id, entry_type, beneficiary, amount_minor,
      currency, payout_amount_minor, payout_currency, status, hold_until, description, sale_id, rule_version, clawback_of,
      refund_id, fx_rate, fx_source, request_id, assignment)
    VALUES (${accountId}, ${entry.campaign_id}, ${entry.affiliate_id}, ${entry.referral_id}, ${entry.entry_type},
      ${entry.beneficiary}, ${entry.amount_minor}, ${entry.currency}, ${entry.payout_amount_minor}, ${entry.payout_currency},
      ${entry.status}, ${entry.hold_until}, ${entry.description}, ${entry.sale_id ?? null}, ${entry.rule_version ?? null},
      ${entry.clawback_of ?? null}, ${entry.refund_id ?? null}, ${entry.fx_rate ?? null}, ${entry.fx_source ?? null},
      ${entry.request_id ?? null}, coalesce(${assignmentOf(accountId, sql`${entry.sale_id ?? null}`)}, 0))
    ON CONFLICT (account_id, sale_id, beneficiary, assignment) WHERE entry_type IN ('earned', 'credit') AND sale_id IS NOT NULL DO NOTHING
    RETURNING ${entryColumns}, ${isEarning(entry) ? hasEarnedNothing(accountId, entry.affiliate_id) : sql`false`} AS is_first,
              ${sumOfLargeEntries(accountId)} AS large_minor`)
  if (written) await assertTotals(tx, accountId, entry, written.large_minor)
  return written
}

/**
 * The earned and credited entries that match, each with the amount clawed back. Locked in id order in a separate statement, so that a
 * concurrent refund or rejection of the same entries waits and then sees the clawbacks. What was given back of them and is on hold is
 * locked with them: a release or a review of it happens before or after. Here and in other locks, the IDs are an array, which is computed
 * once: a plan from when the table was almost empty would find them again for each row.
 */
async function lockSaleEntries(tx: Tx, accountId: number, condition: Sql): Promise<SaleEntry[]> {
  await tx.many(sql`
    SELECT c.id FROM commissions c
     WHERE c.account_id = ${accountId} AND c.id = ANY (ARRAY(
             SELECT c.id FROM commissions c
              WHERE c.account_id = ${accountId} AND c.entry_type IN ('earned', 'credit') AND ${condition}
              UNION ALL
             SELECT b.id FROM commissions c
               JOIN commissions b ON b.account_id = ${accountId} AND b.referral_id = c.referral_id AND b.sale_id = c.sale_id
                AND b.assignment = c.assignment AND b.entry_type = 'adjustment' AND b.clawback_of IS NULL AND b.status = 'pending'
              WHERE c.account_id = ${accountId} AND c.entry_type IN ('earned', 'credit') AND c.status = 'void' AND ${condition}))
     ORDER BY c.id FOR NO KEY UPDATE`)
  return tx.many(sql`
    SELECT ${entryColumns}, c.sale_id, c.fx_rate::text AS fx_rate, c.fx_source,
           coalesce(taken.clawed_minor, 0)::bigint AS clawed_minor, coalesce(taken.clawed_payout_minor, 0)::bigint AS clawed_payout_minor,
           coalesce(taken.forgiven_minor, 0)::bigint AS forgiven_minor,
           coalesce(taken.forgiven_payout_minor, 0)::bigint AS forgiven_payout_minor,
           coalesce(given.minor, 0)::bigint AS reinstated_minor, coalesce(given.payout_minor, 0)::bigint AS reinstated_payout_minor,
           coalesce(given.on_hold, '[]') AS reinstated_on_hold,
           coalesce(given.waived_minor, 0)::bigint AS waived_minor, coalesce(given.waived_payout_minor, 0)::bigint AS waived_payout_minor
      FROM commissions c
      LEFT JOIN LATERAL (
        SELECT -sum(b.amount_minor) FILTER (WHERE b.status <> 'void') AS clawed_minor,
               -sum(b.payout_amount_minor) FILTER (WHERE b.status <> 'void') AS clawed_payout_minor,
               -sum(b.amount_minor) FILTER (WHERE ${isForgiven}) AS forgiven_minor,
               -sum(b.payout_amount_minor) FILTER (WHERE ${isForgiven}) AS forgiven_payout_minor
          FROM commissions b
          LEFT JOIN refunds f ON f.account_id = ${accountId} AND f.id = b.refund_id
         -- An adjustment gives back what a refund took that did not happen after all.
         WHERE b.account_id = ${accountId} AND b.clawback_of = c.id) taken ON true
      LEFT JOIN LATERAL (
        SELECT sum(b.amount_minor) FILTER (WHERE b.status <> 'void') AS minor,
               sum(b.payout_amount_minor) FILTER (WHERE b.status <> 'void') AS payout_minor,
               json_agg(json_build_object('id', b.id, 'amount_minor', b.amount_minor, 'payout_amount_minor', b.payout_amount_minor)
                        ORDER BY b.id) FILTER (WHERE b.status = 'pending') AS on_hold,
               sum(b.amount_minor) FILTER (WHERE b.status = 'void' AND v.commission_id IS NULL) AS waived_minor,
               sum(b.payout_amount_minor) FILTER (WHERE b.status = 'void' AND v.commission_id IS NULL) AS waived_payout_minor
          FROM commissions b
          LEFT JOIN LATERAL (
            SELECT n.commission_id FROM refunds f
              JOIN refund_voids n ON n.account_id = ${accountId} AND n.refund_id = f.id AND n.commission_id = b.id
             WHERE f.account_id = ${accountId} AND f.sale_id = b.sale_id LIMIT 1) v ON true
         WHERE c.status = 'void' AND b.account_id = ${accountId} AND b.referral_id = c.referral_id AND b.sale_id IS NOT DISTINCT FROM c.sale_id
           AND b.beneficiary = c.beneficiary AND b.assignment = c.assignment AND b.entry_type = 'adjustment' AND b.clawback_of IS NULL) given ON true
     WHERE c.account_id = ${accountId} AND c.entry_type IN ('earned', 'credit') AND ${condition}
     ORDER BY c.id`)
}

export const lockEntry = async (tx: Tx, accountId: number, id: number): Promise<SaleEntry | undefined> =>
  (await lockSaleEntries(tx, accountId, sql`c.id = ${id}`))[0]

/** Without what was taken back when the referral was reassigned: refunds and rejections concern the affiliate who is credited now. */
export const lockEntriesOfSale = (tx: Tx, accountId: number, saleId: number) =>
  lockSaleEntries(tx, accountId, sql`c.sale_id = ${saleId} AND ${isOfCurrentAssignment(accountId)}`)

/** Those of several sales at once: locked one sale after the other, their IDs would be in no order. */
export const lockEntriesOfSales = (tx: Tx, accountId: number, saleIds: number[]) =>
  // The unique index covers entries with a sale; of a list the planner doesn't know that it has no null.
  lockSaleEntries(
    tx,
    accountId,
    sql`c.sale_id = ANY (${saleIds}::bigint[]) AND c.sale_id IS NOT NULL AND ${isOfCurrentAssignment(accountId)}`,
  )

export const lockEntriesOfReferral = (tx: Tx, accountId: number, referralId: number) =>
  lockSaleEntries(tx, accountId, sql`c.referral_id = ${referralId} AND ${isOfCurrentAssignment(accountId)}`)

/** The adjustment that this request has made. Another request with the same ID waits until the transaction ends. */
export async function lockEntryOfRequest(
  tx: Tx,
  accountId: number,
  requestId: string,
): Promise<Commission | undefined> {
  await tx.many(sql`
    SELECT pg_advisory_xact_lock(hashtextextended('adjustment:' || ${requestId}::text, ${accountId}))`)
  return tx.first(sql`
    SELECT ${entryColumns} FROM commissions c WHERE c.account_id = ${accountId} AND c.request_id = ${requestId}`)
}

/** What a sale has earned, for whom it is credited to now. */
export async function entriesOfSale(db: Db, accountId: number, saleId: number): Promise<Commission[]> {
  const entries = await db.many<Commission>(sql`
    SELECT ${entryColumns} FROM commissions c
     WHERE c.account_id = ${accountId} AND c.sale_id = ${saleId} AND c.entry_type IN ('earned', 'credit')
       AND ${isOfCurrentAssignment(accountId)} ORDER BY c.id`)
  return withShownDescriptions(db, accountId, entries)
}

/** Every entry of a referral, whatever its kind. */
export function entriesOfReferral(db: Db, accountId: number, referralId: number): Promise<Commission[]> {
  return db.many(sql`
    SELECT ${entryColumns} FROM commissions c
     WHERE c.account_id = ${accountId} AND c.referral_id = ${referralId} ORDER BY c.id`)
}

/** What a refund wrote, found through what its sale earned, and the entries that it voided. */
export async function entriesOfRefund(
  db: Db,
  accountId: number,
  refund: { id: number; sale_id: number },
): Promise<Commission[]> {
  const entries = await db.many<Commission>(sql`
    SELECT ${entryColumns} FROM commissions c
     WHERE c.account_id = ${accountId} AND c.id = ANY (ARRAY(
             SELECT b.id FROM commissions c
               JOIN commissions b ON b.account_id = ${accountId} AND b.clawback_of = c.id AND b.refund_id = ${refund.id}
              WHERE c.account_id = ${accountId} AND c.entry_type IN ('earned', 'credit') AND c.sale_id = ${refund.sale_id}
              UNION ALL
             -- Of what was given back: it stands beside a void entry and does not name it.
             SELECT b.id FROM commissions c
               JOIN commissions b ON b.account_id = ${accountId} AND b.referral_id = c.referral_id AND b.refund_id = ${refund.id}
                AND b.entry_type = 'adjustment'
              WHERE c.account_id = ${accountId} AND c.entry_type IN ('earned', 'credit') AND c.sale_id = ${refund.sale_id}
                AND c.status = 'void'
              UNION ALL
             SELECT v.commission_id FROM refund_voids v WHERE v.account_id = ${accountId} AND v.refund_id = ${refund.id}))
     ORDER BY c.id`)
  return withShownDescriptions(db, accountId, entries)
}

/** What a sale that was credited later lost to its earlier refunds, all at once. */
export const refundsOf = (saleExternalId: string) => `Refunds of sale ${saleExternalId}`

/**
 * What refunds took from each entry of a sale and was not given back: not what a rejection or a person took. The caller holds the locks of
 * the entries. Clawbacks that a person voided are not taken, but waived.
 */
export function takenByRefunds(
  tx: Tx,
  accountId: number,
  sale: { id: number; external_id: string },
): Promise<(TakenByRefunds & { id: number })[]> {
  return tx.many(sql`
    SELECT c.id, coalesce(-sum(b.amount_minor) FILTER (WHERE b.status <> 'void'), 0)::bigint AS amount_minor,
           coalesce(-sum(b.payout_amount_minor) FILTER (WHERE b.status <> 'void'), 0)::bigint AS payout_amount_minor,
           coalesce(-sum(b.amount_minor) FILTER (WHERE ${isForgiven}), 0)::bigint AS forgiven_minor,
           coalesce(-sum(b.payout_amount_minor) FILTER (WHERE ${isForgiven}), 0)::bigint AS forgiven_payout_minor, EXISTS (
             SELECT 1 FROM refunds f
               JOIN refund_voids v ON v.account_id = ${accountId} AND v.refund_id = f.id AND v.commission_id = c.id
              WHERE f.account_id = ${accountId} AND f.sale_id = ${sale.id} AND f.reversed_at IS NOT NULL) AS is_void_reversed, EXISTS (
             SELECT 1 FROM commissions b
              WHERE b.account_id = ${accountId} AND b.clawback_of = c.id AND b.entry_type = 'clawback' AND b.status <> 'void'
                AND b.refund_id IS NULL AND b.description <> ${refundsOf(sale.external_id)}) AS is_voided_by_person,
           coalesce(bool_or(c.hold_until > ${NOW}), false) AS is_on_hold
      FROM commissions c
      LEFT JOIN commissions b ON b.account_id = ${accountId} AND b.clawback_of = c.id
       AND (b.refund_id IS NOT NULL OR b.entry_type = 'adjustment' OR b.description = ${refundsOf(sale.external_id)})
      LEFT JOIN refunds f ON f.account_id = ${accountId} AND f.id = b.refund_id
     WHERE c.account_id = ${accountId} AND c.sale_id = ${sale.id} AND c.entry_type IN ('earned', 'credit')
     GROUP BY c.id`)
}

/** A void entry with the sum of its active clawbacks and the adjustments that balance them, if it is not zero. */
export function findUnbalanced(
  tx: Tx,
  accountId: number,
  id: number,
): Promise<(SourcedEntry & { left_minor: number; left_payout_minor: number }) | undefined> {
  return tx.first(sql`
    SELECT ${entryColumns}, c.sale_id, c.fx_rate::text AS fx_rate, c.fx_source, x.left_minor, x.left_payout_minor
      FROM commissions c
     CROSS JOIN LATERAL (
        SELECT sum(b.amount_minor)::bigint AS left_minor, coalesce(sum(b.payout_amount_minor), 0)::bigint AS left_payout_minor
          FROM commissions b WHERE b.account_id = ${accountId} AND b.clawback_of = c.id AND b.status <> 'void') x
     WHERE c.account_id = ${accountId} AND c.id = ${id} AND c.status = 'void' AND x.left_minor <> 0`)
}

export async function recordVoid(
  tx: Tx,
  accountId: number,
  refundId: number,
  commissionId: number,
): Promise<void> {
  await tx.many(sql`
    INSERT INTO refund_voids (account_id, refund_id, commission_id) VALUES (${accountId}, ${refundId}, ${commissionId})`)
}
