import { Select, Text } from '@mantine/core'
import type { ExploredSums, ListedPeriod } from '@tributary/contract/dashboard'
import { type Preset, presets } from '@tributary/contract/dashboard/ranges'
import { calendarDay, count } from '../../ui/format.ts'
import { useAccount } from './account.tsx'
import { ConvertedAmount } from './converted-amount.tsx'
import type { Column } from './data-table.tsx'
import { texts } from './en.ts'
import * as figures from './figures.ts'
import { Sums } from './named-links.tsx'

interface Performing {
  performance: ExploredSums | null
}

const amounts = (name: figures.AmountName) =>
  function Amounts({ performance }: Performing) {
    if (!performance) return <Sums sums={[]} />
    const { money, converted } = performance
    if (!converted) return <Sums sums={figures.sumsOf(money, name)} />
    return (
      <ConvertedAmount
        currency={converted.currency}
        of={name}
        original={figures.sumsOf(money, name)}
        withoutRate={figures.sumsOf(converted.without_rate, name)}
      >
        <Sums sums={figures.sumsOf([converted], name)} />
      </ConvertedAmount>
    )
  }

/** Without either, there is nothing that a zero would add. */
const isIdle = ({ clicks, conversions }: ExploredSums) => clicks === 0 && conversions === 0

const counted = (value: (sums: ExploredSums) => string, isNone: (sums: ExploredSums) => boolean) =>
  function Counted({ performance }: Performing) {
    if (performance && !isNone(performance)) return value(performance)
    return (
      <Text span inherit c="dimmed">
        {texts.states.none}
      </Text>
    )
  }

const { metrics } = texts

/** What the rows of a list have brought in its period; the list can be sorted by each. */
export const performanceColumns: Column<Performing>[] = [
  {
    title: metrics.clicks,
    align: 'right',
    sort: 'clicks',
    cell: counted(figures.clicks, isIdle),
  },
  {
    title: metrics.conversions,
    align: 'right',
    sort: 'conversions',
    cell: counted(sums => count(sums.conversions), isIdle),
  },
  {
    title: metrics.conversionRate,
    align: 'right',
    sort: 'conversion_rate',
    hiddenOn: 'small-laptop',
    cell: counted(figures.conversionRate, ({ clicks }) => clicks === 0),
  },
  { title: metrics.revenue, align: 'right', sort: 'revenue', cell: amounts('revenue') },
  { title: metrics.commissions, align: 'right', sort: 'commissions', cell: amounts('commissions') },
]

export const DEFAULT_PERIOD: Preset = 'last30'

export function PeriodFilter({
  value,
  onChange,
}: {
  value: Preset | undefined
  onChange: (period: Preset | undefined) => void
}) {
  return (
    <Select
      label={texts.ranges.label}
      data={presets.map(preset => ({ value: preset, label: texts.ranges.presets[preset] }))}
      value={value ?? DEFAULT_PERIOD}
      allowDeselect={false}
      onChange={chosen => onChange(presets.find(preset => preset === chosen && preset !== DEFAULT_PERIOD))}
    />
  )
}

/** Which days the figures are of, and what amounts are sorted by if there are several currencies. */
export function PeriodNote({
  period,
  sort,
  rows,
}: {
  period: ListedPeriod | null
  sort: string | undefined
  rows: Performing[]
}) {
  const { time_zone } = useAccount()
  if (!period || rows.length === 0) return null
  const isByAmount = sort === 'revenue' || sort === 'commissions'
  const isConverted = rows.some(({ performance }) => performance?.converted)
  const hasOthers = rows.some(({ performance }) =>
    performance?.money.some(({ currency }) => currency !== period.currency),
  )
  return (
    <>
      {texts.ranges.metrics(calendarDay(period.from), calendarDay(period.to), time_zone)}
      {isConverted && period.currency && ` ${texts.reporting.note(period.currency)}`}
      {isByAmount &&
        hasOthers &&
        !isConverted &&
        period.currency &&
        ` ${texts.ranges.sortedIn(period.currency)}`}
    </>
  )
}
