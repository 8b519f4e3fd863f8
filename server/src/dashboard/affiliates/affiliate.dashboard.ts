import type { DashboardQuery } from '@tributary/contract/dashboard'
import type { Db } from '../../db/database.ts'
import { asking } from '../../insight/asking.store.ts'
import { listedScope, listedSums, periodOf } from '../../insight/listed-performance.ts'
import { decideEach } from '../../kit/bulk.ts'
import { notFound } from '../../kit/domain-error.ts'
import { pageAfter } from '../../kit/page.ts'
import { owedTo } from '../../money/ledger/balances.ts'
import { statementPages } from '../../money/statements/csv-statement.ts'
import { addAffiliate } from '../../programme/affiliate-contact/add-affiliate.ts'
import { presentListed } from '../../programme/affiliates/affiliate.presenter.ts'
import { affiliateExists } from '../../programme/affiliates/affiliate-exists.ts'
import { listForDashboard, listInOrder } from '../../programme/affiliates/affiliate-list.store.ts'
import { importAffiliates } from '../../programme/affiliates/import-affiliates.ts'
import { updateAffiliate } from '../../programme/affiliates/update-affiliate.ts'
import type { DashboardHandlers } from '../call.ts'
import { csvAffiliates } from './csv-affiliates.ts'
import { rankAffiliates } from './ranked-affiliates.store.ts'
import { showAffiliate } from './show-affiliate.ts'

async function listPage(db: Db, accountId: number, query: DashboardQuery<'listAffiliates'>) {
  const scope = await listedScope(db, accountId, query)
  const { sort } = query
  const ranked = scope && sort && (await asking(db, tx => rankAffiliates(tx, scope, sort, query)))
  const rows = ranked
    ? await listInOrder(
        db,
        accountId,
        ranked.map(({ id }) => id),
        query,
      )
    : await listForDashboard(db, accountId, query)
  const { data, next } = pageAfter(rows, query.limit)
  const ids = data.map(({ id }) => id)
  const owed = await owedTo(db, accountId, ids)
  const sums = scope && (await asking(db, tx => listedSums(tx, scope, 'affiliate', ids)))
  return {
    data: data.map(row => presentListed(row, owed.get(row.id) ?? [], sums?.of(row.id) ?? null)),
    next,
    period: periodOf(scope, ranked?.[0]?.currency),
  }
}

export const affiliateDashboard: DashboardHandlers<
  | 'listAffiliates'
  | 'exportAffiliates'
  | 'getAffiliate'
  | 'createAffiliate'
  | 'updateAffiliate'
  | 'reviewAffiliates'
  | 'importAffiliates'
  | 'downloadStatement'
> = {
  listAffiliates: ({ db, accountId, query }) => listPage(db, accountId, query),
  exportAffiliates: async ({ files, accountId, query }) => ({
    name: 'affiliates.csv',
    pages: csvAffiliates(files, accountId, query),
  }),
  getAffiliate: ({ db, accountId, id, baseUrl }) => showAffiliate(db, accountId, id, baseUrl),
  createAffiliate: ({ accountId, body, ...services }) => addAffiliate(services, accountId, body),
  updateAffiliate: ({ db, accountId, id, body }) => updateAffiliate(db, accountId, id, body),
  reviewAffiliates: ({ db, accountId, body: { ids, status, from = [], reason, share_reason }, note }) => {
    const statuses = new Map(from.map(each => [each.id, each.status]))
    // What the page showed is of no use in the audit log.
    note({ from: undefined })
    const rejection =
      reason && status === 'rejected' ? { reason, isShared: share_reason ?? false } : undefined
    return decideEach(ids, id =>
      updateAffiliate(db, accountId, id, { status }, { rejection, from: statuses.get(id) }),
    )
  },
  importAffiliates: async ({ db, accountId, body, note }) => {
    const report = await importAffiliates(db, accountId, body)
    // The result of the import is more useful in the audit log than the file's content.
    note({ ...report, csv: '…', refused: report.refused.length })
    return report
  },
  downloadStatement: async ({ db, files, accountId, id, query }) => {
    if (!(await affiliateExists(db, accountId, id))) throw notFound('affiliate')
    return {
      name: `statement-${id}${query.as_of ? `-${query.as_of.slice(0, 10)}` : ''}.csv`,
      pages: statementPages(files, accountId, id, query.as_of),
    }
  },
}
