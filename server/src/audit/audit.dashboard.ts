import type { AuditEntry } from '@tributary/contract/dashboard'
import type { DashboardHandlers } from '../kit/dashboard-endpoint.ts'
import { pageAfter } from '../kit/page.ts'
import { FILE_PAGE_ROWS, pagedCsv } from '../kit/paged-csv.ts'
import { listAudit } from './audit.store.ts'

export const auditDashboard: DashboardHandlers<'listAuditLog' | 'exportAuditLog'> = {
  listAuditLog: async ({ db, accountId, query }) =>
    pageAfter(await listAudit(db, accountId, query), query.limit),
  exportAuditLog: async ({ db, accountId, query }) => ({
    name: 'audit-log.csv',
    pages: pagedCsv<AuditEntry>(
      'line created_at actor_kind actor address action subject details'.split(' '),
      row => [
        row.id,
        row.created_at,
        row.actor_kind,
        row.actor_name,
        row.address,
        row.action,
        row.subject_id,
        JSON.stringify(row.details),
      ],
      async after => {
        const page = { ...query, limit: FILE_PAGE_ROWS, ...(after && { after }) }
        return pageAfter(await listAudit(db, accountId, page), FILE_PAGE_ROWS)
      },
    ),
  }),
}
