import '@mantine/charts/styles.css'
import { AreaChart, CompositeChart } from '@mantine/charts'
import { Group, Paper, ScrollArea, Switch, Table, Text, Title } from '@mantine/core'
import type { Overview } from '@tributary/contract/dashboard'
import { type ReactNode, useState } from 'react'
import { count, money } from '../../ui/format.ts'
import { texts } from './en.ts'
import { dayOf, exact, short, units } from './metrics.ts'

const HEIGHT = 270

const { revenue: REVENUE, commissions: COMMISSIONS, clicks: CLICKS, conversions: CONVERSIONS } = texts.metrics

const axis = { tickMargin: 8, interval: 'preserveStartEnd', minTickGap: 28 } as const

/** What the programme earns and what it costs. */
export function MoneyChart({ overview }: { overview: Overview }) {
  const { series, step_days } = overview
  const revenue = overview.revenue[0]?.currency ?? 'USD'
  const commissions = overview.commissions[0]?.currency ?? revenue
  const isOneCurrency = revenue === commissions
  const data = series.map(step => ({
    from: dayOf(step.day),
    [REVENUE]: units(step.revenue_minor, revenue),
    [COMMISSIONS]: units(step.commissions_minor, commissions),
  }))
  const title = texts.charts.money(revenue, commissions)
  return (
    <Chart
      title={title}
      stepDays={step_days}
      columns={[REVENUE, COMMISSIONS]}
      rows={series.map(({ day, revenue_minor, commissions_minor }) => [
        dayOf(day),
        money(revenue_minor, revenue),
        money(commissions_minor, commissions),
      ])}
    >
      {isOneCurrency ? (
        <AreaChart
          h={HEIGHT}
          data={data}
          dataKey="from"
          series={[
            { name: REVENUE, color: 'river.6' },
            { name: COMMISSIONS, color: 'orange.6' },
          ]}
          curveType="monotone"
          withLegend
          withDots={false}
          legendProps={{ verticalAlign: 'bottom', height: 28 }}
          xAxisProps={axis}
          yAxisProps={{ width: 62, tickFormatter: (value: number) => short(value, revenue) }}
          valueFormatter={value => exact(value, revenue)}
        />
      ) : (
        <CompositeChart
          h={HEIGHT}
          data={data}
          dataKey="from"
          series={[
            { name: REVENUE, color: 'river.6', type: 'area' },
            { name: COMMISSIONS, color: 'orange.6', type: 'line', yAxisId: 'right' },
          ]}
          curveType="monotone"
          withLegend
          withDots={false}
          withRightYAxis
          legendProps={{ verticalAlign: 'bottom', height: 28 }}
          xAxisProps={axis}
          yAxisProps={{ width: 62, tickFormatter: (value: number) => short(value, revenue) }}
          rightYAxisProps={{ width: 62, tickFormatter: (value: number) => short(value, commissions) }}
          tooltipProps={{
            formatter: (value, name) => exact(Number(value), name === REVENUE ? revenue : commissions),
          }}
        />
      )}
    </Chart>
  )
}

/** Clicks outnumber conversions by far, so each has its own axis. */
export function TrafficChart({ overview }: { overview: Overview }) {
  const { series, step_days } = overview
  return (
    <Chart
      title={texts.charts.traffic}
      stepDays={step_days}
      columns={[CLICKS, CONVERSIONS]}
      rows={series.map(({ day, clicks, conversions }) => [dayOf(day), count(clicks), count(conversions)])}
    >
      <CompositeChart
        h={HEIGHT}
        data={series.map(({ day, clicks, conversions }) => ({
          from: dayOf(day),
          [CLICKS]: clicks,
          [CONVERSIONS]: conversions,
        }))}
        dataKey="from"
        series={[
          { name: CLICKS, color: 'blue.4', type: 'bar' },
          { name: CONVERSIONS, color: 'orange.6', type: 'line', yAxisId: 'right' },
        ]}
        curveType="monotone"
        withLegend
        withDots={false}
        withRightYAxis
        legendProps={{ verticalAlign: 'bottom', height: 28 }}
        xAxisProps={axis}
        yAxisProps={{ width: 48, allowDecimals: false, tickFormatter: (value: number) => short(value) }}
        rightYAxisProps={{ width: 36, allowDecimals: false }}
        valueFormatter={count}
      />
    </Chart>
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
