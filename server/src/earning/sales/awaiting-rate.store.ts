import type { Db } from '../../db/database.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { exchangeRate } from '../../money/fx/fx-rate.store.ts'
import { withinMonthsOfFirst } from './sale.store.ts'

export interface SaleAwaitingRate {
  account_id: number
  id: number
  external_id: string
  customer_ref: string
  /** Whether it can be computed now. */
  has_rates: boolean
}

export type Place = Pick<SaleAwaitingRate, 'account_id' | 'id'>

/** Whether a sale `s` of a campaign `c` earns something under a rule `u`, and its rate is unknown. */
const lacksRate: Sql = sql`
  coalesce(u.flat_currency, s.currency) <> c.payout_currency
  AND ${exchangeRate(sql`coalesce(u.flat_currency, s.currency)`, sql`c.payout_currency`, sql`(s.occurred_at AT TIME ZONE 'UTC')::date`)} IS NULL
  AND (u.recurring_months IS NULL OR ${withinMonthsOfFirst(sql`u.recurring_months`)})`

/** Whether rules `v` may apply to a sale `s`: no later ones were in force when it happened and when it was reported. */
const mayApply: Sql = sql`NOT EXISTS (
  SELECT 1 FROM commission_rules o
   WHERE o.account_id = v.account_id AND o.campaign_id = v.campaign_id AND o.version > v.version
     AND o.created_at <= least(s.occurred_at, s.created_at))`

/**
 * A page of the sales, of all accounts, that wait for an exchange rate, with whether every rate is known that they need under some version
 * of the rules. One of a rejected referral needs none.
 */
export function findSalesAwaitingRate(db: Db, after: Place, limit: number): Promise<SaleAwaitingRate[]> {
  return db.many(sql`
    /* every account */
    SELECT s.account_id, s.id, s.external_id, s.customer_ref,
           r.status = 'rejected' OR EXISTS (
             SELECT 1 FROM commission_rules v
              WHERE v.account_id = s.account_id AND v.campaign_id = c.id AND ${mayApply}
                AND NOT EXISTS (
                  SELECT 1 FROM commission_rules u
                   WHERE u.account_id = v.account_id AND u.campaign_id = v.campaign_id AND u.version = v.version AND ${lacksRate})) AS has_rates
      FROM sales s
      JOIN referrals r ON r.account_id = s.account_id AND r.id = s.referral_id
      JOIN campaigns c ON c.account_id = s.account_id AND c.id = r.campaign_id
     WHERE s.awaits_rate AND (s.account_id, s.id) > (${after.account_id}, ${after.id})
     ORDER BY s.account_id, s.id LIMIT ${limit}`)
}
