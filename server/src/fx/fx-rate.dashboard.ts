import type { DashboardHandlers } from '../kit/dashboard-endpoint.ts'
import { newestRates } from './fx-rate.store.ts'

export const fxRateDashboard: DashboardHandlers<'listRates'> = {
  listRates: async ({ db }) => ({ data: await newestRates(db) }),
}
