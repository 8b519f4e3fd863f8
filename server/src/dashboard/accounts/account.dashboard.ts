import { notFound } from '../../kit/domain-error.ts'
import { findAccount, renameAccount } from '../../programme/accounts/account.store.ts'
import type { DashboardCall, DashboardHandlers } from '../call.ts'

async function show({ db, accountId, settings }: DashboardCall<'getAccount' | 'updateAccount'>) {
  const found = await findAccount(db, accountId)
  if (!found) throw notFound('account')
  return { ...found, mail_from: settings.TRIBUTARY_SMTP_URL ? settings.TRIBUTARY_MAIL_FROM : null }
}

export const accountDashboard: DashboardHandlers<'getAccount' | 'updateAccount'> = {
  getAccount: show,
  updateAccount: async call => {
    await renameAccount(call.db, call.accountId, call.body.name)
    return show(call)
  },
}
