import { Grid } from '@mantine/core'
import type { Exploration } from '@tributary/contract/dashboard'
import { texts as sharedTexts } from '../shared/en.ts'
import { ChartFrame, MoneyPlot, TrafficPlot } from '../shared/performance-charts.tsx'
import { texts } from './en.ts'
import { chartCurrencies, chartSteps, type TimeStep } from './steps.ts'

/** The range over time. Its numbers are in the table of the page. */
export function ExploreCharts({ explored, by }: { explored: Exploration; by: TimeStep }) {
  const { others, ...currencies } = chartCurrencies(explored.total.now)
  const steps = chartSteps(explored, by, currencies)
  const note = texts.charts.steps[by]
  return (
    <Grid gap="md">
      <Grid.Col span={{ base: 12, md: 6 }}>
        <ChartFrame
          title={sharedTexts.charts.money(currencies.revenue, currencies.commissions)}
          note={others.length > 0 ? texts.charts.ofCurrency(note, others) : note}
        >
          <MoneyPlot steps={steps} currencies={currencies} />
        </ChartFrame>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 6 }}>
        <ChartFrame title={sharedTexts.charts.traffic} note={note}>
          <TrafficPlot steps={steps} />
        </ChartFrame>
      </Grid.Col>
    </Grid>
  )
}
