import { notFound } from '../kit/domain-error.ts'
import { creativeDownload, presentCreative } from '../programme/creatives/creative.presenter.ts'
import { portalOfAccount } from '../programme/portal-settings/portal.store.ts'
import { portalAddress } from '../programme/portal-settings/portal-address.ts'
import type { PortalHandlers } from './call.ts'
import { findOwnCreativeFile, listOwnCreatives } from './creatives.store.ts'

/** What affiliates promote with. The pages fill in the link that the affiliate chooses. */
export const creativeHandlers: PortalHandlers<'listCreatives' | 'downloadCreative'> = {
  listCreatives: async call => {
    const portal = await portalOfAccount(call.db, call.accountId)
    const rows = await listOwnCreatives(call.db, call)
    return { base: portalAddress(call.baseUrl, portal), data: rows.map(presentCreative) }
  },
  downloadCreative: async call => {
    const found = await findOwnCreativeFile(call.files, call, call.id)
    if (!found) throw notFound('creative')
    return creativeDownload(found)
  },
}
