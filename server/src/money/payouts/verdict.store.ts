import type { Db, Tx } from '../../db/database.ts'
import { all, sql, when } from '../../db/sql.ts'
import type { ItemReport, RestReport } from '../rails/rail.ts'
import type { Verdict } from './payout.ts'

/**
 * Writes down what a person said about items that nothing has been said of yet: all that they may decide on, or the named ones.
 * A person decides where no rail does: on the manual rail, where a rail will never tell what it did, and where the credentials
 * of the account that was called are gone. The submissions are locked first: a call that resumes at this moment is seen. Returns which.
 */
export async function recordVerdict(
  tx: Tx,
  accountId: number,
  payoutId: number,
  itemIds: number[] | undefined,
  verdict: Verdict,
): Promise<number[]> {
  const named = all(when(itemIds, ids => sql`i.id = ANY (${ids}::bigint[])`))
  await tx.many(sql`
    SELECT s.id FROM payout_submissions s
     WHERE s.account_id = ${accountId} AND s.payout_id = ${payoutId} ORDER BY s.id FOR NO KEY UPDATE`)
  const rows = await tx.many<{ id: number }>(sql`
    UPDATE payout_items i SET outcome = ${verdict.outcome}, reason = ${verdict.reason}, reference = ${verdict.reference}
     WHERE i.account_id = ${accountId} AND i.payout_id = ${payoutId} AND i.outcome IS NULL AND ${named}
       AND (i.submission_id IS NULL OR EXISTS (SELECT 1 FROM payout_submissions s
             WHERE s.account_id = ${accountId} AND s.id = i.submission_id AND (s.status = 'unclear' OR s.account_changed)))
    RETURNING i.id`)
  return rows.map(({ id }) => id)
}

const verdictOf: Record<ItemReport['state'], Verdict['outcome'] | null> = {
  processing: null,
  paid: 'paid',
  failed: 'failed',
  returned: 'failed',
  canceled: 'canceled',
}

/** Writes down what the rail says of items of one submission, where it has not said so before. */
export async function recordReports(
  tx: Tx,
  accountId: number,
  submissionId: number,
  reports: ItemReport[],
): Promise<void> {
  await tx.many(sql`
    UPDATE payout_items i
       SET outcome = g.outcome, reason = g.reason, reference = coalesce(g.reference, i.reference), external_id = g.external_id
      FROM unnest(${reports.map(({ itemId }) => itemId)}::bigint[], ${reports.map(({ state }) => verdictOf[state])}::text[],
                  ${reports.map(({ reason }) => reason)}::text[], ${reports.map(({ reference }) => reference)}::text[],
                  ${reports.map(({ externalId }) => externalId)}::text[]) AS g (id, outcome, reason, reference, external_id)
     WHERE i.account_id = ${accountId} AND i.submission_id = ${submissionId} AND i.id = g.id AND i.outcome IS NULL
       AND (i.outcome, i.reason, i.reference, i.external_id)
           IS DISTINCT FROM (g.outcome, g.reason, coalesce(g.reference, i.reference), g.external_id)`)
}

/** What the rail says of every item of a submission that it has not spoken of. */
export async function recordRest(
  tx: Tx,
  accountId: number,
  submissionId: number,
  { state, reason }: RestReport,
): Promise<void> {
  await tx.many(sql`
    UPDATE payout_items i SET outcome = ${verdictOf[state]}, reason = ${reason}
     WHERE i.account_id = ${accountId} AND i.submission_id = ${submissionId} AND i.outcome IS NULL`)
}

/**
 * Items that the ledger has settled, of which the rail now says something else than is booked. Locked first and summed up after,
 * so that two who hear it at once do not both correct it.
 */
export async function contradicted(
  tx: Tx,
  accountId: number,
  submissionId: number,
  reports: ItemReport[],
): Promise<{ id: number; is_paid: boolean }[]> {
  const decided = reports.filter(({ state }) => state !== 'processing')
  await tx.many(sql`
    SELECT i.id FROM payout_items i
     WHERE i.account_id = ${accountId} AND i.submission_id = ${submissionId} AND i.settled_at IS NOT NULL
       AND i.id = ANY (${decided.map(({ itemId }) => itemId)}::bigint[]) ORDER BY i.id FOR NO KEY UPDATE`)
  return tx.many(sql`
    SELECT i.id, g.is_paid
      FROM unnest(${decided.map(({ itemId }) => itemId)}::bigint[], ${decided.map(({ state }) => state === 'paid')}::boolean[])
           AS g (id, is_paid)
      JOIN payout_items i ON i.account_id = ${accountId} AND i.submission_id = ${submissionId} AND i.id = g.id
     WHERE i.settled_at IS NOT NULL
       AND CASE WHEN g.is_paid THEN -i.amount_minor ELSE 0 END <> coalesce((
             SELECT sum(c.payout_amount_minor) FROM commissions c
              WHERE c.account_id = ${accountId} AND c.payout_item_id = i.id), 0)
     ORDER BY i.id`)
}

export async function noteReason(tx: Tx, accountId: number, itemId: number, reason: string): Promise<void> {
  await tx.many(sql`
    UPDATE payout_items SET reason = ${reason} WHERE account_id = ${accountId} AND id = ${itemId}`)
}

export interface DecidedItem {
  id: number
  affiliate_id: number
  outcome: Verdict['outcome']
}

/** Items whose outcome is known and whose money has not moved in the ledger yet. The caller holds the payout's lock. */
export function decidedItems(
  tx: Tx,
  accountId: number,
  payoutId: number,
  limit: number,
): Promise<DecidedItem[]> {
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

/** Payouts with something left to settle, of all accounts: a process ended between hearing and booking. */
export function payoutsToSettle(db: Db): Promise<{ account_id: number; payout_id: number }[]> {
  return db.many(sql`
    /* every account */ SELECT DISTINCT account_id, payout_id FROM payout_items
     WHERE outcome IS NOT NULL AND status IN ('pending', 'processing') LIMIT 100`)
}
