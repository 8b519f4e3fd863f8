import type { DashboardQuery } from '@tributary/contract/dashboard'
import type { Db } from '../../db/database.ts'
import { notFound } from '../../kit/domain-error.ts'
import { listFile } from '../../kit/list-file.ts'
import { idsOfPage } from '../../kit/page.ts'
import { findMail } from '../../mail/mail.store.ts'
import type { DashboardHandlers } from '../call.ts'
import { listMails, lookForMails } from './mail-list.store.ts'

async function mailsPage(db: Db, accountId: number, query: DashboardQuery<'listMails'>) {
  const { ids, next } = idsOfPage(await lookForMails(db, accountId, query), query.limit)
  return { data: await listMails(db, accountId, query, ids), next }
}

export const mailDashboard: DashboardHandlers<'listMails' | 'exportMails' | 'getMail'> = {
  listMails: ({ db, accountId, query }) => mailsPage(db, accountId, query),
  exportMails: async ({ db, accountId, query }) =>
    listFile(
      'mails.csv',
      ['id', 'created_at', 'kind', 'to_address', 'subject', 'status', 'problem', 'sent_at'],
      page => mailsPage(db, accountId, { ...query, ...page }),
    ),
  getMail: async ({ db, accountId, id, note }) => {
    const mail = await findMail(db, accountId, id)
    if (!mail) throw notFound('email')
    note({ kind: mail.kind, to: mail.to_address })
    return mail
  },
}
