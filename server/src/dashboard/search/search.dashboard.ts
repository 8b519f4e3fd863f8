import { referralsOfEmail } from '../../earning/tracking/record-lead.ts'
import type { DashboardHandlers } from '../call.ts'
import { searchAffiliates, searchCustomers, searchPayouts } from './search.store.ts'

export const searchDashboard: DashboardHandlers<'search'> = {
  search: async ({ db, secrets, accountId, query }) => {
    const text = query.q.trim()
    const ofEmail = await referralsOfEmail({ db, secrets }, accountId, text)
    const [affiliates, customers, payouts] = await Promise.all([
      searchAffiliates(db, accountId, text),
      searchCustomers(db, accountId, text, ofEmail),
      searchPayouts(db, accountId, text),
    ])
    return { affiliates, customers, payouts }
  },
}
