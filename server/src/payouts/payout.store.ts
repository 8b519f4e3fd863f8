import type { ListPayoutsQuery } from '@tributary/contract'
import type { Db } from '../db/database.ts'
import { all, inRange, sql, when } from '../db/sql.ts'
import { rowsToFetch } from '../kit/page.ts'
import type { PayoutRow } from './payout.ts'

const columns = sql`p.id, p.campaign_id, p.rail, p.status, p.currency, p.total_minor, p.created_at,
  coalesce((SELECT json_agg(json_build_object('id', i.id, 'affiliate_id', i.affiliate_id, 'amount_minor', i.amount_minor,
                                              'currency', i.currency, 'status', i.status) ORDER BY i.id)
              FROM payout_items i WHERE i.account_id = p.account_id AND i.payout_id = p.id), '[]') AS items`

export function findPayout(db: Db, accountId: number, id: number): Promise<PayoutRow | undefined> {
  return db.first(sql`SELECT ${columns} FROM payouts p WHERE p.account_id = ${accountId} AND p.id = ${id}`)
}

export function listPayouts(db: Db, accountId: number, query: ListPayoutsQuery): Promise<PayoutRow[]> {
  const filters = all(
    ...inRange(sql`p.id`, sql`p.created_at`, query),
    when(query.campaign_id, id => sql`p.campaign_id = ${id}`),
    when(query.status, status => sql`p.status = ${status}`),
    when(query.rail, rail => sql`p.rail = ${rail}`),
  )
  return db.many(sql`
    SELECT ${columns} FROM payouts p WHERE p.account_id = ${accountId} AND ${filters}
    ORDER BY p.id DESC LIMIT ${rowsToFetch(query.limit)}`)
}
