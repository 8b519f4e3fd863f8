import type { Compared, Overview } from '@tributary/contract/dashboard'
import { plusDays } from '@tributary/contract/dashboard/ranges'
import { calendarDay, percent } from '../../ui/format.ts'
import { texts } from '../shared/en.ts'

/** One metric as a share of another, now and before. */
export const rate = ({ now, before }: Compared, of: Compared) => ({
  now: of.now === 0 ? 0 : now / of.now,
  before: of.before === 0 ? 0 : before / of.before,
})

/** How a metric has changed; the arrow and the sign carry it without a colour. Less than 0.05% counts as level. */
export function changeOf({ now, before }: Compared): { text: string; direction: 'up' | 'down' | 'level' } {
  const change = now / before - 1
  const direction = Math.abs(change) < 0.0005 ? 'level' : change > 0 ? 'up' : 'down'
  const sign = { level: '±', up: '▲ +', down: '▼ −' }[direction]
  return { text: `${sign}${percent(Math.abs(change), 1)}`, direction }
}

/** A day of the account's calendar, without its year. */
export const dayOf = (day: string) => calendarDay(day, { day: 'numeric', month: 'short' })

/** The names of a chart's steps. The last one is not over, so its values are lower than they will be. */
export const stepNames = (series: { day: string }[]): string[] =>
  series.map(({ day }, index) => (index === series.length - 1 ? texts.charts.soFar(dayOf(day)) : dayOf(day)))

/** The first and last day that the numbers are of: rows may be dated later. */
export function periodOf({ series, step_days }: Pick<Overview, 'series' | 'step_days'>) {
  const last = series.at(-1)?.day
  return { from: series[0]?.day, until: last && plusDays(last, step_days - 1) }
}
