import { type ListedPeriod, type ListSort, type Preset, rangeOf } from '@tributary/contract/dashboard'
import type { Db } from '../db/database.ts'
import { notFound } from '../kit/domain-error.ts'
import { findRange } from './explore.store.ts'
import { SumsByKey } from './explored-sums.ts'
import { sumFacts } from './fact-sums.store.ts'
import type { FactScope } from './live-days.store.ts'
import type { Owner } from './ranking.store.ts'

/** What a list's figures are of, or undefined if it has none. */
export async function listedScope(
  db: Db,
  accountId: number,
  {
    period,
    sort,
    campaign_id: campaignId,
  }: {
    period?: Preset | undefined
    sort?: ListSort | undefined
    campaign_id?: number | undefined
  },
): Promise<FactScope | undefined> {
  if (!period && !sort) return undefined
  const range = await findRange(db, accountId, { from: undefined, to: undefined, isYear: false })
  if (!range) throw notFound('account')
  return {
    accountId,
    ...rangeOf(period ?? 'last30', range.today),
    campaignIds: campaignId === undefined ? undefined : [campaignId],
    reportingCurrency: range.reporting_currency,
  }
}

export const periodOf = (
  scope: FactScope | undefined,
  currency: string | null = null,
): ListedPeriod | null =>
  scope ? { from: scope.from, to: scope.to, currency: scope.reportingCurrency ?? currency } : null

/** The figures of the rows of a list, or of all there are. */
export async function listedSums(db: Db, scope: FactScope, by: Owner, ids?: number[]): Promise<SumsByKey> {
  const only = ids && (by === 'affiliate' ? { affiliateIds: ids } : { campaignIds: ids })
  const rows = await sumFacts(db, { ...scope, ...only }, by)
  return new SumsByKey(scope.reportingCurrency).addFacts(rows).ordered()
}

/** The ids of a whole list in the order of a figure, as far as they have one; the pages have the same order from the database. */
export function rankedIds(sums: SumsByKey, sort: ListSort): number[] {
  return sums
    .keys()
    .map(key => ({ id: Number(key), value: sums.rankOf(key, sort) }))
    .filter(({ value }) => value > 0)
    .toSorted((a, b) => b.value - a.value || b.id - a.id)
    .map(({ id }) => id)
}
