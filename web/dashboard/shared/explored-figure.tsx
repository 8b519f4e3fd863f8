import type { ExploredSums } from '@tributary/contract/dashboard'
import { ExploredAmount } from './converted-amount.tsx'
import { type CountedIn, CountedLink, type CountedList } from './counted-link.tsx'
import type { AmountName } from './figures.ts'

export interface Figure {
  label: string
  value: (sums: ExploredSums) => string
  /** The list of what it counts. */
  list?: CountedList
  /** The amount that may be converted, or that it's computed from. */
  amount?: AmountName
}

function hasRows({ clicks, conversions, sales, money }: ExploredSums, list: CountedList): boolean {
  if (list === 'commissions') return money.some(({ commissions_minor }) => commissions_minor > 0)
  return { clicks, referrals: conversions, sales }[list] > 0
}

/** A figure of some sums: it leads to the rows that it counts, and has what its amount was converted from in a tooltip. */
export function ExploredFigure({
  of: { value, list, amount },
  sums,
  rows,
  written = text => text,
}: {
  of: Figure
  sums: ExploredSums
  /** The filters of the list that holds its rows; undefined if none can. */
  rows: CountedIn | undefined
  written?: (value: string) => string
}) {
  const text = written(value(sums))
  const isLink = list !== undefined && rows !== undefined && hasRows(sums, list)
  const shown = isLink ? (
    <CountedLink list={list} search={rows}>
      {text}
    </CountedLink>
  ) : (
    text
  )
  if (!amount) return shown
  return (
    <ExploredAmount sums={sums} of={amount} isFocusable={!isLink}>
      {shown}
    </ExploredAmount>
  )
}
