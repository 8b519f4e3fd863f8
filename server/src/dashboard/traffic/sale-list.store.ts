import type { DashboardQuery, ListedSale } from '@tributary/contract/dashboard'
import type { Db, Tx } from '../../db/database.ts'
import { all, inRange, keysetByTime, type Sql, sql, when } from '../../db/sql.ts'
import { countsAsConversion } from '../../earning/referrals/counts-as-conversion.store.ts'
import { askedSource } from '../../insight/asked-source.ts'
import { isOfSource } from '../../insight/referral-source.store.ts'
import { rowsAfter } from '../../kit/page.ts'
import { type LookedThrough, lookedThrough, mostLookedAt } from '../look-through.store.ts'
import { type FoundSales, isFound } from './sale-search.store.ts'

type Query = Omit<DashboardQuery<'listSales'>, 'q'>
type Filters = Omit<DashboardQuery<'exportSales'>, 'q'>

/** Whether reports count the sale `s` of the referral `r`, or why they don't. */
const status: Sql = sql`CASE WHEN s.replaced_by IS NOT NULL THEN 'replaced' WHEN s.referral_id IS NULL THEN 'unattributed'
                             WHEN ${countsAsConversion} THEN 'counted' WHEN r.is_test THEN 'test' ELSE 'rejected' END`

/** Without a search, only sales of referred customers are listed: merchants may report all of theirs. */
const isReferred: Sql = sql`s.referral_id IS NOT NULL`

/** Conditions on the sale `s` and its referral `r`. */
const matching = (accountId: number, query: Filters): Sql =>
  all(
    when(query.is_counted, () => sql`${status} = 'counted'`),
    when(query.campaign_id, id => sql`r.campaign_id = ${id}`),
    when(query.affiliate_id, id => sql`r.affiliate_id = ${id}`),
    when(askedSource(query), source => isOfSource(accountId, source, sql`r`, sql`r.id`)),
  )

const inDays = (query: Filters): Sql => all(...inRange(sql`s.id`, sql`s.occurred_at`, query))

/** In the order of their time, which has an index: days of the past would be far behind in that of their ids. */
const byTime = (accountId: number, query: Query) =>
  keysetByTime(
    sql`s.occurred_at`,
    sql`s.id`,
    id => sql`(SELECT c.occurred_at FROM sales c WHERE c.account_id = ${accountId} AND c.id = ${id})`,
    query,
  )

const timeOrder = ({ order }: Query): Sql =>
  order === 'oldest' ? sql`s.occurred_at` : sql`s.occurred_at DESC`

/** The sales for a page of the list. */
export function lookForSales(
  db: Db,
  accountId: number,
  query: Query,
  found?: FoundSales,
): Promise<LookedThrough | undefined> {
  const { from, order } = byTime(accountId, query)
  const limit = mostLookedAt(query.limit, found && found.referrals.length + found.customers.length)
  const condition = all(inDays(query), from)
  return db.first(sql`
    WITH looked_at AS MATERIALIZED (
      SELECT s.id, s.referral_id, s.replaced_by, s.occurred_at FROM sales s
       WHERE s.account_id = ${accountId} AND ${condition}
         AND ${found ? isFound(accountId, found, { condition, order: timeOrder(query), limit }) : isReferred}
       ORDER BY ${order} LIMIT ${limit}
    ), wanted AS (
      SELECT s.id FROM looked_at s LEFT JOIN referrals r ON r.account_id = ${accountId} AND r.id = s.referral_id
       WHERE ${matching(accountId, query)} ORDER BY ${order} LIMIT ${rowsAfter(query.limit)}
    )
    SELECT ${lookedThrough(limit)}`)
}

const shown = (accountId: number): Sql => sql`
  s.id, s.external_id, s.occurred_at, ${status} AS status, r.id AS referral_id, coalesce(r.customer_ref, s.customer_ref) AS customer_ref, r.affiliate_id,
  a.name AS affiliate_name, a.email AS affiliate_email, r.campaign_id, g.name AS campaign_name, s.currency, s.amount_minor,
  coalesce((SELECT sum(f.amount_minor) FROM refunds f
             WHERE f.account_id = ${accountId} AND f.sale_id = s.id AND f.reversed_at IS NULL), 0)::bigint AS refunded_minor`

/** Why the sale `s` is credited to no affiliate: an unattributed conversion of its customer, or one that came after it. */
const explanation = (accountId: number): Sql => sql`
  s.referral_id IS NULL AND EXISTS (
    SELECT 1 FROM campaigns o JOIN conversions v ON v.account_id = ${accountId} AND v.campaign_id = o.id AND v.customer_ref = s.customer_ref
     WHERE o.account_id = ${accountId} AND v.referral_id IS NULL) AS is_explained,
  CASE WHEN s.referral_id IS NULL THEN (
    SELECT o.id FROM referrals o
     WHERE o.account_id = ${accountId} AND o.customer_ref = s.customer_ref AND o.occurred_at > s.occurred_at
     ORDER BY o.id LIMIT 1) END AS later_referral_id`

export function listSales(db: Db, accountId: number, query: Query, ids: number[]): Promise<ListedSale[]> {
  const { order } = byTime(accountId, query)
  return db.many(sql`
    SELECT ${shown(accountId)}, ${explanation(accountId)}
      FROM sales s
      LEFT JOIN referrals r ON r.account_id = ${accountId} AND r.id = s.referral_id
      LEFT JOIN affiliates a ON a.account_id = ${accountId} AND a.id = r.affiliate_id
      LEFT JOIN campaigns g ON g.account_id = ${accountId} AND g.id = r.campaign_id
     WHERE s.account_id = ${accountId} AND s.id = ANY (${ids}::bigint[]) ORDER BY ${order}`)
}

/** A sale of a file, which doesn't explain it. */
export type ExportedSale = Omit<ListedSale, 'is_explained' | 'later_referral_id'>

/** All of them, newest first. */
export const streamSales = (
  tx: Tx,
  accountId: number,
  query: Filters,
  searched?: Sql,
): AsyncGenerator<ExportedSale[]> =>
  tx.stream(sql`
    SELECT ${shown(accountId)}
      FROM sales s
      LEFT JOIN referrals r ON r.account_id = ${accountId} AND r.id = s.referral_id
      LEFT JOIN affiliates a ON a.account_id = ${accountId} AND a.id = r.affiliate_id
      LEFT JOIN campaigns g ON g.account_id = ${accountId} AND g.id = r.campaign_id
     WHERE s.account_id = ${accountId} AND ${all(searched ?? isReferred, inDays(query), matching(accountId, query))}
     ORDER BY s.occurred_at DESC, s.id DESC`)
