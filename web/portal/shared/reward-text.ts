import type { CampaignRule } from '@tributary/contract/dashboard'
import { pages as texts } from '@tributary/contract/portal/texts'
import { percent, shortMoney } from '../../ui/format.ts'

const { reward } = texts

const amountOf = (rule: CampaignRule) =>
  rule.rate_basis_points === null
    ? shortMoney(rule.flat_minor ?? 0, rule.flat_currency ?? 'USD')
    : percent(rule.rate_basis_points / 10_000)

function ownReward(rule: CampaignRule): string {
  const { recurring_months: months } = rule
  const text = rule.rate_basis_points === null ? reward.flat : reward.percent
  const amount = amountOf(rule)
  if (months === null) return text.always(amount)
  return months === 0 ? text.first(amount) : text.months(amount, months)
}

/** What a campaign pays, such as "$25 per new customer; your friend gets $10". */
export function rewardText(rules: CampaignRule[]): string {
  const own = rules.find(({ beneficiary }) => beneficiary !== 'referee')
  const friend = rules.find(({ beneficiary }) => beneficiary === 'referee')
  const parts: string[] = []
  if (own) parts.push(own.entry_type === 'credit' ? reward.credit(ownReward(own)) : ownReward(own))
  if (friend) parts.push(reward.friend(amountOf(friend)))
  return parts.join('; ')
}
