import type { Db } from '../../db/database.ts'
import { notFound } from '../../kit/domain-error.ts'
import {
  findTerms,
  insertCommissionRules,
  lockCampaign,
  type RuleRow,
  updateCampaignDetails,
} from './campaign.store.ts'
import type { CampaignDetails, Reward } from './campaign.ts'
import { type RewardsAsked, rewardsOf } from './rewards.ts'
import { assertCampaign, assertRewards } from './valid-campaign.ts'

/** Whether the rules equal the current ones. */
function areInForce(rules: RuleRow[], rewards: Reward[]): boolean {
  const isInForce = ({ beneficiary, entryType, rule, recurringMonths }: Reward) =>
    rules.some(
      row =>
        row.beneficiary === beneficiary &&
        row.entry_type === entryType &&
        row.recurring_months === recurringMonths &&
        (rule.kind === 'percent'
          ? row.rate_basis_points === rule.rateBasisPoints
          : row.flat_minor === rule.amountMinor && row.flat_currency === rule.currency),
    )
  return rules.length === rewards.length && rewards.every(isInForce)
}

/**
 * Updates a campaign. New rules become a new version that applies to new sales only; existing commissions keep the version that
 * created them. Unchanged rules create no version.
 */
export function updateCampaign(
  db: Db,
  accountId: number,
  id: number,
  changes: Partial<CampaignDetails>,
  rewardsAsked?: RewardsAsked,
): Promise<void> {
  return db.transaction(async tx => {
    await lockCampaign(tx, accountId, id)
    const campaign = await findTerms(tx, accountId, id)
    if (!campaign) throw notFound('campaign')
    const changed = { ...campaign, ...changes }
    assertCampaign(changed)
    await updateCampaignDetails(tx, accountId, id, changed)
    if (!rewardsAsked) return
    const rewards = rewardsOf(campaign.program_type, rewardsAsked)
    assertRewards(campaign.program_type, rewards)
    if (!areInForce(campaign.rules, rewards)) await insertCommissionRules(tx, accountId, id, rewards)
  })
}
