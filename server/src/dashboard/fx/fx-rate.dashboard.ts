import { listFile } from '../../kit/list-file.ts'
import { newestRates } from '../../money/fx/fx-rate.store.ts'
import type { DashboardHandlers } from '../call.ts'

export const fxRateDashboard: DashboardHandlers<'listRates' | 'exportRates'> = {
  listRates: async ({ db }) => ({ data: await newestRates(db) }),
  exportRates: async ({ db }) =>
    listFile('fx-rates.csv', ['base', 'quote', 'rate', 'day', 'source'], async () => ({
      data: await newestRates(db),
    })),
}
