import type { PortalSettings } from '@tributary/contract/dashboard'
import type { Services } from '../../db/services.ts'
import { changeLogo, changePortal, removeLogo } from '../../programme/portal-settings/change-portal.ts'
import { portalOfAccount } from '../../programme/portal-settings/portal.store.ts'
import { logoAddress, portalAddress } from '../../programme/portal-settings/portal-address.ts'
import type { DashboardHandlers } from '../call.ts'

async function show({
  db,
  baseUrl,
  accountId,
}: Pick<Services, 'db' | 'baseUrl'> & { accountId: number }): Promise<PortalSettings> {
  const { account_id, slug, logo_version, ...portal } = await portalOfAccount(db, accountId)
  return {
    ...portal,
    logo: logoAddress(`/portal/${slug}`, { logo_version }),
    address: portalAddress(baseUrl, { slug, domain: portal.domain }),
  }
}

export const portalDashboard: DashboardHandlers<'getPortal' | 'updatePortal' | 'setLogo' | 'removeLogo'> = {
  getPortal: show,
  updatePortal: async call => {
    await changePortal(call.db, call.accountId, call.baseUrl, call.body)
    return show(call)
  },
  setLogo: async call => {
    await changeLogo(call.db, call.accountId, call.body.logo)
    return show(call)
  },
  removeLogo: async call => {
    await removeLogo(call.db, call.accountId)
    return show(call)
  },
}
