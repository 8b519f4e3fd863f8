import type { DashboardQuery } from '@tributary/contract/dashboard'
import type { Db } from '../../db/database.ts'
import { listFile } from '../../kit/list-file.ts'
import { pageAfter } from '../../kit/page.ts'
import { listAudit } from '../../programme/audit/audit.store.ts'
import type { DashboardHandlers } from '../call.ts'

const pageOf = async (db: Db, accountId: number, query: DashboardQuery<'listAuditLog'>) =>
  pageAfter(await listAudit(db, accountId, query), query.limit)

export const auditDashboard: DashboardHandlers<'listAuditLog' | 'exportAuditLog'> = {
  listAuditLog: ({ db, accountId, query }) => pageOf(db, accountId, query),
  exportAuditLog: async ({ db, accountId, query }) =>
    listFile(
      'audit-log.csv',
      [
        'id',
        'created_at',
        'actor_kind',
        'actor_id',
        'actor_name',
        'address',
        'action',
        'subject_id',
        'details',
      ],
      page => pageOf(db, accountId, { ...query, ...page }),
    ),
}
