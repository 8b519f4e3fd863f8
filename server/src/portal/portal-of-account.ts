import type { Db } from '../db/database.ts'
import { notFound } from '../kit/domain-error.ts'
import {
  findLogo,
  findOpenCampaign,
  findPortal,
  listPublicCampaigns,
  type PortalRow,
} from './portal.store.ts'

export {
  findLogo as logoOf,
  findOpenCampaign as openCampaign,
  listPublicCampaigns as publicCampaigns,
  type PortalRow,
}

export async function portalOfAccount(db: Db, accountId: number): Promise<PortalRow> {
  const portal = await findPortal(db, accountId)
  if (!portal) throw notFound('account')
  return portal
}
