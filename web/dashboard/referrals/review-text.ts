import type { ReferralSummary } from '@tributary/contract/dashboard'
import { money } from '../../ui/format.ts'
import { sumsByCurrency } from '../../ui/sums.ts'
import { listed } from '../shared/en.ts'

/** The commissions of the rows in these statuses, one sum per currency; null if there are none. */
export function earnedText(rows: Pick<ReferralSummary, 'commissions'>[], statuses: string[]): string | null {
  const counted = rows
    .flatMap(({ commissions }) => commissions)
    .filter(({ status }) => statuses.includes(status))
  const amounts = sumsByCurrency(counted)
    .filter(([, minor]) => minor > 0)
    .map(([currency, minor]) => money(minor, currency))
  return amounts.length > 0 ? listed(amounts) : null
}
