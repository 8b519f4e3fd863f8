import { type DashboardQuery, MOST_IN_REVIEW, type Signal } from '@tributary/contract/dashboard'
import type { Db } from '../../db/database.ts'
import { all, sql, when } from '../../db/sql.ts'
import { rowsAfter } from '../../kit/page.ts'

export async function countOpenSignals(db: Db, accountId: number): Promise<number> {
  const row = await db.first<{ number: number }>(sql`
    SELECT count(*)::integer AS number FROM signals s WHERE s.account_id = ${accountId} AND s.status = 'open'`)
  return row?.number ?? 0
}

/** Signals by score, the highest first unless the oldest are asked for. A page begins after the place of the row that is its cursor. */
export function listSignals(
  db: Db,
  accountId: number,
  query: DashboardQuery<'listSignals'>,
): Promise<Signal[]> {
  const isLowestFirst = query.order === 'oldest'
  const place = (id: number) =>
    sql`(SELECT o.score, o.id FROM signals o WHERE o.account_id = ${accountId} AND o.id = ${id})`
  const filters = all(
    when(query.after, id =>
      isLowestFirst ? sql`(s.score, s.id) > ${place(id)}` : sql`(s.score, s.id) < ${place(id)}`,
    ),
    when(query.status, status => sql`s.status = ${status}`),
    when(query.kind, kind => sql`s.kind = ${kind}`),
    when(query.affiliate_id, id => sql`s.affiliate_id = ${id}`),
  )
  const order = isLowestFirst ? sql`s.score, s.id` : sql`s.score DESC, s.id DESC`
  return db.many(sql`
    SELECT s.id, s.kind, s.status, s.score, s.evidence -> 'parts' AS parts, s.affiliate_id, a.name AS affiliate_name,
           a.email AS affiliate_email, a.review_referrals AS is_held,
           coalesce((SELECT json_agg(json_build_object('id', o.id, 'name', o.name, 'email', o.email) ORDER BY o.id)
              FROM jsonb_array_elements_text(s.evidence -> 'affiliates') AS e (id)
              JOIN affiliates o ON o.account_id = ${accountId} AND o.id = e.id::bigint), '[]') AS others,
           s.campaign_id, c.name AS campaign_name,
           waiting.in_review, waiting.newest_in_review,
           s.decision, s.reason, s.opened_at, s.decided_at
      FROM signals s
      JOIN affiliates a ON a.account_id = ${accountId} AND a.id = s.affiliate_id
      LEFT JOIN campaigns c ON c.account_id = ${accountId} AND c.id = s.campaign_id
      CROSS JOIN LATERAL (
        SELECT count(*)::integer AS in_review, max(counted.id) AS newest_in_review FROM (
          -- The newest: they name the last one that a decision covers, however many there are.
          SELECT r.id FROM referrals r
           WHERE r.account_id = ${accountId} AND r.affiliate_id = s.affiliate_id AND r.status = 'pending_review'
             AND (s.campaign_id IS NULL OR r.campaign_id = s.campaign_id)
           ORDER BY r.id DESC LIMIT ${MOST_IN_REVIEW}) counted) waiting
     WHERE s.account_id = ${accountId} AND ${filters} ORDER BY ${order} LIMIT ${rowsAfter(query.limit)}`)
}
