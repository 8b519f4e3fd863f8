import type { Db } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import { factsByAffiliate, rates } from './facts.store.ts'
import type { FactScope } from './live-days.store.ts'

export interface TopRow {
  id: number
  name: string | null
  email: string
  sales: number
  commissions_minor: number
}

export function findTopAffiliates(
  db: Db,
  scope: FactScope,
  { currency, limit }: { currency: string; limit: number },
): Promise<TopRow[]> {
  return db.many(sql`
    WITH ${factsByAffiliate(scope)}, top AS (
      SELECT f.affiliate_id, sum(f.commissions)::integer AS sales, sum(f.commissions_minor) AS commissions_minor
        FROM tallies f WHERE f.currency = ${currency}
       GROUP BY f.affiliate_id HAVING sum(f.commissions) > 0 ORDER BY commissions_minor DESC, f.affiliate_id LIMIT ${limit}
    )
    SELECT a.id, a.name, a.email, top.sales, top.commissions_minor
      FROM top JOIN affiliates a ON a.account_id = ${scope.accountId} AND a.id = top.affiliate_id
     ORDER BY top.commissions_minor DESC, a.id`)
}

export interface ConvertedTopRow extends Omit<TopRow, 'commissions_minor'> {
  /** Exact, in whole units of the reporting currency. */
  converted: string | null
}

/** By their commissions in all currencies, in the reporting currency. */
export function findTopConverted(db: Db, scope: FactScope, limit: number): Promise<ConvertedTopRow[]> {
  return db.many(sql`
    WITH ${factsByAffiliate(scope)}, ${rates(scope)}, top AS (
      SELECT f.affiliate_id, sum(f.commissions)::integer AS sales, sum(f.commissions_minor * r.worth) AS worth
        FROM tallies f JOIN rates r ON r.day = f.day AND r.currency = f.currency
       WHERE r.worth IS NOT NULL
       GROUP BY f.affiliate_id HAVING sum(f.commissions) > 0 ORDER BY worth DESC, f.affiliate_id LIMIT ${limit}
    )
    SELECT a.id, a.name, a.email, top.sales, top.worth::text AS converted
      FROM top JOIN affiliates a ON a.account_id = ${scope.accountId} AND a.id = top.affiliate_id
     ORDER BY top.worth DESC, a.id`)
}
