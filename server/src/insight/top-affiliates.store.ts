import type { Sum } from '@tributary/contract/dashboard'
import type { Db } from '../db/database.ts'
import { type Sql, sql } from '../db/sql.ts'
import { rates } from './facts.store.ts'
import type { FactScope } from './live-days.store.ts'
import { earned, earnedByCurrency } from './tallies.store.ts'

/** The currency with the most commissions in the days that are rolled up, which is most likely that of the top affiliates. */
export async function guessCurrency(db: Db, { accountId, from, to }: FactScope): Promise<string | undefined> {
  const row = await db.first<{ currency: string }>(sql`
    SELECT f.currency FROM insight_earning_days f
     WHERE f.account_id = ${accountId} AND f.day BETWEEN ${from}::date AND ${to}::date AND f.commissions > 0
     GROUP BY f.currency ORDER BY sum(f.commissions) DESC, f.currency LIMIT 1`)
  return row?.currency
}

export interface TopRow {
  id: number
  name: string | null
  email: string
  sales: number
  commissions_minor: number
}

/** By their commissions in a currency. Ranked by approximate sums, which are faster to add; only those of the first ones are exact. */
export function findTopAffiliates(
  db: Db,
  scope: FactScope,
  { currency, limit }: { currency: string; limit: number },
): Promise<TopRow[]> {
  return db.many(sql`
    WITH ${earned(scope, currency)}, first AS (
      SELECT t.affiliate_id
        FROM earned t
       GROUP BY t.affiliate_id HAVING sum(t.commissions::float8) > 0 ORDER BY sum(t.commissions_minor::float8) DESC, t.affiliate_id LIMIT ${limit}
    ), top AS (
      SELECT t.affiliate_id, sum(t.commissions)::integer AS sales, sum(t.commissions_minor) AS commissions_minor
        FROM earned t WHERE t.affiliate_id = ANY (ARRAY(SELECT f.affiliate_id FROM first f)) GROUP BY t.affiliate_id
    )
    SELECT a.id, a.name, a.email, top.sales, top.commissions_minor
      FROM top JOIN affiliates a ON a.account_id = ${scope.accountId} AND a.id = top.affiliate_id
     ORDER BY top.commissions_minor DESC, a.id`)
}

export interface ConvertedTopRow extends Omit<TopRow, 'commissions_minor'> {
  /** Exact, in whole units of the reporting currency. */
  converted: string | null
  original: Sum[]
}

const topConverted = (limit: number): Sql => sql`
  top AS (
    SELECT f.affiliate_id AS id, sum(f.commissions)::integer AS sales, sum(f.commissions_minor * r.worth) AS worth
      FROM earned f JOIN rates r ON r.day = f.day AND r.currency = f.currency
     WHERE r.worth IS NOT NULL
     GROUP BY f.affiliate_id HAVING sum(f.commissions) > 0 ORDER BY worth DESC, f.affiliate_id LIMIT ${limit}
  )`

const originals: Sql = sql`
  originals AS (
    SELECT f.affiliate_id, f.currency, sum(f.commissions_minor)::bigint AS amount_minor
      FROM earned f JOIN rates r ON r.day = f.day AND r.currency = f.currency
     WHERE r.worth IS NOT NULL AND f.affiliate_id = ANY (ARRAY(SELECT t.id FROM top t))
     GROUP BY f.affiliate_id, f.currency HAVING sum(f.commissions_minor) <> 0
  )`

/** By their commissions in all currencies, in the reporting currency. */
export function findTopConverted(db: Db, scope: FactScope, limit: number): Promise<ConvertedTopRow[]> {
  return db.many(sql`
    WITH ${earnedByCurrency(scope)}, ${rates(scope)}, ${topConverted(limit)}, ${originals}
    SELECT a.id, a.name, a.email, t.sales, t.worth::text AS converted,
           coalesce((SELECT json_agg(json_build_object('currency', o.currency, 'amount_minor', o.amount_minor) ORDER BY o.currency)
              FROM originals o WHERE o.affiliate_id = t.id), '[]') AS original
      FROM top t JOIN affiliates a ON a.account_id = ${scope.accountId} AND a.id = t.id
     ORDER BY t.worth DESC, a.id`)
}
