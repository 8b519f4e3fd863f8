import type { ExploredSums } from '@tributary/contract/dashboard'
import { ConvertedAmount, MayLead } from './converted-amount.tsx'
import type { CountedIn, CountedList } from './counted-link.tsx'
import { texts } from './en.ts'
import { type AmountName, sumsOf } from './figures.ts'

export interface Figure {
  label: string
  value: (sums: ExploredSums) => string
  /** The list of what it counts. */
  list?: CountedList
  /** The amount that it is, which may be converted. */
  amount?: AmountName
  /** The amount that it's computed from. */
  basis?: AmountName
}

function hasRows({ clicks, conversions, sales, money }: ExploredSums, list: CountedList): boolean {
  if (list === 'commissions') return money.some(({ commissions_minor }) => commissions_minor > 0)
  return { clicks, referrals: conversions, sales }[list] > 0
}

/** A figure of some sums: it leads to the rows that it counts, and has what its amount was converted from in a tooltip. */
export function ExploredFigure({
  of: { value, list, amount, basis },
  sums,
  search,
  written = text => text,
}: {
  of: Figure
  sums: ExploredSums
  /** The filters of the list that holds its rows; undefined if none can. */
  search: CountedIn | undefined
  written?: (value: string) => string
}) {
  const text = value(sums)
  const rows = list && search && hasRows(sums, list) ? { list, search } : undefined
  const { converted, money } = sums
  const name = amount ?? basis
  if (!converted || !name || (basis && text === texts.metrics.none))
    return <MayLead rows={rows}>{written(text)}</MayLead>
  return (
    <ConvertedAmount
      currency={converted.currency}
      of={name}
      original={sumsOf(money, name)}
      withoutRate={amount ? sumsOf(converted.without_rate, amount) : []}
      rows={rows}
    >
      {written(text)}
    </ConvertedAmount>
  )
}
