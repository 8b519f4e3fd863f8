import { referralsOfEmail } from '../../earning/tracking/record-lead.ts'
import type { DashboardHandlers } from '../call.ts'
import {
  searchAffiliates,
  searchCustomers,
  searchEndpoints,
  searchPayouts,
  searchSales,
} from './search.store.ts'

export const searchDashboard: DashboardHandlers<'search'> = {
  search: async ({ db, secrets, accountId, query }) => {
    const text = query.q.trim()
    const ofEmail = await referralsOfEmail({ db, secrets }, accountId, text)
    const [affiliates, customers, sales, payouts, endpoints] = await Promise.all([
      searchAffiliates(db, accountId, text),
      searchCustomers(db, accountId, text, ofEmail),
      searchSales(db, accountId, text),
      searchPayouts(db, accountId, text),
      searchEndpoints(db, accountId, text),
    ])
    return { affiliates, customers, sales, payouts, endpoints }
  },
}
