import type {
  Compared,
  ComparedMoney,
  Overview,
  OverviewPeriod,
  OverviewStep,
} from '@tributary/contract/dashboard'
import type { Db } from '../../db/database.ts'
import { notFound } from '../../kit/domain-error.ts'
import { campaignExists } from '../../programme/campaigns/campaign-exists.ts'
import { findFirstSteps } from './first-steps.store.ts'
import {
  type Counted,
  countClicks,
  countConversions,
  findTopAffiliates,
  findWaiting,
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

export function seriesOf(
  period: Period,
  rows: { clicks: Counted[]; conversions: Counted[]; revenue: Summed[]; commissions: Summed[] },
): OverviewStep[] {
  const series = period.steps.map(({ day, from }) => ({
    day,
    from,
    clicks: 0,
    conversions: 0,
    revenue_minor: 0,
    commissions_minor: 0,
  }))
  const fill = <Row extends Counted>(found: Row[], add: (into: OverviewStep, row: Row) => void) => {
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

/** The account's metrics over a period, and what needs attention. */
export async function accountOverview(
  db: Db,
  accountId: number,
  { days, campaignId }: { days: OverviewPeriod; campaignId: number | undefined },
): Promise<Overview> {
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
  const inFirst = (rows: Summed[], [first]: ComparedMoney[]) =>
    rows.filter(({ currency }) => currency === first?.currency)
  const currency = commissions[0]?.currency
  return {
    time_zone: period.timeZone,
    from: period.from,
    to: period.to,
    step_days: period.stepDays,
    clicks: compared(clicks, row => row.count),
    conversions: compared(conversions, row => row.count),
    revenue,
    commissions,
    series: seriesOf(period, {
      clicks,
      conversions,
      revenue: inFirst(revenueRows, revenue),
      commissions: inFirst(commissionRows, commissions),
    }),
    top_affiliates: currency ? await findTopAffiliates(db, scope, { currency, limit: TOP_AFFILIATES }) : [],
    waiting: await findWaiting(db, accountId),
    first_steps: await findFirstSteps(db, accountId),
  }
}
