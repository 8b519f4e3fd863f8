import type { Db } from '../../db/database.ts'
import { findCampaign } from './campaign.store.ts'

export const campaignExists = async (db: Db, accountId: number, id: number): Promise<boolean> =>
  (await findCampaign(db, accountId, id)) !== undefined
