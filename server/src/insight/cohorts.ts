import type { Cohort, Cohorts, Sum } from '@tributary/contract/dashboard'
import type { Db } from '../db/database.ts'
import { notFound } from '../kit/domain-error.ts'
import { exactOf, roundExact } from '../money/fx/reporting.ts'
import { type CohortSum, sumCohorts } from './cohorts.store.ts'
import { findRange } from './explore.store.ts'

export interface CohortQuestion {
  months?: number | undefined
  campaignId?: number | undefined
  affiliateId?: number | undefined
}

const DEFAULT_MONTHS = 12

/** The month, such as 2026-01, after a number of others. */
function plusMonths(month: string, months: number): string {
  const [year, number] = month.split('-').map(Number) as [number, number]
  const all = year * 12 + number - 1 + months
  return `${Math.floor(all / 12)}-${String((all % 12) + 1).padStart(2, '0')}`
}

/** Without a reporting currency, amounts are those of the currency with the most revenue. */
function mainCurrency(sums: CohortSum[]): string | null {
  const revenue = new Map<string, number>()
  for (const { currency, revenue_minor } of sums)
    revenue.set(currency, (revenue.get(currency) ?? 0) + revenue_minor)
  const [most] = [...revenue].toSorted(([a, ofA], [b, ofB]) => ofB - ofA || (a < b ? -1 : 1))
  return most?.[0] ?? null
}

interface Amounts {
  of(sums: CohortSum[]): number
  /** Before they were converted. */
  originalOf(sums: CohortSum[]): Sum[]
  /** Whether none of them is left out. */
  areWhole(sums: CohortSum[]): boolean
}

/** Revenue without refunds, by currency. */
function byCurrency(sums: CohortSum[]): Sum[] {
  const amounts = new Map<string, number>()
  for (const { currency, revenue_minor, refunded_minor } of sums)
    amounts.set(currency, (amounts.get(currency) ?? 0) + revenue_minor - refunded_minor)
  return [...amounts]
    .map(([currency, amount_minor]) => ({ currency, amount_minor }))
    .toSorted((a, b) => (a.currency < b.currency ? -1 : 1))
}

/** A cohort until the current month. A refund may be dated before the sale; it counts in the first month then. */
function cohortOf(first: string, current: string, own: CohortSum[], amounts: Amounts) {
  const months: Cohort['months'] = []
  for (let month = first; month <= current; month = plusMonths(month, 1)) {
    const until = own.filter(sum => sum.month <= month)
    months.push({
      buyers: own.filter(sum => sum.month === month).reduce((all, { buyers }) => all + buyers, 0),
      cumulated_minor: amounts.of(until),
      original: amounts.originalOf(until),
      is_whole: amounts.areWhole(until),
    })
  }
  return { month: `${first}-01`, customers: months[0]?.buyers ?? 0, months }
}

/** Lifetime value by cohort: what the customers of a month, by their first sale, have bought since. */
export async function cohorts(
  db: Db,
  accountId: number,
  { months = DEFAULT_MONTHS, campaignId, affiliateId }: CohortQuestion,
): Promise<Cohorts> {
  const range = await findRange(db, accountId, { from: undefined, to: undefined, isYear: false })
  if (!range) throw notFound('account')
  const { today, reporting_currency: reporting } = range
  const current = today.slice(0, 7)
  const from = `${plusMonths(current, 1 - months)}-01`
  const sums = await sumCohorts(db, {
    accountId,
    from,
    to: today,
    campaignId,
    affiliateId,
    reportingCurrency: reporting,
  })
  const currency = reporting ?? mainCurrency(sums)
  const isLeftOut = (sum: CohortSum) => (reporting ? sum.converted === null : sum.currency !== currency)
  const included = (own: CohortSum[]) => own.filter(sum => !isLeftOut(sum))
  const amounts: Amounts = {
    of: own =>
      reporting
        ? roundExact(
            own.reduce((all, { converted }) => all + exactOf(converted), 0n),
            reporting,
          )
        : (byCurrency(included(own))[0]?.amount_minor ?? 0),
    originalOf: own => (reporting ? byCurrency(included(own)) : []),
    areWhole: own => !own.some(isLeftOut),
  }
  const firsts = [...new Set(sums.map(({ first_month }) => first_month))].toSorted().toReversed()
  return {
    time_zone: range.time_zone,
    today,
    currency,
    is_converted: reporting !== null,
    left_out: [...new Set(sums.filter(isLeftOut).map(sum => sum.currency))].toSorted(),
    data: firsts.map(first =>
      cohortOf(
        first,
        current,
        sums.filter(sum => sum.first_month === first),
        amounts,
      ),
    ),
  }
}
