import type {
  ClickDetail,
  DashboardQuery,
  ExplainedAttribution,
  NamedAffiliate,
  UnattributedConversion,
} from '@tributary/contract/dashboard'
import type { Db } from '../../db/database.ts'
import { all, inRange, keyset, sql, when } from '../../db/sql.ts'
import { rowsAfter } from '../../kit/page.ts'
import { emailOfCustomer } from '../customers/customer-email.store.ts'
import { findsCustomer } from '../referrals/matches-customer.store.ts'
import { isRecentConversion } from './recent-conversion.store.ts'

export interface ExplanationRow {
  attribution: ExplainedAttribution
  affiliates: NamedAffiliate[]
}

/** The explanation with the affiliates' names, because ids mean nothing to a reader. */
const explained = sql`v.attribution, coalesce((
    SELECT json_agg(json_build_object('id', a.id, 'name', a.name, 'email', a.email) ORDER BY a.id) FROM affiliates a
     WHERE a.account_id = v.account_id AND a.id IN (
       SELECT (candidate ->> 'affiliate_id')::bigint FROM jsonb_array_elements(v.attribution -> 'candidates') candidate)), '[]') AS affiliates`

export function findExplanation(
  db: Db,
  accountId: number,
  referralId: number,
): Promise<ExplanationRow | undefined> {
  return db.first(sql`
    SELECT ${explained} FROM conversions v WHERE v.account_id = ${accountId} AND v.referral_id = ${referralId}`)
}

/** Details of those clicks that still exist. */
export function findClickDetails(db: Db, accountId: number, ids: number[]): Promise<ClickDetail[]> {
  return db.many(sql`
    SELECT c.id, c.landing_url, c.referrer, c.user_agent, c.is_bot FROM clicks c
     WHERE c.account_id = ${accountId} AND c.id = ANY (${ids}::bigint[]) ORDER BY c.id`)
}

/** Unattributed conversions. */
export function listUnattributed(
  db: Db,
  accountId: number,
  query: DashboardQuery<'listUnattributed'>,
): Promise<UnattributedConversion[]> {
  const { from, order } = keyset(sql`v.id`, query)
  const filters = all(
    from,
    ...inRange(sql`v.id`, sql`v.created_at`, query),
    when(query.campaign_id, id => sql`v.campaign_id = ${id}`),
    when(query.customer_ref, text => findsCustomer(accountId, sql`v.customer_ref`, text)),
    when(query.is_recent, () => isRecentConversion),
  )
  return db.many(sql`
    SELECT v.id, v.campaign_id, g.name AS campaign_name, v.customer_ref, v.occurred_at, v.created_at, ${explained},
           ${emailOfCustomer(accountId, sql`v.customer_ref`)} AS customer_email,
           CASE WHEN s.id IS NOT NULL THEN
             json_build_object('external_id', s.external_id, 'amount_minor', s.amount_minor, 'currency', s.currency) END AS sale
      FROM conversions v
      JOIN campaigns g ON g.account_id = ${accountId} AND g.id = v.campaign_id
      LEFT JOIN sales s ON s.account_id = ${accountId} AND s.id = v.sale_id
     WHERE v.account_id = ${accountId} AND v.referral_id IS NULL AND ${filters}
     ORDER BY ${order} LIMIT ${rowsAfter(query.limit)}`)
}
