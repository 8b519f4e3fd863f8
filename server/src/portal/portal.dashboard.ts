import type { PortalSettings } from '@tributary/contract/dashboard'
import type { DashboardHandlers } from '../kit/dashboard-endpoint.ts'
import type { Services } from '../kit/endpoint.ts'
import { changeLogo, changePortal, removeLogo } from './change-portal.ts'
import { logoAddress, portalAddress } from './portal-address.ts'
import { portalOfAccount } from './portal-of-account.ts'

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
