import { invalid } from '../../kit/domain-error.ts'
import { assertAmount } from '../../kit/largest-amount.ts'
import { isCurrency } from '../../kit/money.ts'
import type { CommissionRule } from './campaign.ts'

/** Parses `20%`, `12.5%` or `500 USD`; a flat amount is in minor units. An error names the field. */
export function parseCommissionRule(text: string, field = 'commission'): CommissionRule {
  const percent = /^(\d{1,3})(?:\.(\d{1,2}))?%$/.exec(text)
  if (percent) {
    const rateBasisPoints = Number(percent[1]) * 100 + Number((percent[2] ?? '').padEnd(2, '0'))
    if (rateBasisPoints < 1 || rateBasisPoints > 10_000)
      throw invalid(field, 'must be more than 0% and at most 100%')
    return { kind: 'percent', rateBasisPoints }
  }
  const flat = /^(\d{1,16}) ([A-Z]{3})$/.exec(text)
  if (flat) {
    const [amountMinor, currency] = [Number(flat[1]), flat[2] as string]
    if (!isCurrency(currency))
      throw invalid(field, `has an unknown currency, ${currency}; use an ISO-4217 code such as USD`)
    if (!Number.isSafeInteger(amountMinor) || amountMinor < 1)
      throw invalid(field, 'must be at least 1 minor unit')
    assertAmount(field, amountMinor)
    return { kind: 'flat', amountMinor, currency }
  }
  throw invalid(field, 'must be a percentage such as 20% or minor units with a currency such as "500 USD"')
}
