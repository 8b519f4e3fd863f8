import type { Campaign } from '@tributary/contract'
import type { Reward } from './campaign.ts'
import { parseCommissionRule } from './parse-commission-rule.ts'

/** What a campaign pays, as people write it down. */
export interface RewardsAsked {
  /** `20%`, or minor units with a currency: `500 USD`. */
  commission: string
  /** In a referral campaign, what the new customer gets. */
  refereeReward?: string | null | undefined
  /** In a referral campaign, rewards are credits and not money. */
  credit?: boolean | undefined
  recurringMonths: number | null
}

/** The reward of who refers, and in a referral campaign that of the new customer where there is one. */
export function rewardsOf(programType: Campaign['program_type'], asked: RewardsAsked): Reward[] {
  const isReferral = programType === 'referral'
  const reward = (beneficiary: Reward['beneficiary'], rule: string, field: string): Reward => ({
    beneficiary,
    entryType: isReferral && asked.credit ? 'credit' : 'earned',
    rule: parseCommissionRule(rule, field),
    recurringMonths: asked.recurringMonths,
  })
  return [
    reward(isReferral ? 'referrer' : 'affiliate', asked.commission, 'commission'),
    ...(asked.refereeReward == null ? [] : [reward('referee', asked.refereeReward, 'referee_reward')]),
  ]
}
