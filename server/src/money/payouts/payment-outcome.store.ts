import type { PaymentOutcome } from '@tributary/contract'
import type { Db, Tx } from '../../db/database.ts'
import { all, sql, when } from '../../db/sql.ts'
import type { BatchReport, ItemReport } from '../rails/rail.ts'
import type { ReportedOutcome } from './payout.ts'
import { isUnsent } from './submission.store.ts'

/** Submissions (`s`) whose outcome only a person can tell. */
export const decidedByPerson = sql`(s.status = 'unclear' OR s.account_changed)`

/**
 * Records the outcome a person entered, for the given items or for all that allow it, and returns their ids. A person may enter an
 * outcome where no rail reports one: on the manual rail, where a submission is unclear, and where the paying account's
 * credentials are gone. What was never sent can be marked failed, but not paid. The submissions are locked first, so that a call
 * claimed or resumed concurrently is seen; one claimed later skips the items.
 */
export async function recordOutcome(
  tx: Tx,
  accountId: number,
  payoutId: number,
  itemIds: number[] | undefined,
  reported: ReportedOutcome,
): Promise<number[]> {
  const mayDecide = reported.outcome === 'failed' ? sql`(${decidedByPerson} OR ${isUnsent})` : decidedByPerson
  const named = all(when(itemIds, ids => sql`i.id = ANY (${ids}::bigint[])`))
  await tx.many(sql`
    SELECT s.id FROM payout_submissions s
     WHERE s.account_id = ${accountId} AND s.payout_id = ${payoutId} ORDER BY s.id FOR NO KEY UPDATE`)
  const rows = await tx.many<{ id: number }>(sql`
    UPDATE payout_items i SET outcome = ${reported.outcome}, reason = ${reported.reason}, reference = ${reported.reference}
     WHERE i.account_id = ${accountId} AND i.payout_id = ${payoutId} AND i.outcome IS NULL AND ${named}
       AND (i.submission_id IS NULL OR EXISTS (SELECT 1 FROM payout_submissions s
             WHERE s.account_id = ${accountId} AND s.id = i.submission_id AND ${mayDecide}))
    RETURNING i.id`)
  return rows.map(({ id }) => id)
}

/** Records a rail's reports on items of one submission, skipping rows that would not change. */
export async function recordReports(
  tx: Tx,
  accountId: number,
  submissionId: number,
  reports: ItemReport[],
): Promise<void> {
  await tx.many(sql`
    UPDATE payout_items i
       SET outcome = g.outcome, reason = g.reason, reference = coalesce(g.reference, i.reference), external_id = g.external_id
      FROM unnest(${reports.map(({ itemId }) => itemId)}::bigint[], ${reports.map(({ outcome }) => outcome)}::text[],
                  ${reports.map(({ reason }) => reason)}::text[], ${reports.map(({ reference }) => reference)}::text[],
                  ${reports.map(({ externalId }) => externalId)}::text[]) AS g (id, outcome, reason, reference, external_id)
     WHERE i.account_id = ${accountId} AND i.submission_id = ${submissionId} AND i.id = g.id AND i.outcome IS NULL
       AND (i.outcome, i.reason, i.reference, i.external_id)
           IS DISTINCT FROM (g.outcome, g.reason, coalesce(g.reference, i.reference), g.external_id)`)
}

/** Applies a rail's report on the whole batch to every item that has no outcome. */
export async function recordBatchReport(
  tx: Tx,
  accountId: number,
  submissionId: number,
  { outcome, reason }: BatchReport,
): Promise<void> {
  await tx.many(sql`
    UPDATE payout_items i SET outcome = ${outcome}, reason = ${reason}
     WHERE i.account_id = ${accountId} AND i.submission_id = ${submissionId} AND i.outcome IS NULL`)
}

/**
 * Settled items for which the rail now reports something else than is booked. The rows are locked before their entries are
 * summed, so that two processes that receive the same report do not both correct it.
 */
export async function contradictedItems(
  tx: Tx,
  accountId: number,
  submissionId: number,
  reports: ItemReport[],
): Promise<{ id: number; affiliate_id: number; is_paid: boolean }[]> {
  const final = reports.filter(({ outcome }) => outcome !== null)
  await tx.many(sql`
    SELECT i.id FROM payout_items i
     WHERE i.account_id = ${accountId} AND i.submission_id = ${submissionId} AND i.settled_at IS NOT NULL
       AND i.id = ANY (${final.map(({ itemId }) => itemId)}::bigint[]) ORDER BY i.id FOR NO KEY UPDATE`)
  return tx.many(sql`
    SELECT i.id, i.affiliate_id, g.is_paid
      FROM unnest(${final.map(({ itemId }) => itemId)}::bigint[], ${final.map(({ outcome }) => outcome === 'paid')}::boolean[])
           AS g (id, is_paid)
      JOIN payout_items i ON i.account_id = ${accountId} AND i.submission_id = ${submissionId} AND i.id = g.id
     WHERE i.settled_at IS NOT NULL
       AND CASE WHEN g.is_paid THEN -i.amount_minor ELSE 0 END <> coalesce((
             SELECT sum(c.payout_amount_minor) FROM commissions c
              WHERE c.account_id = ${accountId} AND c.payout_item_id = i.id), 0)
     ORDER BY i.id`)
}

export async function setReason(tx: Tx, accountId: number, itemId: number, reason: string): Promise<void> {
  await tx.many(sql`
    UPDATE payout_items SET reason = ${reason} WHERE account_id = ${accountId} AND id = ${itemId}`)
}

export interface ItemToSettle {
  id: number
  affiliate_id: number
  outcome: PaymentOutcome
}

/** Items that have an outcome which is not booked in the ledger yet. The caller holds the payout's lock. */
export function itemsToSettle(
  tx: Tx,
  accountId: number,
  payoutId: number,
  limit: number,
): Promise<ItemToSettle[]> {
  return tx.many(sql`
    SELECT i.id, i.affiliate_id, i.outcome FROM payout_items i
     WHERE i.account_id = ${accountId} AND i.payout_id = ${payoutId} AND i.outcome IS NOT NULL
       AND i.status IN ('pending', 'processing')
     ORDER BY i.id LIMIT ${limit}`)
}

export async function markSettled(tx: Tx, accountId: number, itemIds: number[]): Promise<void> {
  await tx.many(sql`
    UPDATE payout_items SET status = outcome, settled_at = now()
     WHERE account_id = ${accountId} AND id = ANY (${itemIds}::bigint[])`)
}

/** Payouts with unsettled outcomes, of all accounts: a process crashed after recording them. */
export function payoutsToSettle(db: Db): Promise<{ account_id: number; payout_id: number }[]> {
  return db.many(sql`
    /* every account */ SELECT DISTINCT account_id, payout_id FROM payout_items
     WHERE outcome IS NOT NULL AND status IN ('pending', 'processing') LIMIT 100`)
}
