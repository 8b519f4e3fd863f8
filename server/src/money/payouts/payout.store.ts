import type { ListPayoutsQuery, PayoutItem } from '@tributary/contract'
import type { Db, Tx } from '../../db/database.ts'
import { all, inRange, type Sql, sql, when } from '../../db/sql.ts'
import { DEFAULT_LIMIT, type Page, rowsToFetch } from '../../kit/page.ts'
import type { ItemDetail, PayoutHead, PayoutRow } from './payout.ts'

const columns = sql`p.id, p.campaign_id, p.rail, p.status, p.currency, p.total_minor, p.created_at,
  coalesce((SELECT json_agg(json_build_object('id', i.id, 'affiliate_id', i.affiliate_id, 'amount_minor', i.amount_minor,
                                              'currency', i.currency, 'status', i.status) ORDER BY i.id)
              FROM payout_items i WHERE i.account_id = p.account_id AND i.payout_id = p.id), '[]') AS items`

export function findPayout(db: Db, accountId: number, id: number): Promise<PayoutRow | undefined> {
  return db.first(sql`SELECT ${columns} FROM payouts p WHERE p.account_id = ${accountId} AND p.id = ${id}`)
}

/** Items of a page of payouts; the last one may bring more. A payout has up to 100,000, and a page is written as one text in memory. */
const MOST_ITEMS = 10_000

/** The newest first. A page ends early with the payout that brings its items to the most. */
export async function listPayouts(
  db: Db,
  accountId: number,
  query: ListPayoutsQuery,
  mostItems = MOST_ITEMS,
): Promise<Page<PayoutRow>> {
  const filters = all(
    ...inRange(sql`p.id`, sql`p.created_at`, query),
    when(query.campaign_id, id => sql`p.campaign_id = ${id}`),
    when(query.status, status => sql`p.status = ${status}`),
    when(query.rail, rail => sql`p.rail = ${rail}`),
  )
  const rows = await db.many<PayoutRow & { found: number }>(sql`
    WITH found AS (
      SELECT p.id, (SELECT count(*) FROM (
                      SELECT 1 FROM payout_items i WHERE i.account_id = ${accountId} AND i.payout_id = p.id
                       LIMIT ${mostItems}::integer) counted) AS items
        FROM payouts p WHERE p.account_id = ${accountId} AND ${filters}
       ORDER BY p.id DESC LIMIT ${rowsToFetch(query.limit)}
    ), fitting AS (
      SELECT f.id, sum(f.items) OVER (ORDER BY f.id DESC) - f.items AS items_before, count(*) OVER ()::integer AS found FROM found f
    )
    SELECT f.found, ${columns}
      FROM fitting f JOIN payouts p ON p.account_id = ${accountId} AND p.id = f.id
     WHERE f.items_before < ${mostItems}::integer ORDER BY p.id DESC LIMIT ${query.limit ?? DEFAULT_LIMIT}`)
  return { data: rows, has_more: (rows[0]?.found ?? 0) > rows.length }
}

const headColumns = sql`p.id, p.campaign_id, p.rail, p.status, p.currency, p.total_minor, p.created_at, p.cut_off, p.digest,
  p.finished_at, (SELECT count(*)::integer FROM payout_items i WHERE i.account_id = p.account_id AND i.payout_id = p.id) AS item_count`

export function findHead(db: Db, accountId: number, id: number): Promise<PayoutHead | undefined> {
  return db.first(
    sql`SELECT ${headColumns} FROM payouts p WHERE p.account_id = ${accountId} AND p.id = ${id}`,
  )
}

/** All payouts, newest first, or those of a campaign. */
export function streamHeads(
  tx: Tx,
  accountId: number,
  campaignId: number | undefined,
): AsyncGenerator<PayoutHead[]> {
  const filter = all(when(campaignId, id => sql`p.campaign_id = ${id}`))
  return tx.stream(sql`
    SELECT ${headColumns} FROM payouts p WHERE p.account_id = ${accountId} AND ${filter} ORDER BY p.id DESC`)
}

/** Every change of a payout's status takes this row lock, so that its items, status and event stay consistent. */
export function lockPayout(
  tx: Tx,
  accountId: number,
  id: number,
): Promise<Pick<PayoutRow, 'rail' | 'status' | 'currency'> | undefined> {
  return tx.first(sql`
    SELECT p.rail, p.status, p.currency FROM payouts p WHERE p.account_id = ${accountId} AND p.id = ${id} FOR NO KEY UPDATE`)
}

export const itemsMatching = (query: { status?: ItemDetail['status']; affiliate_id?: number }): Sql =>
  all(
    when(query.status, status => sql`i.status = ${status}`),
    when(query.affiliate_id, id => sql`i.affiliate_id = ${id}`),
  )

export const streamItems = (
  tx: Tx,
  accountId: number,
  payoutId: number,
  query: Parameters<typeof itemsMatching>[0] = {},
): AsyncGenerator<ItemDetail[]> =>
  tx.stream(sql`
    SELECT i.id, i.affiliate_id, a.email, a.name, i.amount_minor, i.currency, i.status, i.payout_address, i.reason, i.reference,
           i.external_id, i.settled_at
      FROM payout_items i JOIN affiliates a ON a.account_id = ${accountId} AND a.id = i.affiliate_id
     WHERE i.account_id = ${accountId} AND i.payout_id = ${payoutId} AND ${itemsMatching(query)} ORDER BY i.id`)

/** Moves a payout and its pending items to `processing`: they have been sent to the rail. */
export async function startProcessing(tx: Tx, accountId: number, id: number): Promise<void> {
  await tx.many(sql`
    UPDATE payouts SET status = 'processing' WHERE account_id = ${accountId} AND id = ${id} AND status = 'pending'`)
  await tx.many(sql`
    UPDATE payout_items SET status = 'processing'
     WHERE account_id = ${accountId} AND payout_id = ${id} AND status = 'pending'`)
}

/** Sets the final status of a payout whose items are all settled; undefined while some are not. */
export async function finishPayout(
  tx: Tx,
  accountId: number,
  id: number,
): Promise<PayoutRow['status'] | undefined> {
  const row = await tx.first<{ status: PayoutRow['status'] }>(sql`
    UPDATE payouts p SET finished_at = now(), status = (
        SELECT CASE WHEN bool_and(i.status = 'paid') THEN 'paid' WHEN bool_or(i.status = 'paid') THEN 'partially_paid'
                    WHEN bool_and(i.status = 'canceled') THEN 'canceled' ELSE 'failed' END
          FROM payout_items i WHERE i.account_id = ${accountId} AND i.payout_id = ${id})
     WHERE p.account_id = ${accountId} AND p.id = ${id} AND p.status IN ('pending', 'processing')
       AND NOT EXISTS (SELECT 1 FROM payout_items i
                        WHERE i.account_id = ${accountId} AND i.payout_id = ${id} AND i.status IN ('pending', 'processing'))
    RETURNING p.status`)
  return row?.status
}

/** Where the item `i` of the payout `p` is sent, if that is known: a manual payment may have gone elsewhere than to the PayPal address. */
export const sentTo = sql`CASE WHEN p.rail = 'paypal' THEN i.payout_address END`

/** Items that were sent and have no outcome yet. */
export const streamItemsToPay = (
  tx: Tx,
  accountId: number,
  payoutId: number,
): AsyncGenerator<(PayoutItem & Pick<ItemDetail, 'email' | 'name' | 'payout_address'>)[]> =>
  tx.stream(sql`
    SELECT i.id, i.affiliate_id, a.email, a.name, i.amount_minor, i.currency, i.status, i.payout_address
      FROM payout_items i JOIN affiliates a ON a.account_id = ${accountId} AND a.id = i.affiliate_id
     WHERE i.account_id = ${accountId} AND i.payout_id = ${payoutId} AND i.status = 'processing' AND i.outcome IS NULL
     ORDER BY i.id`)

export async function hasItemsToPay(db: Db, accountId: number, payoutId: number): Promise<boolean> {
  const row = await db.first(sql`
    SELECT 1 FROM payout_items i WHERE i.account_id = ${accountId} AND i.payout_id = ${payoutId}
       AND i.status IN ('pending', 'processing') AND i.outcome IS NULL LIMIT 1`)
  return row !== undefined
}

/** The first open items that can't be in a PayPal file. */
export async function itemsWithoutAddress(db: Db, accountId: number, payoutId: number): Promise<number[]> {
  const rows = await db.many<{ id: number }>(sql`
    SELECT i.id FROM payout_items i
     WHERE i.account_id = ${accountId} AND i.payout_id = ${payoutId} AND i.payout_address IS NULL
       AND i.status IN ('pending', 'processing') AND i.outcome IS NULL ORDER BY i.id LIMIT 20`)
  return rows.map(({ id }) => id)
}
