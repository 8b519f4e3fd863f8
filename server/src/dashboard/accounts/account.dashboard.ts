import { notFound } from '../../kit/domain-error.ts'
import { mailFrom } from '../../mail/servers/sending-server.ts'
import { findAccount } from '../../programme/accounts/account.store.ts'
import { updateAccount } from '../../programme/accounts/update-account.ts'
import type { DashboardCall, DashboardHandlers } from '../call.ts'

async function show({ db, accountId, settings }: DashboardCall<'getAccount' | 'updateAccount'>) {
  const found = await findAccount(db, accountId)
  if (!found) throw notFound('account')
  return { ...found, mail_from: await mailFrom(db, settings, accountId) }
}

export const accountDashboard: DashboardHandlers<'getAccount' | 'updateAccount'> = {
  getAccount: show,
  updateAccount: async call => {
    const { before, saved } = await updateAccount(call.db, call.accountId, call.body)
    if (before.name !== saved.name) call.note({ name_before: before.name })
    // Reports from before the change have other days, so the log shows the zone that was replaced and the one that was stored.
    if (before.time_zone !== saved.time_zone)
      call.note({ time_zone: saved.time_zone, time_zone_before: before.time_zone })
    if (before.site_url !== saved.site_url) call.note({ site_url_before: before.site_url })
    if (before.reporting_currency !== saved.reporting_currency)
      call.note({ reporting_currency_before: before.reporting_currency })
    return show(call)
  },
}
