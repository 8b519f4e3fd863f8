import type { Cohort } from '@tributary/contract/dashboard'
import { calendarDay, money, percent } from '../../ui/format.ts'
import { texts as sharedTexts } from '../shared/en.ts'
import { texts } from './en.ts'

export type CohortView = keyof typeof texts.cohorts.views

export const monthName = (day: string) => calendarDay(day, { month: 'short', year: 'numeric' })

export interface CohortCell {
  text: string
  /** All of it in words, for a tooltip. */
  description: string
  /** How large it is among all, from 0 to 1. */
  strength: number
}

/** Revenue for each customer, in minor units. Undefined if some of it is left out: the average would be wrong. */
function perCustomer({ customers, months }: Cohort, since: number): number | undefined {
  const month = months[since]
  if (!month?.is_whole) return undefined
  return customers === 0 ? 0 : month.cumulated_minor / customers
}

const shareOf = ({ customers, months }: Cohort, since: number) =>
  customers === 0 ? 0 : (months[since]?.buyers ?? 0) / customers

/** The cells of a cohort, one for each month since its first. The last one is of the current month, which isn't over. */
export function cohortCells(
  cohort: Cohort,
  { view, currency, most }: { view: CohortView; currency: string; most: number },
): CohortCell[] {
  return cohort.months.map(({ buyers, original }, since) => {
    const average = perCustomer(cohort, since)
    const value = average === undefined ? sharedTexts.metrics.none : money(Math.round(average), currency)
    const share = shareOf(cohort, since)
    const isConverted = view === 'value' && original.some(sum => sum.currency !== currency)
    const written = original.map(sum => money(sum.amount_minor, sum.currency))
    const isUnfinished = since === cohort.months.length - 1
    const text = view === 'value' ? value : percent(share, 0)
    const number = view === 'value' ? (average ?? 0) : share
    return {
      text: isUnfinished ? texts.cohorts.unfinished(text) : text,
      description: texts.cohorts.cell({
        cohort: monthName(cohort.month),
        since,
        value,
        buyers,
        customers: cohort.customers,
        share: percent(share, 0),
        original: isConverted ? sharedTexts.reporting.original.revenue(written) : undefined,
        isUnfinished,
      }),
      strength: most <= 0 ? 0 : Math.max(0, Math.min(1, number / most)),
    }
  })
}

/** The largest number of all cells; every customer buys in the first month, so shares are compared with those after it. */
export const largest = (cohorts: Cohort[], view: CohortView): number =>
  Math.max(
    0,
    ...cohorts.flatMap(cohort =>
      cohort.months.map((_, since) =>
        view === 'value' ? (perCustomer(cohort, since) ?? 0) : since === 0 ? 0 : shareOf(cohort, since),
      ),
    ),
  )
