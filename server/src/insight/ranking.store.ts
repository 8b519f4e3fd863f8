import type { ExploreSort, ListSort } from '@tributary/contract/dashboard'
import { type Sql, sql } from '../db/sql.ts'
import { NO_CURRENCY } from './fact-rows.store.ts'
import { type FactScope, within } from './live-days.store.ts'

/*
 * A list in the order of a figure, largest first and newest first among equals. WITH queries after those of `factsFor` and `rates`, in this order:
 * `main`, `figures`, `counted` and `page`.
 */

export type Owner = 'affiliate' | 'campaign'

export interface RankedRow {
  id: number
  /** The currency that amounts are compared in, if it is sorted by one. */
  currency: string | null
}

/** Amounts are compared in one currency: the reporting currency, or else the one with the most sales and commissions. */
export const mainCurrency = (
  sort: ListSort | ExploreSort,
  { accountId, from, to, campaignIds, reportingCurrency }: FactScope,
): Sql =>
  reportingCurrency !== null
    ? sql`main AS (SELECT ${reportingCurrency}::text AS currency)`
    : sort === 'revenue' || sort === 'commissions'
      ? sql`
        main AS (
          SELECT max(t.currency) AS currency
            FROM (SELECT e.currency
                    FROM (SELECT f.currency, f.sales + f.refunds + f.commissions AS count, f.revenue_minor::numeric + f.commissions_minor AS size
                            FROM insight_earning_days f
                           WHERE f.account_id = ${accountId} AND f.day BETWEEN ${from}::date AND ${to}::date AND ${within({ campaignIds })}
                          UNION ALL
                          SELECT f.currency, f.sales + f.refunds + f.commissions, f.revenue_minor::numeric + f.commissions_minor
                            FROM earning_changes f) e
                   WHERE e.currency <> ${NO_CURRENCY}
                   GROUP BY e.currency HAVING sum(e.count) > 0 ORDER BY sum(e.size) DESC, e.currency LIMIT 1) t)`
      : sql`main AS (SELECT NULL::text AS currency)`

function ownerOf(by: Owner): Sql {
  return by === 'campaign' ? sql`f.campaign_id` : sql`f.affiliate_id`
}

const amountOf = (sort: ListSort): Sql =>
  sort === 'revenue' ? sql`f.revenue_minor` : sql`f.commissions_minor`

const countOf = (sort: ListSort): Sql =>
  sort === 'clicks'
    ? sql`sum(f.clicks::float8)`
    : sort === 'conversions'
      ? sql`sum(f.conversions::float8)`
      : sql`sum(f.conversions::float8) / nullif(sum(f.clicks::float8), 0)`

/** Sums as floating-point numbers, which are exact up to 2^53 and much faster to add than PostgreSQL's sums of bigint: there may be many owners. */
export const figures = (by: Owner, sort: ListSort, reporting: string | null): Sql =>
  sort !== 'revenue' && sort !== 'commissions'
    ? sql`figures AS (SELECT ${ownerOf(by)} AS id, ${countOf(sort)} AS value FROM tallies f GROUP BY 1)`
    : reporting === null
      ? sql`
        figures AS (
          SELECT ${ownerOf(by)} AS id, sum(${amountOf(sort)}::float8) AS value
            FROM tallies f WHERE f.currency = (SELECT m.currency FROM main m) GROUP BY 1)`
      : sql`
        figures AS (
          SELECT ${ownerOf(by)} AS id, sum(${amountOf(sort)} * r.worth)::float8 AS value
            FROM tallies f JOIN rates r ON r.day = f.day AND r.currency = f.currency GROUP BY 1)`

/** `counted` has the ids with a figure, and `page` the place after which the page begins: a row's current one, so that it has no gaps. */
export const ranking = (after: number | undefined): Sql => sql`
  counted AS (SELECT g.id, g.value FROM figures g WHERE g.value > 0),
  page AS (
    SELECT coalesce(${after ?? null}::bigint, 9223372036854775807) AS after,
           coalesce((SELECT k.value FROM counted k WHERE k.id = ${after ?? null}::bigint),
                    CASE WHEN ${after ?? null}::bigint IS NULL THEN 'Infinity'::float8 ELSE 0 END) AS value
  )`
