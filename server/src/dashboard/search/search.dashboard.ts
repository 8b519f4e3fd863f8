import type { DashboardHandlers } from '../call.ts'
import { searchAffiliates, searchCustomers, searchPayouts } from './search.store.ts'

export const searchDashboard: DashboardHandlers<'search'> = {
  search: async ({ db, accountId, query }) => {
    const text = query.q.trim()
    const [affiliates, customers, payouts] = await Promise.all([
      searchAffiliates(db, accountId, text),
      searchCustomers(db, accountId, text),
      searchPayouts(db, accountId, text),
    ])
    return { affiliates, customers, payouts }
  },
}
