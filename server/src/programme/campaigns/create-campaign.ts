import type { Campaign } from '@tributary/contract'
import type { Db } from '../../db/database.ts'
import { brokenConstraint } from '../../db/failures.ts'
import { conflict } from '../../kit/domain-error.ts'
import { presentCampaign } from './campaign.presenter.ts'
import { insertCampaign, insertCommissionRules } from './campaign.store.ts'
import type { CampaignOptions, NewCampaign, Reward } from './campaign.ts'
import { assertCampaign, assertRewards } from './valid-campaign.ts'

/** Creates a campaign with its first rule version. */
export async function createCampaign(
  db: Db,
  accountId: number,
  campaign: NewCampaign,
  {
    rewards,
    reviewsReferrals = false,
    looksBack = true,
    forbidsPaidSearch = false,
  }: { rewards: Reward[] } & Partial<CampaignOptions>,
): Promise<Campaign> {
  assertCampaign(campaign)
  assertRewards(campaign.program_type, rewards)
  try {
    return await db.transaction(async tx => {
      const row = await insertCampaign(tx, accountId, campaign, {
        reviewsReferrals,
        looksBack,
        forbidsPaidSearch,
      })
      if (rewards.length > 0) await insertCommissionRules(tx, accountId, row.id, rewards)
      return presentCampaign(row)
    })
  } catch (error) {
    if (brokenConstraint(error) === 'campaigns_slug_taken')
      throw conflict(`slug "${campaign.slug}" is taken by another campaign.`)
    throw error
  }
}
