import type { DashboardHandlers } from '../kit/dashboard-endpoint.ts'
import { pageAfter } from '../kit/page.ts'
import { listUnattributed } from './explanation.store.ts'

export const conversionDashboard: DashboardHandlers<'listUnattributed'> = {
  listUnattributed: async ({ db, accountId, query }) =>
    pageAfter(await listUnattributed(db, accountId, query), query.limit),
}
