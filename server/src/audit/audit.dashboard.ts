import type { DashboardHandlers } from '../kit/dashboard-endpoint.ts'
import { pageAfter } from '../kit/page.ts'
import { listAudit } from './audit.store.ts'

export const auditDashboard: DashboardHandlers<'listAuditLog'> = {
  listAuditLog: async ({ db, accountId, query }) =>
    pageAfter(await listAudit(db, accountId, query), query.limit),
}
