import type { DashboardQuery } from '@tributary/contract/dashboard'
import type { Db } from '../../db/database.ts'
import { notFound } from '../../kit/domain-error.ts'
import { listFile } from '../../kit/list-file.ts'
import { pageAfter } from '../../kit/page.ts'
import { findMail, listMails } from '../../mail/mail.store.ts'
import type { DashboardHandlers } from '../call.ts'

const pageOf = async (db: Db, accountId: number, query: DashboardQuery<'listMails'>) =>
  pageAfter(await listMails(db, accountId, query), query.limit)

export const mailDashboard: DashboardHandlers<'listMails' | 'exportMails' | 'getMail'> = {
  listMails: ({ db, accountId, query }) => pageOf(db, accountId, query),
  exportMails: async ({ db, accountId }) =>
    listFile(
      'mails.csv',
      ['id', 'created_at', 'kind', 'to_address', 'subject', 'status', 'problem', 'sent_at'],
      page => pageOf(db, accountId, page),
    ),
  getMail: async ({ db, accountId, id, note }) => {
    const mail = await findMail(db, accountId, id)
    if (!mail) throw notFound('email')
    note({ kind: mail.kind, to: mail.to_address })
    return mail
  },
}
