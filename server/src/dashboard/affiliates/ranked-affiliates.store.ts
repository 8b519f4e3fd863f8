import type { DashboardQuery, ListSort } from '@tributary/contract/dashboard'
import type { Db } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import { factsFor } from '../../insight/fact-sums.store.ts'
import { rates } from '../../insight/facts.store.ts'
import type { FactScope } from '../../insight/live-days.store.ts'
import { figures, mainCurrency, type RankedRow, ranking } from '../../insight/ranking.store.ts'
import { rowsAfter } from '../../kit/page.ts'
import { matching } from '../../programme/affiliates/affiliate-list.store.ts'

/**
 * A page of the list in the order of a figure. Affiliates without one come last, and are looked for only if the page has room for them: most of
 * a large programme's bring nothing in a month.
 */
export function rankAffiliates(
  db: Db,
  scope: FactScope,
  sort: ListSort,
  query: DashboardQuery<'listAffiliates'>,
): Promise<RankedRow[]> {
  const limit = rowsAfter(query.limit)
  const { q, status, kind, tag, campaign_id } = query
  const isFiltered = [q, status, kind, tag, campaign_id].some(filter => filter !== undefined)
  // Without a filter, the first ones are the page, and the rest need not be sorted.
  const most = isFiltered ? null : limit
  return db.many(sql`
    WITH ${factsFor(scope, 'affiliate')}, ${rates(scope)}, ${mainCurrency(sort, scope)},
         ${figures('affiliate', sort, scope.reportingCurrency)}, ${ranking(query.after)}, with_figure AS (
      SELECT a.id, k.value
        FROM (SELECT c.id, c.value FROM counted c CROSS JOIN page p WHERE (c.value, c.id) < (p.value, p.after)
               ORDER BY c.value DESC, c.id DESC LIMIT ${most}) k
        JOIN affiliates a ON a.account_id = ${scope.accountId} AND a.id = k.id
       WHERE ${matching(query)} ORDER BY k.value DESC, k.id DESC LIMIT ${limit}
    ), ranked AS (
      SELECT w.id, w.value FROM with_figure w
      UNION ALL
      (SELECT a.id, 0
         FROM affiliates a
        WHERE a.account_id = ${scope.accountId} AND (SELECT count(*) FROM with_figure) < ${limit}
          AND ((SELECT p.value FROM page p) > 0 OR a.id < (SELECT p.after FROM page p))
          AND a.id NOT IN (SELECT k.id FROM counted k) AND ${matching(query)}
        ORDER BY a.id DESC LIMIT ${limit})
    )
    SELECT r.id, m.currency FROM ranked r CROSS JOIN main m ORDER BY r.value DESC, r.id DESC LIMIT ${limit}`)
}
