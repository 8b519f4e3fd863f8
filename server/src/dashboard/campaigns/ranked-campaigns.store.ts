import type { DashboardQuery, ListSort } from '@tributary/contract/dashboard'
import type { Db } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import { factsFor } from '../../insight/fact-sums.store.ts'
import { rates } from '../../insight/facts.store.ts'
import type { FactScope } from '../../insight/live-days.store.ts'
import { figures, mainCurrency, type RankedRow, ranking } from '../../insight/ranking.store.ts'
import { rowsAfter } from '../../kit/page.ts'
import { matching } from '../../programme/campaigns/campaign-list.store.ts'

/** A page of the list in the order of a figure. */
export function rankCampaigns(
  db: Db,
  scope: FactScope,
  sort: ListSort,
  query: DashboardQuery<'listCampaigns'>,
): Promise<RankedRow[]> {
  return db.many(sql`
    WITH ${factsFor(scope, 'campaign')}, ${rates(scope)}, ${mainCurrency(sort, scope)},
         ${figures('campaign', sort, scope.reportingCurrency)}, ${ranking(query.after)}, ranked AS (
      SELECT c.id, coalesce(k.value, 0) AS value
        FROM campaigns c LEFT JOIN counted k ON k.id = c.id
       WHERE c.account_id = ${scope.accountId} AND ${matching(query)}
    )
    SELECT r.id, m.currency
      FROM ranked r CROSS JOIN page p CROSS JOIN main m WHERE (r.value, r.id) < (p.value, p.after)
     ORDER BY r.value DESC, r.id DESC LIMIT ${rowsAfter(query.limit)}`)
}
