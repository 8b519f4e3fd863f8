import '@mantine/charts/styles.css'
import { AreaChart, BarChart } from '@mantine/charts'
import { Group, Paper, ScrollArea, Switch, Table, Text, Title } from '@mantine/core'
import type { Overview } from '@tributary/contract/dashboard'
import { type ReactNode, useState } from 'react'
import { count, money } from '../../ui/format.ts'
import { texts } from './en.ts'
import { exact, short, stepNames, units } from './metrics.ts'

const HEIGHT = 270

const { revenue: REVENUE, commissions: COMMISSIONS, clicks: CLICKS, conversions: CONVERSIONS } = texts.metrics

/** A colour stands for the same metric in every chart. */
const COLOURS = { revenue: 'river.6', commissions: 'orange.6', clicks: 'blue.4', conversions: 'violet.5' }
type Metric = keyof typeof COLOURS
const seriesOf = (...metrics: Metric[]) =>
  metrics.map(metric => ({ name: texts.metrics[metric], color: COLOURS[metric] }))

const axis = { tickMargin: 8, interval: 'preserveStartEnd', minTickGap: 28 } as const

/** What the programme earns and what it costs. Two currencies have no common axis, so each has its own chart. */
export function MoneyChart({ overview }: { overview: Overview }) {
  const { series, step_days } = overview
  const revenue = overview.revenue[0]?.currency ?? 'USD'
  const commissions = overview.commissions[0]?.currency ?? revenue
  const steps = stepNames(series)
  const data = series.map((step, index) => ({
    from: steps[index],
    [REVENUE]: units(step.revenue_minor, revenue),
    [COMMISSIONS]: units(step.commissions_minor, commissions),
  }))
  return (
    <Chart
      title={texts.charts.money(revenue, commissions)}
      stepDays={step_days}
      columns={[REVENUE, COMMISSIONS]}
      rows={series.map(({ revenue_minor, commissions_minor }, index) => [
        steps[index] as string,
        money(revenue_minor, revenue),
        money(commissions_minor, commissions),
      ])}
    >
      {revenue === commissions ? (
        <AreaChart
          h={HEIGHT}
          data={data}
          dataKey="from"
          series={seriesOf('revenue', 'commissions')}
          curveType="linear"
          withLegend
          withDots={false}
          legendProps={{ verticalAlign: 'bottom', height: 28 }}
          xAxisProps={axis}
          yAxisProps={{ width: 62, tickFormatter: (value: number) => short(value, revenue) }}
          valueFormatter={value => exact(value, revenue)}
        />
      ) : (
        <>
          <Bars
            metric="revenue"
            data={data}
            axisFormat={value => short(value, revenue)}
            format={value => exact(value, revenue)}
          />
          <Bars
            metric="commissions"
            data={data}
            axisFormat={value => short(value, commissions)}
            format={value => exact(value, commissions)}
          />
        </>
      )}
    </Chart>
  )
}

/** Clicks outnumber conversions by far, so each has its own chart. */
export function TrafficChart({ overview }: { overview: Overview }) {
  const { series, step_days } = overview
  const steps = stepNames(series)
  const data = series.map(({ clicks, conversions }, index) => ({
    from: steps[index],
    [CLICKS]: clicks,
    [CONVERSIONS]: conversions,
  }))
  return (
    <Chart
      title={texts.charts.traffic}
      stepDays={step_days}
      columns={[CLICKS, CONVERSIONS]}
      rows={series.map(({ clicks, conversions }, index) => [
        steps[index] as string,
        count(clicks),
        count(conversions),
      ])}
    >
      <Bars metric="clicks" data={data} axisFormat={short} format={count} />
      <Bars metric="conversions" data={data} axisFormat={short} format={count} />
    </Chart>
  )
}

interface BarsProps {
  metric: Metric
  data: Record<string, unknown>[]
  axisFormat: (value: number) => string
  format: (value: number) => string
}

/** One metric, at half the height of a chart. */
function Bars({ metric, data, axisFormat, format }: BarsProps) {
  return (
    <>
      <Text size="xs" fw={600} mb={4}>
        {texts.metrics[metric]}
      </Text>
      <BarChart
        h={HEIGHT / 2 - 22}
        mb="xs"
        data={data}
        dataKey="from"
        series={seriesOf(metric)}
        xAxisProps={axis}
        yAxisProps={{
          width: 62,
          allowDecimals: false,
          tickCount: 3,
          tickFormatter: (value: number) => axisFormat(value),
        }}
        valueFormatter={value => format(value)}
      />
    </>
  )
}

interface ChartProps {
  title: string
  stepDays: 1 | 7
  columns: [string, string]
  rows: [string, string, string][]
  children: ReactNode
}

/** A chart that can be viewed as a table. */
function Chart({ title, stepDays, columns, rows, children }: ChartProps) {
  const [asTable, setAsTable] = useState(false)
  const step = texts.charts.steps[stepDays]
  return (
    <Paper withBorder p="md" h="100%" component="section" aria-label={title}>
      <Group justify="space-between" mb="sm" gap="xs">
        <div>
          <Title order={2} size="h5">
            {title}
          </Title>
          <Text size="xs" c="dimmed">
            {step.note}
          </Text>
        </div>
        <Switch
          size="xs"
          label={texts.charts.asTable}
          checked={asTable}
          onChange={event => setAsTable(event.currentTarget.checked)}
        />
      </Group>
      {asTable ? (
        <ScrollArea h={HEIGHT} type="auto" viewportProps={{ tabIndex: 0 }}>
          <Table stickyHeader aria-label={title}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{step.column}</Table.Th>
                {columns.map(column => (
                  <Table.Th key={column} ta="right">
                    {column}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.map(([from, ...values]) => (
                <Table.Tr key={from}>
                  <Table.Th scope="row" fw={400}>
                    {from}
                  </Table.Th>
                  {values.map((value, index) => (
                    <Table.Td key={columns[index]} ta="right" style={{ fontVariantNumeric: 'tabular-nums' }}>
                      {value}
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </ScrollArea>
      ) : (
        <div role="img" aria-label={texts.charts.description(title)}>
          {children}
        </div>
      )}
    </Paper>
  )
}
