import type { DashboardHandlers } from '../kit/dashboard-endpoint.ts'
import { notFound } from '../kit/domain-error.ts'
import { pageAfter } from '../kit/page.ts'
import { findMail, listMails } from './mail.store.ts'

export const mailDashboard: DashboardHandlers<'listMails' | 'getMail'> = {
  listMails: async ({ db, accountId, query }) =>
    pageAfter(await listMails(db, accountId, query), query.limit),
  getMail: async ({ db, accountId, id }) => {
    const mail = await findMail(db, accountId, id)
    if (!mail) throw notFound('mail')
    return mail
  },
}
