import type { Campaign } from '@tributary/contract'
import type { Reward } from './campaign.ts'
import { parseCommissionRule } from './parse-commission-rule.ts'

/** A campaign's rewards as typed. */
export interface RewardsAsked {
  /** `20%`, or minor units with a currency: `500 USD`. */
  commission: string
  /** In a referral campaign, the new customer's reward. */
  refereeReward?: string | null | undefined
  /** In a referral campaign, whether rewards are credit instead of money. */
  credit?: boolean | undefined
  recurringMonths: number | null
}

/** The referrer's rule and, in a referral campaign, the new customer's if there is one. */
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
