import { ScrollArea, Switch, Table } from '@mantine/core'
import type { Overview } from '@tributary/contract/dashboard'
import { type ReactNode, useState } from 'react'
import { count, money } from '../../ui/format.ts'
import { texts as sharedTexts } from '../shared/en.ts'
import {
  CHART_HEIGHT,
  ChartFrame,
  type ChartStep,
  MoneyPlot,
  TrafficPlot,
} from '../shared/performance-charts.tsx'
import { texts } from './en.ts'
import { stepNames } from './metrics.ts'

const { charts, metrics } = sharedTexts

const stepsOf = ({ series }: Overview): ChartStep[] => {
  const names = stepNames(series)
  return series.map((step, index) => ({
    ...step,
    name: names[index] as string,
    isUnfinished: index === series.length - 1,
  }))
}

export function MoneyChart({ overview }: { overview: Overview }) {
  const reporting = overview.converted?.currency
  const revenue = reporting ?? overview.revenue[0]?.currency ?? 'USD'
  const commissions = reporting ?? overview.commissions[0]?.currency ?? revenue
  const steps = stepsOf(overview)
  return (
    <Chart
      title={charts.money(revenue, commissions)}
      stepDays={overview.step_days}
      columns={[metrics.revenue, metrics.commissions]}
      rows={steps.map(({ name, revenue_minor, commissions_minor }) => [
        name,
        money(revenue_minor, revenue),
        money(commissions_minor, commissions),
      ])}
    >
      <MoneyPlot steps={steps} currencies={{ revenue, commissions }} />
    </Chart>
  )
}

export function TrafficChart({ overview }: { overview: Overview }) {
  const steps = stepsOf(overview)
  return (
    <Chart
      title={charts.traffic}
      stepDays={overview.step_days}
      columns={[metrics.clicks, metrics.conversions]}
      rows={steps.map(({ name, clicks, conversions }) => [name, count(clicks), count(conversions)])}
    >
      <TrafficPlot steps={steps} />
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
  const asTableSwitch = (
    <Switch
      size="xs"
      label={texts.charts.asTable}
      checked={asTable}
      onChange={event => setAsTable(event.currentTarget.checked)}
    />
  )
  const table = (
    <ScrollArea h={CHART_HEIGHT} type="auto" viewportProps={{ tabIndex: 0 }}>
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
  )
  return (
    <ChartFrame title={title} note={step.note} action={asTableSwitch} table={asTable && table}>
      {children}
    </ChartFrame>
  )
}
