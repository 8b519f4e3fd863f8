import type { CommissionRuleUsed } from '@tributary/contract/dashboard'
import { money, percent } from '../../ui/format.ts'

function howLong(months: number | null): string {
  if (months === null) return 'each sale, as long as the customer pays'
  if (months === 0) return 'the first sale alone'
  return months === 1
    ? 'each sale in the first month after the first one'
    : `each sale in the first ${months} months after the first one`
}

/** A rule as one would tell it to somebody: "20% of each sale, as long as the customer pays". */
export function ruleInWords(rule: Omit<CommissionRuleUsed, 'version' | 'created_at'>): string {
  return rule.rate_basis_points !== null
    ? `${percent(rule.rate_basis_points / 10_000)} of ${howLong(rule.recurring_months)}`
    : `${money(rule.flat_minor ?? 0, rule.flat_currency ?? 'USD')} for ${howLong(rule.recurring_months)}`
}
