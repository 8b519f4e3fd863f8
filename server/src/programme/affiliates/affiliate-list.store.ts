import type { AffiliateSummary, DashboardQuery } from '@tributary/contract/dashboard'
import type { Db, Tx } from '../../db/database.ts'
import { all, keyset, type Sql, sql, when } from '../../db/sql.ts'
import { emailKey } from '../../kit/email.ts'
import { containing } from '../../kit/like-pattern.ts'
import { rowsAfter } from '../../kit/page.ts'
import type { AffiliateRow } from './affiliate.ts'

/** An affiliate as listed; balances and figures are looked up for a whole page at once. */
export type ListedAffiliate = Omit<AffiliateSummary, 'balances' | 'performance'> &
  Pick<AffiliateRow, 'token' | 'coupon_code' | 'paypal_email'>

const columns = sql`a.id, a.email, a.name, a.status, a.kind, a.token, a.coupon_code, a.paypal_email, a.tags, a.created_at,
  EXISTS (SELECT 1 FROM join_answers n WHERE n.account_id = a.account_id AND n.affiliate_id = a.id) AS has_answers,
  coalesce((SELECT json_agg(json_build_object('id', c.id, 'name', c.name) ORDER BY e.id)
              FROM enrolments e JOIN campaigns c ON c.account_id = e.account_id AND c.id = e.campaign_id
             WHERE e.account_id = a.account_id AND e.affiliate_id = a.id), '[]') AS campaigns`

/**
 * Keys are lowercased by us. Names are lowercased by the database's locale, which may not know all letters, so they are also
 * matched as typed. Tokens are copied rather than typed: lowercasing them would take half of the time of a search.
 */
export function mentions(text: string): Sql {
  const [typed, lower] = [containing(text), containing(emailKey(text))]
  return sql`(a.email_key LIKE ${lower} OR a.token LIKE ${typed} OR a.coupon_code_key LIKE ${lower}
    OR a.name LIKE ${typed} OR lower(a.name) LIKE ${lower})`
}

/** The filters of the list, as a condition on the affiliate aliased `a`. */
export const matching = (query: DashboardQuery<'exportAffiliates'>): Sql =>
  all(
    when(query.q, mentions),
    when(query.status, status => sql`a.status = ${status}`),
    when(query.kind, kind => sql`a.kind = ${kind}`),
    when(query.tag, tag => sql`a.tags @> ARRAY[${tag}::text]`),
    when(
      query.campaign_id,
      campaignId => sql`EXISTS (SELECT 1 FROM enrolments e
        WHERE e.account_id = a.account_id AND e.affiliate_id = a.id AND e.campaign_id = ${campaignId})`,
    ),
  )

export function listForDashboard(
  db: Db,
  accountId: number,
  query: DashboardQuery<'listAffiliates'>,
): Promise<ListedAffiliate[]> {
  const { from, order } = keyset(sql`a.id`, query)
  return db.many(sql`
    SELECT ${columns} FROM affiliates a WHERE a.account_id = ${accountId} AND ${all(from, matching(query))}
     ORDER BY ${order} LIMIT ${rowsAfter(query.limit)}`)
}

/** Those of the given affiliates that match the filters, in the given order. */
export function listInOrder(
  db: Db,
  accountId: number,
  ids: number[],
  query: DashboardQuery<'exportAffiliates'>,
): Promise<ListedAffiliate[]> {
  return db.many(sql`
    SELECT ${columns} FROM affiliates a WHERE a.account_id = ${accountId} AND a.id = ANY (${ids}::bigint[]) AND ${matching(query)}
     ORDER BY array_position(${ids}::bigint[], a.id)`)
}

/** All affiliates that match the filters. */
export function streamAffiliates(
  tx: Tx,
  accountId: number,
  query: DashboardQuery<'exportAffiliates'>,
): AsyncGenerator<ListedAffiliate[]> {
  const { order } = keyset(sql`a.id`, query)
  return tx.stream(sql`
    SELECT ${columns} FROM affiliates a WHERE a.account_id = ${accountId} AND ${matching(query)} ORDER BY ${order}`)
}
