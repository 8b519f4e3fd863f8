import type { CommissionSummary, DashboardQuery } from '@tributary/contract/dashboard'
import type { Db, Tx } from '../../db/database.ts'
import { all, inRange, keyset, type Sql, sql, when } from '../../db/sql.ts'
import { rowsAfter } from '../../kit/page.ts'
import { countsAsEarned } from '../ledger/counts-as-earned.ts'
import { withShownDescriptions } from '../ledger/credit-outcome.ts'
import { entryColumns, shownEntryColumns } from '../ledger/entries.ts'
import { clearsSoon } from './clearing-soon.store.ts'

type Filters = Omit<DashboardQuery<'exportCommissions'>, 'q'>

/** What the text of a search stands for. */
export interface SearchedFor {
  affiliates: number[]
  referrals: number[]
  sales: { id: number; referral_id: number | null }[]
  /** An entry's number. */
  id: string | null
}

const matching = (accountId: number, query: Filters): Sql =>
  all(
    ...inRange(sql`c.id`, sql`c.created_at`, query),
    when(query.campaign_id, id => sql`c.campaign_id = ${id}`),
    when(query.affiliate_id, id => sql`c.affiliate_id = ${id}`),
    when(query.referral_id, id => sql`c.referral_id = ${id}`),
    when(query.status, status => sql`c.status = ${status}`),
    when(query.entry_type, type => sql`c.entry_type = ${type}`),
    when(query.beneficiary, beneficiary => sql`c.beneficiary = ${beneficiary}`),
    when(query.clears_soon, () => clearsSoon(accountId)),
    when(query.is_counted, () => countsAsEarned(accountId)),
  )

/** The names of an entry's affiliate, campaign and customer. */
const names = sql`a.name AS affiliate_name, a.email AS affiliate_email, g.name AS campaign_name, r.customer_ref,
  coalesce(r.is_test, false) AS is_test`

/** The payout that the entry `c` is in, unless that failed or was canceled. */
export const payoutOf = (accountId: number): Sql => sql`(
  SELECT i.payout_id FROM pinned_commissions p JOIN payout_items i ON i.account_id = ${accountId} AND i.id = p.payout_item_id
   WHERE p.account_id = ${accountId} AND p.commission_id = c.id AND NOT p.released) AS payout_id`

interface Asked {
  condition: Sql
  order: Sql
  limit: number
}

/**
 * The first entries of each affiliate, customer and sale that was found, by index: so a search reads a few rows of each, however many others
 * there are. Clawbacks are in no index by sale, but in that of its referral.
 */
function firstOf(accountId: number, found: SearchedFor, { condition, order, limit }: Asked): Sql {
  const { affiliates, referrals, sales, id } = found
  return sql`c.id IN (
    SELECT x.id FROM unnest(${affiliates}::bigint[]) s (id) CROSS JOIN LATERAL (
      SELECT c.id FROM commissions c
       WHERE c.account_id = ${accountId} AND c.affiliate_id = s.id AND ${condition} ORDER BY ${order} LIMIT ${limit}) x
    UNION
    SELECT x.id FROM unnest(${referrals}::bigint[]) s (id) CROSS JOIN LATERAL (
      SELECT c.id FROM commissions c
       WHERE c.account_id = ${accountId} AND c.referral_id = s.id AND ${condition} ORDER BY ${order} LIMIT ${limit}) x
    UNION
    SELECT c.id FROM unnest(${sales.map(sale => sale.id)}::bigint[], ${sales.map(sale => sale.referral_id)}::bigint[]) s (id, referral_id)
      JOIN commissions c ON c.account_id = ${accountId} AND c.referral_id = s.referral_id AND c.sale_id IS NOT DISTINCT FROM s.id
     WHERE ${condition}
    UNION
    SELECT c.id FROM commissions c WHERE c.account_id = ${accountId} AND c.id = ${id}::bigint AND ${condition})`
}

type ListQuery = Omit<DashboardQuery<'listCommissions'>, 'q'>

/** The first entries `c` that match the filters, and what was searched for: a condition and their order. */
export function firstEntries(
  accountId: number,
  query: ListQuery,
  limit: number,
  searched?: SearchedFor,
): { condition: Sql; order: Sql } {
  const { from, order } = keyset(sql`c.id`, query)
  const condition = all(from, matching(accountId, query))
  const isFound = when(searched, found => firstOf(accountId, found, { condition, order, limit }))
  return { condition: all(isFound, condition), order }
}

/** A page of the ledger; only of `ids` if those have been looked for. The rows are selected first, so that names are joined for those only. */
export async function listCommissionSummaries(
  db: Db,
  accountId: number,
  query: ListQuery,
  searched?: SearchedFor,
  ids?: number[],
): Promise<CommissionSummary[]> {
  const limit = rowsAfter(query.limit)
  const { condition, order } = firstEntries(accountId, query, limit, searched)
  const entries = await db.many<CommissionSummary>(sql`
    WITH page AS (
      SELECT ${entryColumns} FROM commissions c
       WHERE c.account_id = ${accountId} AND ${ids ? sql`c.id = ANY (${ids}::bigint[])` : condition} ORDER BY ${order} LIMIT ${limit}
    )
    SELECT ${entryColumns}, ${names}, ${payoutOf(accountId)}
      FROM page c
      JOIN affiliates a ON a.account_id = ${accountId} AND a.id = c.affiliate_id
      JOIN campaigns g ON g.account_id = ${accountId} AND g.id = c.campaign_id
      LEFT JOIN referrals r ON r.account_id = ${accountId} AND r.id = c.referral_id
     ORDER BY ${order}`)
  return withShownDescriptions(db, accountId, entries)
}

/** All entries that match the filters, and the conditions on the entry `c`, newest first. */
export const streamCommissions = (
  tx: Tx,
  accountId: number,
  query: Filters,
  ...also: (Sql | undefined)[]
): AsyncGenerator<CommissionSummary[]> =>
  tx.stream(sql`
    SELECT ${shownEntryColumns(accountId)}, ${names}, ${payoutOf(accountId)}
      FROM commissions c
      JOIN affiliates a ON a.account_id = ${accountId} AND a.id = c.affiliate_id
      JOIN campaigns g ON g.account_id = ${accountId} AND g.id = c.campaign_id
      LEFT JOIN referrals r ON r.account_id = ${accountId} AND r.id = c.referral_id
     WHERE c.account_id = ${accountId} AND ${all(...also, matching(accountId, query))} ORDER BY c.id DESC`)
