import { Group, SegmentedControl, Text, Title, VisuallyHidden } from '@mantine/core'
import { decimalsOf } from '@tributary/contract/money'
import type { Home, HomeStep } from '@tributary/contract/portal'
import { pages } from '@tributary/contract/portal/texts'
import { useState } from 'react'
import { calendarDay, compact, count, money } from '../../ui/format.ts'
import { axisTop } from './axis.ts'

const texts = pages.home
export type Period = keyof typeof texts.periods

type Measure = 'clicks' | 'conversions' | 'earned_minor'

/** A plain SVG bar chart: a chart library would be larger than the rest of the portal. */
export function HomeChart({
  home,
  days,
  onDays,
}: {
  home: Home
  days: Period
  onDays: (days: Period) => void
}) {
  const [measure, setMeasure] = useState<Measure>('clicks')
  const { currency } = home
  const labels = {
    clicks: texts.clicks,
    conversions: texts.conversions,
    ...(currency && { earned_minor: texts.earnings }),
  }
  const shownCurrency = measure === 'earned_minor' && currency ? currency : undefined
  const show = (value: number) => (shownCurrency ? money(value, shownCurrency) : count(value))
  const showShort = (value: number) =>
    compact(shownCurrency ? value / 10 ** decimalsOf(shownCurrency) : value, shownCurrency)
  const [first, last] = [home.series[0], home.series.at(-1)]
  const total = home.series.reduce((sum, step) => sum + step[measure], 0)
  const label = texts.total(labels[measure] ?? '', show(total), texts.periods[days])
  return (
    <section>
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h4">
          {texts.chart}
        </Title>
        <SegmentedControl
          size="xs"
          aria-label={texts.period}
          value={String(days)}
          onChange={value => onDays(Number(value) as Period)}
          data={Object.entries(texts.periods).map(([value, name]) => ({ value, label: name }))}
        />
      </Group>
      <SegmentedControl
        fullWidth
        aria-label={texts.chart}
        value={measure}
        onChange={value => setMeasure(value as Measure)}
        data={Object.entries(labels).map(([value, name]) => ({ value, label: name }))}
      />
      <Text mt="sm" fw={650} size="xl" className="number">
        {show(total)}
      </Text>
      {home.series.some(step => step[measure] !== 0) ? (
        <>
          <div className="chart">
            <Bars steps={home.series} measure={measure} label={label} show={show} showShort={showShort} />
            <Group justify="space-between" mt={4} className="chart-days">
              <Text size="xs" c="dimmed">
                {first && calendarDay(first.day)}
              </Text>
              <Text size="xs" c="dimmed">
                {last && texts.soFar(calendarDay(last.day))}
              </Text>
            </Group>
          </div>
          <Text size="xs" c="dimmed" mt={4}>
            {texts.zone(home.time_zone)}
          </Text>
          <VisuallyHidden>
            <table>
              <caption>{label}</caption>
              <tbody>
                {home.series
                  .filter(step => step[measure] !== 0)
                  .map(step => (
                    <tr key={step.from}>
                      <th scope="row">{calendarDay(step.day)}</th>
                      <td>{show(step[measure])}</td>
                    </tr>
                  ))}
              </tbody>
            </table>
          </VisuallyHidden>
        </>
      ) : (
        <Text size="sm" c="dimmed">
          {texts.noData}
        </Text>
      )}
    </section>
  )
}

const WIDTH = 600
const HEIGHT = 160

interface BarsProps {
  steps: HomeStep[]
  measure: Measure
  label: string
  show: (value: number) => string
  showShort: (value: number) => string
}

/** The bars, and an axis of their values beside them: the drawing is stretched, which text must not be. */
function Bars({ steps, measure, label, show, showShort }: BarsProps) {
  const top = axisTop(Math.max(0, ...steps.map(step => step[measure])))
  // Half a click is none.
  const ticks = top === 1 ? [top, 0] : [top, top / 2, 0]
  const heightOf = (value: number) => (Math.max(0, value) / top) * HEIGHT
  const room = WIDTH / Math.max(1, steps.length)
  return (
    <>
      <div className="chart-values" aria-hidden>
        {ticks.map(tick => (
          <Text key={tick} size="xs" c="dimmed" className="number">
            {showShort(tick)}
          </Text>
        ))}
      </div>
      <svg
        className="bars"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={label}
      >
        {ticks.map(tick => (
          <line
            key={tick}
            x1={0}
            x2={WIDTH}
            y1={HEIGHT - heightOf(tick)}
            y2={HEIGHT - heightOf(tick)}
            stroke="var(--mantine-color-default-border)"
            vectorEffect="non-scaling-stroke"
          />
        ))}
        {steps.map((step, index) => (
          <rect
            key={step.from}
            x={index * room + room * 0.15}
            y={HEIGHT - heightOf(step[measure])}
            width={room * 0.7}
            height={heightOf(step[measure])}
            fill="var(--mantine-primary-color-filled)"
          >
            <title>{texts.step(calendarDay(step.day), show(step[measure]))}</title>
          </rect>
        ))}
      </svg>
    </>
  )
}
