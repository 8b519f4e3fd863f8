import type { ComparedMoney, Overview, OverviewPeriod, TopAffiliate } from '@tributary/contract/dashboard'
import type { Db } from '../db/database.ts'
import { findFirstSteps } from '../earning/overview/first-steps.store.ts'
import type { Counted, Summed } from '../earning/overview/overview.store.ts'
import { byCurrency, bySteps, compared, comparedSum, seriesOf } from '../earning/overview/overview-sums.ts'
import { findPeriod, type Period } from '../earning/overview/period.store.ts'
import { notFound } from '../kit/domain-error.ts'
import { DAY_MS } from '../kit/timestamp.ts'
import { exactOf, roundExact } from '../money/fx/reporting.ts'
import { campaignExists } from '../programme/campaigns/campaign-exists.ts'
import { asking, askingBoth } from './asking.store.ts'
import { type FactSum, sumFacts } from './fact-sums.store.ts'
import type { FactScope } from './live-days.store.ts'
import { findTopAffiliates, findTopConverted, guessCurrency } from './top-affiliates.store.ts'

const TOP_AFFILIATES = 6

/** The sums of each day of the period and of the one before, whose last day is cut. */
async function sumDays(db: Db, scope: FactScope, { before }: Period): Promise<FactSum[]> {
  const days = await sumFacts(db, { ...scope, from: before.firstDay }, 'day')
  const lastDay = { ...scope, from: before.lastDay, to: before.lastDay }
  const part = await sumFacts(db, lastDay, 'day', { starts: before.lastDayFrom, ends: before.to })
  return [...days.filter(({ key }) => key !== before.lastDay), ...part]
}

/** The number of a day's step; null in the period before. */
function stepOf(day: string, { steps, stepDays }: Period): number | null {
  const first = steps[0]?.day ?? day
  return day < first ? null : Math.floor((Date.parse(day) - Date.parse(first)) / DAY_MS / stepDays)
}

const counted = (rows: FactSum[], period: Period, count: 'clicks' | 'conversions'): Counted[] =>
  rows.map(row => ({ step: stepOf(row.key, period), count: row[count] }))

/** What was counted in a currency, by step. */
const summed = (
  rows: FactSum[],
  period: Period,
  [count, amount]: ['sales', 'revenue'] | ['commissions', 'commissions'],
): Summed[] =>
  rows
    .filter(row => row[count] > 0)
    .map(row => ({
      step: stepOf(row.key, period),
      count: row[count],
      currency: row.currency,
      sum_minor: row[`${amount}_minor`],
      converted: row[`${amount}_converted`],
      without_rate: row[`${amount}_without_rate`],
    }))

/** The top earners by a currency, or in the reporting currency. */
async function topAffiliates(
  db: Db,
  scope: FactScope,
  currency: string | undefined,
): Promise<TopAffiliate[]> {
  const reporting = scope.reportingCurrency
  if (!reporting) {
    if (currency === undefined) return []
    const rows = await findTopAffiliates(db, scope, { currency, limit: TOP_AFFILIATES })
    return rows.map(row => ({ ...row, original: [] }))
  }
  const rows = await findTopConverted(db, scope, TOP_AFFILIATES)
  return rows.map(({ converted, ...row }) => ({
    ...row,
    commissions_minor: roundExact(exactOf(converted), reporting),
  }))
}

/** The sums of days, and the top earners in the most used currency: read at once, and the latter again if the guess was wrong. */
async function sumsAndTop(db: Db, scope: FactScope, period: Period) {
  const guess =
    scope.reportingCurrency ?? (await guessCurrency(db, { ...scope, from: period.before.firstDay }))
  const [rows, guessed] = await askingBoth(
    db,
    tx => sumDays(tx, scope, period),
    tx => topAffiliates(tx, scope, guess),
  )
  const commissions = summed(rows, period, ['commissions', 'commissions'])
  const most = scope.reportingCurrency ?? byCurrency(commissions)[0]?.currency
  return {
    rows,
    commissionRows: commissions,
    top: most === guess ? guessed : await asking(db, tx => topAffiliates(tx, scope, most)),
  }
}

/** The account's metrics over a period. */
export async function accountOverview(
  db: Db,
  accountId: number,
  { days, campaignId }: { days: OverviewPeriod; campaignId: number | undefined },
): Promise<Omit<Overview, 'waiting'>> {
  const period = await findPeriod(db, accountId, days)
  if (campaignId !== undefined && !(await campaignExists(db, accountId, campaignId)))
    throw notFound('campaign')
  const reporting = period.reportingCurrency
  const scope: FactScope = {
    accountId,
    from: period.steps[0]?.day ?? period.today,
    to: period.today,
    campaignIds: campaignId === undefined ? undefined : [campaignId],
    reportingCurrency: reporting,
  }
  const { rows, commissionRows, top } = await sumsAndTop(db, scope, period)
  const clicks = counted(rows, period, 'clicks')
  const conversions = counted(rows, period, 'conversions')
  const revenueRows = summed(rows, period, ['sales', 'revenue'])
  const revenue = byCurrency(revenueRows)
  const commissions = byCurrency(commissionRows)
  const inFirst = (sums: Summed[], [first]: ComparedMoney[]) =>
    sums.filter(({ currency }) => currency === first?.currency)
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
    top_affiliates: top,
    first_steps: await findFirstSteps(db, accountId),
  }
}
