import type { Exploration, ExploreDimension, ExploredSums } from '@tributary/contract/dashboard'
import { type DayRange, plusDays } from '@tributary/contract/dashboard/ranges'
import { calendarDay } from '../../ui/format.ts'
import { texts as sharedTexts } from '../shared/en.ts'
import type { ChartCurrencies, ChartStep } from '../shared/performance-charts.tsx'
import { texts } from './en.ts'

export type TimeStep = keyof typeof texts.charts.steps

export const isTime = (by: ExploreDimension): by is TimeStep => by in texts.charts.steps

/** The last day of the step that begins with a day. */
function endOf(start: string, by: TimeStep): string {
  if (by === 'day') return start
  return by === 'week' ? plusDays(start, 6) : plusDays(`${plusDays(start, 31).slice(0, 7)}-01`, -1)
}

type Explored = Pick<Exploration, 'from' | 'to' | 'today'>

/** The days of a step that are in the range: the first and the last step may be cut. */
export const daysOf = (start: string, by: TimeStep, { from, to }: Explored): DayRange => {
  const end = endOf(start, by)
  return { from: start < from ? from : start, to: end > to ? to : end }
}

const isUnfinished = (start: string, by: TimeStep, { today }: Explored) =>
  start <= today && endOf(start, by) >= today

/** Marks the step that isn't over. */
const marked = (name: string, start: string, by: TimeStep, explored: Explored) =>
  isUnfinished(start, by, explored) ? sharedTexts.charts.soFar(name) : name

/** A step of time by its name. */
export function stepName(start: string, by: TimeStep, explored: Explored): string {
  const name =
    by === 'month'
      ? calendarDay(start, { month: 'long', year: 'numeric' })
      : by === 'week'
        ? texts.weekOf(calendarDay(start))
        : calendarDay(start)
  return marked(name, start, by, explored)
}

/** The same for an axis: the year is named only where there are several. */
function shortStepName(start: string, by: TimeStep, explored: Explored): string {
  const isOneYear = explored.from.slice(0, 4) === explored.to.slice(0, 4)
  const name = calendarDay(start, {
    ...(by !== 'month' && { day: 'numeric' }),
    month: 'short',
    ...(!isOneYear && { year: 'numeric' }),
  })
  return marked(name, start, by, explored)
}

/** The reporting currency, or else the currencies with the most revenue and the most commissions, and the others, which have no place in a chart. */
export function chartCurrencies({ money, converted }: ExploredSums): ChartCurrencies & { others: string[] } {
  if (converted) return { revenue: converted.currency, commissions: converted.currency, others: [] }
  const most = (amount: 'revenue_minor' | 'commissions_minor') =>
    money.filter(each => each[amount] > 0).toSorted((a, b) => b[amount] - a[amount])[0]?.currency
  const commissions = most('commissions_minor')
  const revenue = most('revenue_minor') ?? commissions ?? 'USD'
  const shown = { revenue, commissions: commissions ?? revenue }
  const others = money
    .map(({ currency }) => currency)
    .filter(currency => !Object.values(shown).includes(currency))
  return { ...shown, others }
}

/** Every step of the range until today, also those without data: a line between two distant days would be made up. */
export function chartSteps(
  explored: Pick<Exploration, 'from' | 'to' | 'today' | 'rows'>,
  by: TimeStep,
  { revenue, commissions }: ChartCurrencies,
): ChartStep[] {
  const { from, to, today, rows } = explored
  const sums = new Map(rows.map(({ key, now }) => [key, now]))
  const last = to < today ? to : today
  const steps: ChartStep[] = []
  for (let start = startOf(from, by); start <= last; start = plusDays(endOf(start, by), 1)) {
    const own = sums.get(start)
    const moneyIn = (currency: string) =>
      own?.converted ?? own?.money.find(each => each.currency === currency)
    steps.push({
      name: shortStepName(start, by, explored),
      isUnfinished: isUnfinished(start, by, explored),
      clicks: own?.clicks ?? 0,
      conversions: own?.conversions ?? 0,
      revenue_minor: moneyIn(revenue)?.revenue_minor ?? 0,
      commissions_minor: moneyIn(commissions)?.commissions_minor ?? 0,
    })
  }
  return steps
}

/** The first day of a day's week, which begins on Monday, or of its month. */
function startOf(day: string, by: TimeStep): string {
  if (by === 'month') return `${day.slice(0, 7)}-01`
  return by === 'week' ? plusDays(day, -((new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7)) : day
}
