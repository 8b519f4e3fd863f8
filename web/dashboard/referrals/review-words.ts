import type { ReferralSummary } from '@tributary/contract/dashboard'
import { money } from '../../ui/format.ts'
import { sumsByCurrency } from '../../ui/sums.ts'

/** What the rows earned in these statuses, a sum for each currency; null where it is nothing. */
export function earned(rows: Pick<ReferralSummary, 'commissions'>[], statuses: string[]): string | null {
  const counted = rows
    .flatMap(({ commissions }) => commissions)
    .filter(({ status }) => statuses.includes(status))
  const texts = sumsByCurrency(counted)
    .filter(([, minor]) => minor > 0)
    .map(([currency, minor]) => money(minor, currency))
  return texts.length > 0 ? texts.join(' and ') : null
}
