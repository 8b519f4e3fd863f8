import { Group, Paper, Text, Tooltip } from '@mantine/core'
import type { Compared, ComparedMoney, ComparedSum, Overview, Sum } from '@tributary/contract/dashboard'
import type { ReactNode } from 'react'
import { count, money, percent } from '../../ui/format.ts'
import { ConvertedAmount, MayLead } from '../shared/converted-amount.tsx'
import type { CountedIn, CountedList, CountedRows } from '../shared/counted-link.tsx'
import { texts as sharedTexts } from '../shared/en.ts'
import { texts } from './en.ts'
import { changeOf, rate } from './metrics.ts'

/** A longer value gets a smaller font, so it fits its card. */
const LONGEST_LARGE = 10

/** The metrics of the period, each compared with the previous one. */
export function OverviewMetrics({
  overview,
  days,
  rows,
}: {
  overview: Overview
  days: number
  /** The period and campaign, as filters of the lists of what counts. */
  rows: CountedIn | undefined
}) {
  const { clicks, conversions, revenue, commissions, converted } = overview
  const conversionRate = rate(conversions, clicks)
  const shared = { rows, comparison: texts.period.compared(days) }
  const { metrics } = sharedTexts
  return (
    <div className="metrics">
      <Metric {...shared} label={metrics.clicks} value={count(clicks.now)} list="clicks" compared={clicks} />
      <Metric
        {...shared}
        label={metrics.conversions}
        value={count(conversions.now)}
        list="referrals"
        compared={conversions}
      />
      <Metric
        {...shared}
        label={metrics.conversionRate}
        value={clicks.now === 0 ? sharedTexts.metrics.none : percent(conversionRate.now, 1)}
        compared={conversionRate}
      />
      <MoneyMetric
        {...shared}
        label={metrics.revenue}
        list="sales"
        sums={revenue}
        converted={converted && { ...converted.revenue, currency: converted.currency }}
      />
      <MoneyMetric
        {...shared}
        label={metrics.commissions}
        list="commissions"
        sums={commissions}
        converted={converted && { ...converted.commissions, currency: converted.currency }}
        isCost
      />
    </div>
  )
}

const current = (sums: ComparedMoney[]): Sum[] =>
  sums.filter(({ now }) => now !== 0).map(({ currency, now }) => ({ currency, amount_minor: now }))

function MoneyMetric(props: {
  label: string
  list: 'sales' | 'commissions'
  rows: CountedIn | undefined
  sums: ComparedMoney[]
  converted: (ComparedSum & { currency: string }) | null
  comparison: string
  isCost?: boolean
}) {
  const { converted } = props
  const [first, ...others] = props.sums
  if (converted)
    return (
      <Metric
        label={props.label}
        list={props.list}
        rows={props.rows}
        value={money(converted.now, converted.currency)}
        withOriginal={(value, rows) => (
          <ConvertedAmount
            currency={converted.currency}
            of={props.list === 'sales' ? 'revenue' : 'commissions'}
            original={current(props.sums)}
            withoutRate={current(converted.without_rate)}
            rows={rows}
          >
            {value}
          </ConvertedAmount>
        )}
        compared={converted}
        isComparable={converted.without_rate.length === 0}
        comparison={props.comparison}
        isCost={props.isCost ?? false}
      />
    )
  return (
    <Metric
      label={props.label}
      list={props.list}
      rows={props.rows}
      value={first ? money(first.now, first.currency) : sharedTexts.metrics.none}
      compared={first ?? { now: 0, before: 0 }}
      comparison={props.comparison}
      isCost={props.isCost ?? false}
    >
      {others.length > 0 && (
        <Text size="xs" c="dimmed" style={{ fontVariantNumeric: 'tabular-nums' }}>
          {texts.metrics.others(others.map(({ currency, now }) => money(now, currency)))}
        </Text>
      )}
    </Metric>
  )
}

interface MetricProps {
  label: string
  value: string
  /** The list of what it counts, and its filters. */
  list?: CountedList
  rows?: CountedIn | undefined
  /** Adds what the value was converted from. */
  withOriginal?: (value: string, rows: CountedRows | undefined) => ReactNode
  compared: Compared
  /** False if amounts are missing on either side for lack of a rate: the change would be that of the rates. */
  isComparable?: boolean
  comparison: string
  /** An increase is neither good nor bad, so it has no colour. */
  isCost?: boolean
  children?: ReactNode
}

function Metric({
  label,
  value,
  list,
  rows,
  withOriginal = (shown, leadsTo) => <MayLead rows={leadsTo}>{shown}</MayLead>,
  compared,
  isComparable = true,
  comparison,
  isCost = false,
  children,
}: MetricProps) {
  return (
    <Paper withBorder p={{ base: 'xs', sm: 'sm', lg: 'md' }} component="section" aria-label={label}>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text
        fz={value.length > LONGEST_LARGE ? 18 : { base: 20, sm: 23 }}
        fw={650}
        lh={1.35}
        style={{ fontVariantNumeric: 'tabular-nums' }}
      >
        {withOriginal(value, list && rows && compared.now !== 0 ? { list, search: rows } : undefined)}
      </Text>
      {isComparable ? (
        <Change {...compared} comparison={comparison} isCost={isCost} />
      ) : (
        <Text size="xs" c="dimmed">
          {texts.metrics.notComparable}
        </Text>
      )}
      {children}
    </Paper>
  )
}

/** How a metric has changed. The arrow and the sign carry it without the colour. */
function Change({ now, before, comparison, isCost }: Compared & { comparison: string; isCost: boolean }) {
  if (before === 0)
    return (
      <Text size="xs" c="dimmed">
        {now === 0 ? texts.metrics.noData : texts.metrics.isNew}
      </Text>
    )
  const { text, direction } = changeOf({ now, before })
  const tone = direction === 'up' ? 'var(--link)' : 'var(--mantine-color-error)'
  return (
    <Group gap={4}>
      <Tooltip label={comparison}>
        <Text size="xs" fw={600} c={isCost || direction === 'level' ? 'dimmed' : tone} tabIndex={0}>
          {text}
        </Text>
      </Tooltip>
    </Group>
  )
}
