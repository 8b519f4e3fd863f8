import type { CampaignRule, CommissionRuleUsed } from '@tributary/contract/dashboard'
import { percent, shortMoney } from '../../ui/format.ts'
import { texts } from './en.ts'

type Rule = Omit<CommissionRuleUsed, 'version' | 'created_at'> & Partial<Pick<CampaignRule, 'beneficiary'>>

/** What a rule pays, such as "25% of each customer's payments for 12 months". */
export function ruleText(rule: Rule): string {
  const forWhom = rule.beneficiary === 'referee' ? texts.refereeRule : texts.rule
  const { recurring_months: months } = rule
  const [text, amount] =
    rule.rate_basis_points !== null
      ? [forWhom.percent, percent(rule.rate_basis_points / 10_000)]
      : [forWhom.flat, shortMoney(rule.flat_minor ?? 0, rule.flat_currency ?? 'USD')]
  if (months === null) return text.always(amount)
  return months === 0 ? text.first(amount) : text.months(amount, months)
}

/** The same with who gets it, as a line of a campaign's rules. */
export function ruleLine(rule: CampaignRule): string {
  const text = ruleText(rule)
  return texts.ruleFor[rule.beneficiary](rule.entry_type === 'credit' ? texts.asCredit(text) : text)
}
