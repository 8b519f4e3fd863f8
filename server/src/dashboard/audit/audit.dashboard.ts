import type { AuditEntry, DashboardQuery } from '@tributary/contract/dashboard'
import type { Db } from '../../db/database.ts'
import { listFile } from '../../kit/list-file.ts'
import { pageAfter } from '../../kit/page.ts'
import { listAudit } from '../../programme/audit/audit.store.ts'
import type { DashboardHandlers } from '../call.ts'
import { nameObjects } from './name-objects.ts'

async function pageOf(db: Db, accountId: number, query: DashboardQuery<'listAuditLog'>) {
  const { data, next } = pageAfter(await listAudit(db, accountId, query), query.limit)
  return { data: await nameObjects(db, accountId, data), next }
}

/** The subject's name, for the file. */
const withSubject = (entry: AuditEntry) => ({
  ...entry,
  subject: entry.objects.find(({ kind, id }) => kind === entry.subject_kind && id === entry.subject_id)?.name,
})

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
        'subject',
      ],
      async page => {
        const { data, next } = await pageOf(db, accountId, { ...query, ...page })
        return { data: data.map(withSubject), next }
      },
    ),
}
