import '@mantine/charts/styles.css'
import { AreaChart, BarChart } from '@mantine/charts'
import { Group, Paper, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { compact, count } from '../../ui/format.ts'
import { exact, units } from './chart-values.ts'
import { texts as sharedTexts } from './en.ts'

const { charts, metrics } = sharedTexts

export const CHART_HEIGHT = 270

/** A step of time: its name and its values. */
export interface ChartStep {
  name: string
  /** Whether it isn't over, so that its values will grow. */
  isUnfinished: boolean
  clicks: number
  conversions: number
  revenue_minor: number
  commissions_minor: number
}

/** The currencies of a chart of money. */
export interface ChartCurrencies {
  revenue: string
  commissions: string
}

/** A colour stands for the same metric in every chart. */
const COLOURS = { revenue: 'river.6', commissions: 'orange.6', clicks: 'blue.4', conversions: 'violet.5' }
type Metric = keyof typeof COLOURS
const seriesOf = (...shown: Metric[]) =>
  shown.map(metric => ({
    name: metrics[metric],
    color: COLOURS[metric],
    // Beside revenue, told apart without its colour.
    strokeDasharray: metric === 'commissions' ? '6 3' : undefined,
  }))

/** Shades the step that isn't over, from another one if a line leads to it: its fall is none of the numbers. */
const shaded = (steps: ChartStep[], from = -1) => {
  const last = steps.at(-1)
  return last?.isUnfinished
    ? [
        {
          x1: (steps.at(from) ?? last).name,
          x2: last.name,
          color: 'gray.5',
          fillOpacity: 0.18,
          strokeOpacity: 0,
        },
      ]
    : []
}

const axis = { tickMargin: 8, interval: 'preserveStartEnd', minTickGap: 28 } as const
/** Every label stays beside its line: any other interval moves the topmost one down into the chart. */
const valueAxis = { width: 62, interval: 0 } as const

/** What the programme earns and what it costs. Two currencies have no common axis, so each has its own chart. */
export function MoneyPlot({
  steps,
  currencies: { revenue, commissions },
}: {
  steps: ChartStep[]
  currencies: ChartCurrencies
}) {
  const data = steps.map(step => ({
    name: step.name,
    [metrics.revenue]: units(step.revenue_minor, revenue),
    [metrics.commissions]: units(step.commissions_minor, commissions),
  }))
  const formats = (currency: string) => ({
    axisFormat: (value: number) => compact(value, currency),
    format: (value: number) => exact(value, currency),
  })
  if (revenue !== commissions)
    return (
      <>
        <Bars metric="revenue" data={data} steps={steps} {...formats(revenue)} />
        <Bars metric="commissions" data={data} steps={steps} {...formats(commissions)} />
      </>
    )
  const { axisFormat, format } = formats(revenue)
  return (
    <AreaChart
      h={CHART_HEIGHT}
      data={data}
      dataKey="name"
      series={seriesOf('revenue', 'commissions')}
      curveType="linear"
      referenceAreas={shaded(steps, -2)}
      withLegend
      // A line needs two points.
      withDots={data.length === 1}
      legendProps={{
        verticalAlign: 'bottom',
        height: 28,
        content: () => <LineLegend metrics={['revenue', 'commissions']} />,
      }}
      xAxisProps={axis}
      yAxisProps={{ ...valueAxis, tickFormatter: axisFormat }}
      valueFormatter={format}
    />
  )
}

/** Each line as it is drawn: a dot of its colour would say nothing to those who don't see colours. */
const LineLegend = ({ metrics: shown }: { metrics: Metric[] }) => (
  <Group justify="center" gap="lg" pt={8}>
    {seriesOf(...shown).map(({ name, color, strokeDasharray }) => (
      <Group key={name} gap={6}>
        <svg width={28} height={4} aria-hidden="true">
          <line
            x1={0}
            y1={2}
            x2={28}
            y2={2}
            stroke={`var(--mantine-color-${color.replace('.', '-')})`}
            strokeWidth={2.5}
            strokeDasharray={strokeDasharray}
          />
        </svg>
        <Text size="sm">{name}</Text>
      </Group>
    ))}
  </Group>
)

/** Clicks outnumber conversions by far, so each has its own chart. */
export function TrafficPlot({ steps }: { steps: ChartStep[] }) {
  const data = steps.map(({ name, clicks, conversions }) => ({
    name,
    [metrics.clicks]: clicks,
    [metrics.conversions]: conversions,
  }))
  return (
    <>
      <Bars metric="clicks" data={data} steps={steps} axisFormat={compact} format={count} />
      <Bars metric="conversions" data={data} steps={steps} axisFormat={compact} format={count} />
    </>
  )
}

interface BarsProps {
  metric: Metric
  data: Record<string, unknown>[]
  steps: ChartStep[]
  axisFormat: (value: number) => string
  format: (value: number) => string
}

/** One metric, at half the height of a chart. */
function Bars({ metric, data, steps, axisFormat, format }: BarsProps) {
  return (
    <>
      <Text size="xs" fw={600} mb={10}>
        {metrics[metric]}
      </Text>
      <BarChart
        h={CHART_HEIGHT / 2 - 28}
        mb="xs"
        data={data}
        dataKey="name"
        series={seriesOf(metric)}
        referenceAreas={shaded(steps)}
        xAxisProps={axis}
        yAxisProps={{
          ...valueAxis,
          allowDecimals: false,
          tickCount: 3,
          tickFormatter: (value: number) => axisFormat(value),
        }}
        valueFormatter={value => format(value)}
      />
    </>
  )
}

/** The frame of a chart, whose numbers are also in a table. */
export function ChartFrame({
  title,
  note,
  action,
  table,
  children,
}: {
  title: string
  note: string
  action?: ReactNode
  /** Shown in place of the chart. */
  table?: ReactNode
  children: ReactNode
}) {
  return (
    <Paper withBorder p="md" h="100%" component="section" aria-label={title}>
      <Group justify="space-between" mb="sm" gap="xs">
        <div>
          <Title order={2} size="h5">
            {title}
          </Title>
          <Text size="xs" c="dimmed">
            {note}
          </Text>
        </div>
        {action}
      </Group>
      {table || (
        <div role="img" aria-label={charts.description(title)}>
          {children}
        </div>
      )}
    </Paper>
  )
}
