import type {
  PayoutCount,
  PayoutItemRow,
  PayoutSubmission,
  PayoutSummary,
} from '@tributary/contract/dashboard'
import type { Db, Tx } from '../../db/database.ts'
import { all, keyset, type Sql, sql, when } from '../../db/sql.ts'
import { numberIn } from '../../kit/number-in.ts'
import { rowsAfter } from '../../kit/page.ts'
import { mentions } from '../../programme/affiliates/affiliate-list.store.ts'
import { isNamed } from '../../programme/campaigns/campaign-list.store.ts'
import { isStillOwed } from '../ledger/failed-items.ts'
import { finishedRecently } from './finished-recently.store.ts'
import { decidedByPerson } from './payment-outcome.store.ts'
import { itemsMatching } from './payout.store.ts'
import { isUnsent } from './submission.store.ts'

/** Queries for the dashboard. */

export interface PayoutFilters {
  q?: string
  campaign_id?: number
  status?: PayoutSummary['status']
  rail?: PayoutSummary['rail']
  is_recent?: true
  order?: 'newest' | 'oldest'
}

/** Payments whose reference is searched by its beginning, the newest ones: they have no index by it, since every payment would pay for that. */
const SEARCHED_PAYMENTS = 100_000

/** Payouts by number, campaign, affiliate, batch at PayPal, or reference of a payment. A number is not looked for in affiliates' names and tokens. */
const isAbout = (accountId: number, text: string): Sql => sql`p.id IN (
    (SELECT ${numberIn(text, 'payout')}::bigint)
    UNION
    (SELECT x.id FROM campaigns c JOIN payouts x ON x.account_id = ${accountId} AND x.campaign_id = c.id
      WHERE c.account_id = ${accountId} AND ${isNamed(text)})
    UNION
    (SELECT i.payout_id FROM affiliates a JOIN payout_items i ON i.account_id = ${accountId} AND i.affiliate_id = a.id
      WHERE a.account_id = ${accountId} AND ${numberIn(text, 'payout')}::text IS NULL AND ${mentions(text)})
    UNION
    (SELECT s.payout_id FROM payout_submissions s
      WHERE s.account_id = ${accountId} AND (s.sender_batch_id = ${text} OR s.external_id = ${text}))
    UNION
    (SELECT n.payout_id FROM (SELECT i.payout_id, i.reference, i.external_id FROM payout_items i WHERE i.account_id = ${accountId}
                               ORDER BY i.id DESC LIMIT ${SEARCHED_PAYMENTS}) n
      WHERE starts_with(n.reference, ${text}) OR starts_with(n.external_id, ${text})))`

const summaries = (accountId: number, query: PayoutFilters & { after?: number }): Sql => {
  const { from, order } = keyset(sql`p.id`, query)
  const filters = all(
    from,
    when(query.q, text => isAbout(accountId, text.trim())),
    when(query.campaign_id, id => sql`p.campaign_id = ${id}`),
    when(query.status, status => sql`p.status = ${status}`),
    when(query.rail, rail => sql`p.rail = ${rail}`),
    when(query.is_recent, () => finishedRecently),
  )
  return sql`
    SELECT p.id, p.campaign_id, g.name AS campaign_name, p.rail, p.status, p.currency, p.total_minor, p.created_at, p.cut_off,
           p.finished_at, (SELECT count(*)::integer FROM payout_items i
                            WHERE i.account_id = p.account_id AND i.payout_id = p.id) AS item_count
      FROM payouts p JOIN campaigns g ON g.account_id = ${accountId} AND g.id = p.campaign_id
     WHERE p.account_id = ${accountId} AND ${filters} ORDER BY ${order}`
}

export const listSummaries = (
  db: Db,
  accountId: number,
  query: PayoutFilters & { after?: number; limit?: number },
): Promise<PayoutSummary[]> => db.many(sql`${summaries(accountId, query)} LIMIT ${rowsAfter(query.limit)}`)

export const streamSummaries = (
  tx: Tx,
  accountId: number,
  query: PayoutFilters,
): AsyncGenerator<PayoutSummary[]> => tx.stream(summaries(accountId, query))

export interface DetailRow extends PayoutSummary {
  time_zone: string
  digest: string | null
  minimum_payout_minor: number
}

export function findDetail(db: Db, accountId: number, id: number): Promise<DetailRow | undefined> {
  return db.first(sql`
    SELECT p.id, p.campaign_id, g.name AS campaign_name, p.rail, p.status, p.currency, p.total_minor, p.created_at, p.cut_off,
           p.finished_at, a.time_zone, p.digest, p.minimum_payout_minor,
           (SELECT count(*)::integer FROM payout_items i WHERE i.account_id = p.account_id AND i.payout_id = p.id) AS item_count
      FROM payouts p JOIN campaigns g ON g.account_id = ${accountId} AND g.id = p.campaign_id
      JOIN accounts a ON a.id = p.account_id
     WHERE p.account_id = ${accountId} AND p.id = ${id}`)
}

export async function payoutExists(db: Db, accountId: number, id: number): Promise<boolean> {
  const row = await db.first(sql`SELECT 1 FROM payouts p WHERE p.account_id = ${accountId} AND p.id = ${id}`)
  return row !== undefined
}

/** A person enters the outcome on the manual rail, where PayPal will never report one, and where PayPal can't be reached. */
const isManual = sql`(i.outcome IS NULL AND (p.rail = 'manual' OR ${decidedByPerson} IS TRUE))`

/** Handed over, but nothing has been sent: a person may mark it failed, which withdraws it. */
const canBeWithdrawn = sql`(i.outcome IS NULL AND ${isUnsent} IS TRUE)`

/** The items of a payout by status. */
export function countItems(
  db: Db,
  accountId: number,
  id: number,
): Promise<(PayoutCount & { unbooked: number; by_hand: number; unsent: number })[]> {
  return db.many(sql`
    SELECT i.status, count(*)::integer AS items, sum(i.amount_minor)::bigint AS amount_minor,
           (count(*) FILTER (WHERE i.outcome IS NOT NULL AND i.status IN ('pending', 'processing')))::integer AS unbooked,
           (count(*) FILTER (WHERE ${isManual}))::integer AS by_hand,
           (count(*) FILTER (WHERE ${canBeWithdrawn}))::integer AS unsent
      FROM payouts p
      JOIN payout_items i ON i.account_id = ${accountId} AND i.payout_id = p.id
      LEFT JOIN payout_submissions s ON s.account_id = ${accountId} AND s.id = i.submission_id
     WHERE p.account_id = ${accountId} AND p.id = ${id} GROUP BY i.status`)
}

const SHOWN_SUBMISSIONS = 20

export function firstSubmissions(db: Db, accountId: number, id: number): Promise<PayoutSubmission[]> {
  return db.many(sql`
    SELECT s.id, s.sender_batch_id, s.external_id, s.status, s.problem, s.attempts, s.due_at, s.account_changed,
           (SELECT count(*)::integer FROM payout_items i
             WHERE i.account_id = s.account_id AND i.submission_id = s.id) AS items
      FROM payout_submissions s WHERE s.account_id = ${accountId} AND s.payout_id = ${id} ORDER BY s.id LIMIT ${SHOWN_SUBMISSIONS}`)
}

const MOST_COUNTED = 500

/** How many failed items of a payout are still owed, counted up to a limit. */
export async function countStillOwed(db: Db, accountId: number, id: number): Promise<number> {
  const row = await db.first<{ count: number }>(sql`
    SELECT count(*)::integer AS count FROM (
      SELECT 1 FROM payouts p JOIN payout_items i ON i.account_id = ${accountId} AND i.payout_id = p.id
       WHERE p.account_id = ${accountId} AND p.id = ${id} AND ${isStillOwed(accountId)} LIMIT ${MOST_COUNTED}) counted`)
  return row?.count ?? 0
}

/**
 * Items of a payout. The cursor is the affiliate, because a payout has one item for each and their index finds any page without
 * a scan. Items are created in that order, so it is also the order of their ids.
 */
export function listItems(
  db: Db,
  accountId: number,
  id: number,
  query: {
    after?: number
    limit?: number
    order?: 'newest' | 'oldest'
    status?: PayoutItemRow['status']
    affiliate_id?: number
  },
): Promise<PayoutItemRow[]> {
  const { from, order } = keyset(sql`i.affiliate_id`, query)
  return db.many(sql`
    SELECT i.id, i.affiliate_id, a.email, a.name, i.amount_minor, i.currency, i.status, i.payout_address, i.outcome, i.reason,
           i.reference, i.external_id, i.settled_at, ${isManual} AS by_hand, ${canBeWithdrawn} AS is_unsent,
           (i.outcome IS NULL AND i.external_id IS NOT NULL) AS can_be_taken_back, ${isStillOwed(accountId)} AS can_be_retried,
           -- The next payment to the same affiliate, which includes what this one left open.
           CASE WHEN i.status = 'failed' THEN (
             SELECT n.payout_id FROM payout_items n
               JOIN payouts o ON o.account_id = ${accountId} AND o.id = n.payout_id AND o.campaign_id = p.campaign_id
              WHERE n.account_id = ${accountId} AND n.affiliate_id = i.affiliate_id AND n.id > i.id
                AND n.status NOT IN ('failed', 'canceled') ORDER BY n.id LIMIT 1) END AS next_payout_id
      FROM payouts p
      JOIN payout_items i ON i.account_id = ${accountId} AND i.payout_id = p.id
      JOIN affiliates a ON a.account_id = ${accountId} AND a.id = i.affiliate_id
      LEFT JOIN payout_submissions s ON s.account_id = ${accountId} AND s.id = i.submission_id
     WHERE p.account_id = ${accountId} AND p.id = ${id} AND ${all(from, itemsMatching(query))}
     ORDER BY ${order} LIMIT ${rowsAfter(query.limit)}`)
}
