import type { CampaignStatus } from '@tributary/contract/dashboard'
import type { Db } from '../../db/database.ts'
import { invalidState, notFound } from '../../kit/domain-error.ts'
import { lockCampaign } from './campaign.store.ts'
import { findCampaignStatus, saveCampaignStatus } from './campaign-stop.store.ts'

/** A restored campaign is paused first, so that its links don't start to credit by accident. */
const allowed: Record<CampaignStatus, CampaignStatus[]> = {
  active: ['paused', 'archived'],
  paused: ['active', 'archived'],
  archived: ['paused'],
}

/**
 * Pauses, resumes, archives or restores a campaign. While it is paused or archived, its links redirect but new conversions are credited
 * to no one, and only your team can enrol affiliates. Referrals made before keep earning, and what was earned stays payable.
 */
export function setCampaignStatus(
  db: Db,
  accountId: number,
  id: number,
  status: CampaignStatus,
): Promise<{ from: CampaignStatus }> {
  return db.transaction(async tx => {
    // Serializes two people who press the button at once: the second one sees the first one's status.
    const [, from] = await tx.inOrder(
      () => lockCampaign(tx, accountId, id),
      () => findCampaignStatus(tx, accountId, id),
    )
    if (!from) throw notFound('campaign')
    if (from === status) throw invalidState(`The campaign is already ${status}.`)
    if (!allowed[from].includes(status))
      throw invalidState('The campaign is archived. Restore it before you resume it.')
    saveCampaignStatus(tx, accountId, id, status)
    return { from }
  })
}
