import { Group, Paper, SimpleGrid, Text, Tooltip } from '@mantine/core'
import type { Compared, ComparedMoney, Overview } from '@tributary/contract/dashboard'
import type { ReactNode } from 'react'
import { count, money, percent } from '../../ui/format.ts'
import { changeOf, rate } from './figures.ts'

/** A longer figure is written smaller, so that it stays within its card. */
const LONGEST_LARGE = 10

/** The figures of the period, each against the period before. */
export function OverviewFigures({ overview, days }: { overview: Overview; days: number }) {
  const { clicks, conversions, revenue, commissions } = overview
  const converted = rate(conversions, clicks)
  const span = days === 365 ? 'the year before' : `the ${days} days before`
  return (
    <SimpleGrid cols={{ base: 2, xs: 3, lg: 5 }} spacing="md">
      <Figure label="Clicks" value={count(clicks.now)} compared={clicks} span={span} />
      <Figure label="Conversions" value={count(conversions.now)} compared={conversions} span={span} />
      <Figure
        label="Conversion rate"
        value={clicks.now === 0 ? '–' : percent(converted.now, 1)}
        compared={converted}
        span={span}
      />
      <MoneyFigure label="Revenue" sums={revenue} span={span} />
      <MoneyFigure label="Commissions" sums={commissions} span={span} isCost />
    </SimpleGrid>
  )
}

function MoneyFigure(props: { label: string; sums: ComparedMoney[]; span: string; isCost?: boolean }) {
  const [first, ...others] = props.sums
  return (
    <Figure
      label={props.label}
      value={first ? money(first.now, first.currency) : '–'}
      compared={first ?? { now: 0, before: 0 }}
      span={props.span}
      isCost={props.isCost ?? false}
    >
      {others.length > 0 && (
        <Text size="xs" c="dimmed" style={{ fontVariantNumeric: 'tabular-nums' }}>
          and {others.map(({ currency, now }) => money(now, currency)).join(', ')}
        </Text>
      )}
    </Figure>
  )
}

interface FigureProps {
  label: string
  value: string
  compared: Compared
  span: string
  /** More of it is neither good nor bad. */
  isCost?: boolean
  children?: ReactNode
}

function Figure({ label, value, compared, span, isCost = false, children }: FigureProps) {
  return (
    <Paper withBorder p="md" component="section" aria-label={label}>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text
        fz={value.length > LONGEST_LARGE ? 18 : { base: 20, sm: 23 }}
        fw={650}
        lh={1.35}
        style={{ fontVariantNumeric: 'tabular-nums' }}
      >
        {value}
      </Text>
      <Change {...compared} span={span} isCost={isCost} />
      {children}
    </Paper>
  )
}

/** How a figure has moved. The arrow and the sign say it without the colour. */
function Change({ now, before, span, isCost }: Compared & { span: string; isCost: boolean }) {
  if (before === 0)
    return (
      <Text size="xs" c="dimmed">
        {now === 0 ? 'none yet' : 'new'}
      </Text>
    )
  const { text, direction } = changeOf({ now, before })
  const tone = direction === 'up' ? 'var(--link)' : 'var(--mantine-color-error)'
  return (
    <Group gap={4}>
      <Tooltip label={`Compared with ${span}`}>
        <Text size="xs" fw={600} c={isCost || direction === 'level' ? 'dimmed' : tone} tabIndex={0}>
          {text}
        </Text>
      </Tooltip>
    </Group>
  )
}
