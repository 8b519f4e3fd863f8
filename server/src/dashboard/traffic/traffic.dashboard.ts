import { idsOfPage } from '../../kit/page.ts'
import type { DashboardHandlers } from '../call.ts'
import { withDays } from '../created-days.ts'
import { searchedIn } from '../search/searched.ts'
import { listClicks, lookForClicks } from './click-list.store.ts'
import { csvClicks, csvSales } from './csv-traffic.ts'
import { listSales, lookForSales } from './sale-list.store.ts'
import { lookUpSales } from './sale-search.store.ts'

/** What the numbers of clicks and revenue count. */
export const trafficDashboard: DashboardHandlers<
  'listSales' | 'exportSales' | 'listClicks' | 'exportClicks'
> = {
  listSales: async ({ db, secrets, accountId, query }) => {
    const asked = await withDays(db, accountId, query)
    const searched = await searchedIn({ db, secrets }, accountId, query.q)
    const found = searched && (await lookUpSales(db, accountId, searched, asked))
    const page = await lookForSales(db, accountId, asked, found)
    const { ids, next } = idsOfPage(page, query.limit)
    return {
      data: await listSales(db, accountId, asked, ids),
      next,
      is_partial: found?.is_partial ?? false,
    }
  },
  exportSales: async ({ db, secrets, files, accountId, query }) => ({
    name: 'sales.csv',
    pages: csvSales(
      files,
      accountId,
      await withDays(db, accountId, query),
      await searchedIn({ db, secrets }, accountId, query.q),
    ),
  }),
  listClicks: async ({ db, accountId, query }) => {
    const asked = await withDays(db, accountId, query)
    const { ids, next } = idsOfPage(await lookForClicks(db, accountId, asked), query.limit)
    return { data: await listClicks(db, accountId, asked, ids), next }
  },
  exportClicks: async ({ db, files, accountId, query }) => ({
    name: 'clicks.csv',
    pages: csvClicks(files, accountId, await withDays(db, accountId, query)),
  }),
}
