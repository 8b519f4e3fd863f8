import type { OverviewPeriod } from '@tributary/contract/dashboard'
import type { Home } from '@tributary/contract/portal'
import type { Db } from '../../db/database.ts'
import { countClicks, countConversions, sumCommissions } from './overview.store.ts'
import { byCurrency, compared, seriesOf } from './overview-sums.ts'
import { findPeriod } from './period.store.ts'

/** One affiliate's metrics over a period, computed exactly like the account's overview. */
export async function affiliateOverview(
  db: Db,
  accountId: number,
  affiliateId: number,
  days: OverviewPeriod,
): Promise<
  Pick<Home, 'time_zone' | 'from' | 'step_days' | 'currency' | 'clicks' | 'conversions' | 'series'>
> {
  // Affiliates see amounts in the currency that they earn in.
  const period = { ...(await findPeriod(db, accountId, days)), reportingCurrency: null }
  const scope = { accountId, period, affiliateId }
  const clicks = await countClicks(db, scope)
  const conversions = await countConversions(db, scope)
  const earned = await sumCommissions(db, scope)
  const currency = byCurrency(earned)[0]?.currency ?? null
  const commissions = earned.filter(row => row.currency === currency)
  return {
    time_zone: period.timeZone,
    from: period.from,
    step_days: period.stepDays,
    currency,
    clicks: compared(clicks, row => row.count).now,
    conversions: compared(conversions, row => row.count).now,
    series: seriesOf(period, { clicks, conversions, revenue: [], commissions }).map(step => ({
      day: step.day,
      from: step.from,
      clicks: step.clicks,
      conversions: step.conversions,
      earned_minor: step.commissions_minor,
    })),
  }
}
