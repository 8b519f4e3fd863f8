import { Group, SegmentedControl, Text, Title, VisuallyHidden } from '@mantine/core'
import type { Home, HomeStep } from '@tributary/contract/portal'
import { pages } from '@tributary/contract/portal/texts'
import { useState } from 'react'
import { calendarDay, count, money } from '../../ui/format.ts'

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
  const show = (value: number) =>
    measure === 'earned_minor' && currency ? money(value, currency) : count(value)
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
          <Bars steps={home.series} measure={measure} label={label} />
          <Group justify="space-between" mt={4}>
            <Text size="xs" c="dimmed">
              {first && calendarDay(first.day)}
            </Text>
            <Text size="xs" c="dimmed">
              {last && texts.soFar(calendarDay(last.day))}
            </Text>
          </Group>
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

function Bars({ steps, measure, label }: { steps: HomeStep[]; measure: Measure; label: string }) {
  const most = Math.max(1, ...steps.map(step => step[measure]))
  const room = WIDTH / Math.max(1, steps.length)
  return (
    <svg
      className="bars"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <line x1={0} x2={WIDTH} y1={HEIGHT} y2={HEIGHT} stroke="var(--mantine-color-default-border)" />
      {steps.map((step, index) => {
        const height = (Math.max(0, step[measure]) / most) * (HEIGHT - 4)
        return (
          <rect
            key={step.from}
            x={index * room + room * 0.15}
            y={HEIGHT - height}
            width={room * 0.7}
            height={height}
            fill="var(--mantine-primary-color-filled)"
          />
        )
      })}
    </svg>
  )
}
