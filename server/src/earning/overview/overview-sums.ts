import type {
  Compared,
  ComparedMoney,
  ComparedSum,
  Overview,
  OverviewPeriod,
  OverviewStep,
  TopAffiliate,
} from '@tributary/contract/dashboard'
import type { Db } from '../../db/database.ts'
import { notFound } from '../../kit/domain-error.ts'
import { exactOf, roundExact } from '../../money/fx/reporting.ts'
import { campaignExists } from '../../programme/campaigns/campaign-exists.ts'
import { findFirstSteps } from './first-steps.store.ts'
import {
  type Counted,
  countClicks,
  countConversions,
  findTopAffiliates,
  findTopConverted,
  type Scope,
  type Summed,
  sumCommissions,
  sumRevenue,
} from './overview.store.ts'
import { findPeriod, type Period } from './period.store.ts'

const TOP_AFFILIATES = 6

export function compared<Row extends Counted>(rows: Row[], metric: (row: Row) => number): Compared {
  const sum = (isNow: boolean) =>
    rows.filter(row => (row.step !== null) === isNow).reduce((total, row) => total + metric(row), 0)
  return { now: sum(true), before: sum(false) }
}

/** By currency, the most used one first: it is the one the charts show. */
export function byCurrency(rows: Summed[]): ComparedMoney[] {
  const uses = new Map<string, number>()
  for (const { currency, count } of rows) uses.set(currency, (uses.get(currency) ?? 0) + count)
  return [...uses]
    .toSorted(([a, usesOfA], [b, usesOfB]) => usesOfB - usesOfA || (a < b ? -1 : 1))
    .map(([currency]) => {
      const own = rows.filter(row => row.currency === currency)
      return { currency, ...compared(own, row => row.sum_minor) }
    })
}

const exactSum = (rows: Summed[]) => rows.reduce((sum, { converted }) => sum + exactOf(converted), 0n)

/** All currencies in the reporting currency, rounded once. */
function comparedSum(rows: Summed[], reporting: string): ComparedSum {
  const of = (isNow: boolean) =>
    roundExact(exactSum(rows.filter(row => (row.step !== null) === isNow)), reporting)
  const withoutRate = rows.map(row => ({ ...row, sum_minor: row.without_rate }))
  return {
    now: of(true),
    before: of(false),
    without_rate: byCurrency(withoutRate).filter(({ now, before }) => now !== 0 || before !== 0),
  }
}

interface Stepped {
  step: number | null
  sum_minor: number
}

/** One sum for each step. */
const bySteps = (rows: Summed[], reporting: string): Stepped[] =>
  [...new Set(rows.map(({ step }) => step))].map(step => ({
    step,
    sum_minor: roundExact(exactSum(rows.filter(row => row.step === step)), reporting),
  }))

export function seriesOf(
  period: Period,
  rows: { clicks: Counted[]; conversions: Counted[]; revenue: Stepped[]; commissions: Stepped[] },
): OverviewStep[] {
  const series = period.steps.map(({ day, from }) => ({
    day,
    from,
    clicks: 0,
    conversions: 0,
    revenue_minor: 0,
    commissions_minor: 0,
  }))
  const fill = <Row extends Pick<Counted, 'step'>>(
    found: Row[],
    add: (into: OverviewStep, row: Row) => void,
  ) => {
    for (const row of found) {
      const into = row.step === null ? undefined : series[row.step]
      if (into) add(into, row)
    }
  }
  fill(rows.clicks, (into, { count }) => {
    into.clicks += count
  })
  fill(rows.conversions, (into, { count }) => {
    into.conversions += count
  })
  fill(rows.revenue, (into, { sum_minor }) => {
    into.revenue_minor += sum_minor
  })
  fill(rows.commissions, (into, { sum_minor }) => {
    into.commissions_minor += sum_minor
  })
  return series
}

/** The top earners, in the reporting currency or in the most used one. */
async function topAffiliates(db: Db, scope: Scope, [most]: ComparedMoney[]): Promise<TopAffiliate[]> {
  const reporting = scope.period.reportingCurrency
  if (!reporting)
    return most ? findTopAffiliates(db, scope, { currency: most.currency, limit: TOP_AFFILIATES }) : []
  const rows = await findTopConverted(db, scope, TOP_AFFILIATES)
  return rows.map(({ converted, ...row }) => ({
    ...row,
    commissions_minor: roundExact(exactOf(converted), reporting),
  }))
}

/** The account's metrics over a period. */
export async function accountOverview(
  db: Db,
  accountId: number,
  { days, campaignId }: { days: OverviewPeriod; campaignId: number | undefined },
): Promise<Omit<Overview, 'waiting'>> {
  const period = await findPeriod(db, accountId, days)
  const scope = { accountId, period, campaignId }
  if (campaignId !== undefined && !(await campaignExists(db, accountId, campaignId)))
    throw notFound('campaign')
  // Sequential, so that a user viewing metrics does not take connections away from sale reports.
  const clicks = await countClicks(db, scope)
  const conversions = await countConversions(db, scope)
  const revenueRows = await sumRevenue(db, scope)
  const commissionRows = await sumCommissions(db, scope)
  const revenue = byCurrency(revenueRows)
  const commissions = byCurrency(commissionRows)
  const reporting = period.reportingCurrency
  const inFirst = (rows: Summed[], [first]: ComparedMoney[]) =>
    rows.filter(({ currency }) => currency === first?.currency)
  return {
    time_zone: period.timeZone,
    from: period.from,
    to: period.to,
    step_days: period.stepDays,
    clicks: compared(clicks, row => row.count),
    conversions: compared(conversions, row => row.count),
    revenue,
    commissions,
    converted:
      reporting === null
        ? null
        : {
            currency: reporting,
            revenue: comparedSum(revenueRows, reporting),
            commissions: comparedSum(commissionRows, reporting),
          },
    series: seriesOf(period, {
      clicks,
      conversions,
      revenue: reporting ? bySteps(revenueRows, reporting) : inFirst(revenueRows, revenue),
      commissions: reporting ? bySteps(commissionRows, reporting) : inFirst(commissionRows, commissions),
    }),
    top_affiliates: await topAffiliates(db, scope, commissions),
    first_steps: await findFirstSteps(db, accountId),
  }
}
