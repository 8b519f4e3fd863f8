import type { ListSort } from '@tributary/contract/dashboard'
import type { Db } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import { factsFor } from '../insight/fact-sums.store.ts'
import { rates } from '../insight/facts.store.ts'
import type { FactScope } from '../insight/live-days.store.ts'
import { figures, mainCurrency } from '../insight/ranking.store.ts'

const SHOWN = 20

export interface PlaceRow {
  place: number
  value: number
  is_me: boolean
  /** Null if they haven't chosen to be named. */
  name: string | null
  currency: string | null
}

/** The first places, and the affiliate's own. Equals share a place. An email is never shown: who has no name stays unnamed. */
export function findPlaces(
  db: Db,
  scope: FactScope,
  sort: ListSort,
  affiliateId: number,
): Promise<PlaceRow[]> {
  return db.many(sql`
    WITH ${factsFor(scope, 'affiliate')}, ${rates(scope)}, ${mainCurrency(sort, scope)},
         ${figures('affiliate', sort, scope.reportingCurrency)}, ranked AS (
      SELECT a.id, g.value, rank() OVER (ORDER BY g.value DESC)::integer AS place
        FROM figures g JOIN affiliates a ON a.account_id = ${scope.accountId} AND a.id = g.id
       WHERE g.value > 0 AND a.status = 'approved'
    ), shown AS (
      (SELECT r.id, r.value, r.place FROM ranked r ORDER BY r.place, r.id LIMIT ${SHOWN})
      UNION
      (SELECT r.id, r.value, r.place FROM ranked r WHERE r.id = ${affiliateId})
    )
    SELECT s.place, s.value, s.id = ${affiliateId} AS is_me, m.currency,
           (SELECT coalesce(n.nickname, a.name)
              FROM leaderboard_names n JOIN affiliates a ON a.account_id = ${scope.accountId} AND a.id = n.affiliate_id
             WHERE n.account_id = ${scope.accountId} AND n.affiliate_id = s.id) AS name
      FROM shown s CROSS JOIN main m ORDER BY s.place, s.id`)
}
