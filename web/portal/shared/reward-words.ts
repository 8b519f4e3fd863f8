import type { CampaignRule } from '@tributary/contract/dashboard'
import { pages as texts } from '@tributary/contract/portal/texts'
import { money, percent } from '../../ui/format.ts'

const { reward } = texts

const amountOf = (rule: CampaignRule) =>
  rule.rate_basis_points === null
    ? money(rule.flat_minor ?? 0, rule.flat_currency ?? 'USD')
    : percent(rule.rate_basis_points / 10_000)

const howLong = ({ recurring_months: months }: CampaignRule) => {
  if (months === null) return reward.forever
  return months === 0 ? reward.first : reward.months(months)
}

/** What a campaign pays, in a sentence. */
export function rewardWords(rules: CampaignRule[]): string {
  const own = rules.find(({ beneficiary }) => beneficiary !== 'referee')
  const friend = rules.find(({ beneficiary }) => beneficiary === 'referee')
  const parts: string[] = []
  if (own) {
    const amount = own.rate_basis_points === null ? reward.flat(amountOf(own)) : reward.percent(amountOf(own))
    parts.push(amount, howLong(own), ...(own.entry_type === 'credit' ? [reward.credit] : []))
  }
  if (friend) parts.push(reward.friend(amountOf(friend)))
  return parts.join(', ')
}
