import {
  type Exploration,
  type ExploreComparison,
  type ExploreDimension,
  type ExploredSums,
  type ExploreSort,
  type ExploreSource,
  exploreTimes,
  isCrossed,
  isExploreSource,
  MOST_EXPLORED_DAYS,
} from '@tributary/contract/dashboard'
import type { Db } from '../db/database.ts'
import { invalid, notFound } from '../kit/domain-error.ts'
import { DAY_MS, isDay } from '../kit/timestamp.ts'
import { askedSource } from './asked-source.ts'
import { asking, askingBoth } from './asking.store.ts'
import { type CrossedScope, sumCrossed } from './crossed-sums.store.ts'
import { findRange, type RangeRow } from './explore.store.ts'
import { namesOf } from './explored-names.ts'
import { SumsByKey } from './explored-sums.ts'
import { ALL, type First, sumAffiliates, sumFacts, sumWithActive } from './fact-sums.store.ts'
import type { FactScope } from './live-days.store.ts'
import { otherLinks } from './other-links.ts'
import { sumSources } from './source-sums.store.ts'

const MOST_ROWS = 200

export interface Question {
  from?: string | undefined
  to?: string | undefined
  by?: ExploreDimension | undefined
  compare?: ExploreComparison | undefined
  sort?: ExploreSort | undefined
  campaignId?: number | undefined
  affiliateId?: number | undefined
  source?: ExploreSource | undefined
  sourceValue?: string | undefined
}

const isTime = (by: ExploreDimension) => exploreTimes.some(each => each === by)

/** The first day of a day's week, which begins on Monday, or of its month. */
function stepOf(day: string, by: ExploreDimension): string {
  if (by === 'month') return `${day.slice(0, 7)}-01`
  if (by !== 'week') return day
  const at = Date.parse(`${day}T00:00:00Z`)
  const sinceMonday = (new Date(at).getUTCDay() + 6) % 7
  return new Date(at - sinceMonday * DAY_MS).toISOString().slice(0, 10)
}

const stepsOf = (by: ExploreDimension) => (isTime(by) ? (day: string) => stepOf(day, by) : undefined)

async function rangeOf(db: Db, accountId: number, { from, to, compare }: Question) {
  for (const [name, day] of Object.entries({ from, to }))
    if (day !== undefined && !isDay(day)) throw invalid(name, 'must be a day such as 2026-01-31')
  const range = await findRange(db, accountId, { from, to, isYear: compare === 'year' })
  if (!range) throw notFound('account')
  const days = (Date.parse(range.to) - Date.parse(range.from)) / DAY_MS
  if (days < 0) throw invalid('to', 'must not be before from')
  if (days >= MOST_EXPLORED_DAYS)
    throw invalid('from', `must be at most ${MOST_EXPLORED_DAYS} days before to`)
  return range
}

/** A range broken down, its rows in their order. */
export interface Breakdown {
  by: ExploreDimension
  total: ExploredSums
  /** Affiliates who brought a click or earned anything; null where that is not counted. */
  active: number | null
  /** Of the amounts, the largest first. */
  currencies: string[]
  currency: string | null
  keys: string[]
  of: (key: string) => ExploredSums
  /** How many rows there are, with those that a limit leaves out. */
  found: number
}

const scopeOf = (
  accountId: number,
  { campaignId, affiliateId, source, sourceValue }: Question,
  { from, to, reporting_currency: reportingCurrency }: Pick<RangeRow, 'from' | 'to' | 'reporting_currency'>,
): CrossedScope => ({
  accountId,
  from,
  to,
  campaignIds: campaignId === undefined ? undefined : [campaignId],
  affiliateIds: affiliateId === undefined ? undefined : [affiliateId],
  reportingCurrency,
  source: askedSource({ source, source_value: sourceValue }),
})

/** Sums by key, of all, and how many affiliates were active: null where visitors came from, unless it is broken down by affiliate. */
interface Summed {
  sums: SumsByKey
  whole: SumsByKey
  active: number | null
}

/** By source, or of one. What is left of an affiliate is (other). */
async function sumsOfSources(db: Db, scope: CrossedScope, by: ExploreDimension): Promise<Summed> {
  const dimension = isExploreSource(by) ? by : scope.source?.dimension
  const key = isExploreSource(by) ? 'value' : by === 'campaign' ? 'campaign' : 'day'
  const rows =
    dimension && !isCrossed(by, { affiliateId: scope.affiliateIds?.[0], source: scope.source?.dimension })
      ? await sumSources(db, scope, dimension, { key, value: scope.source?.value })
      : await sumCrossed(db, scope, by)
  const sums = new SumsByKey(scope.reportingCurrency, stepsOf(by)).addFacts(rows)
  if (scope.affiliateIds && !scope.source)
    sums.addFacts(otherLinks(await sumWithActive(db, scope, 'campaign'), rows))
  return { sums: sums.ordered(), whole: sums, active: by === 'affiliate' ? sums.keys().length : null }
}

async function sumsBy(db: Db, scope: CrossedScope, by: ExploreDimension): Promise<Summed> {
  if (isExploreSource(by) || scope.source) return sumsOfSources(db, scope, by)
  const rows = await sumWithActive(db, scope, isTime(by) ? 'day' : 'campaign')
  const sums = new SumsByKey(scope.reportingCurrency, stepsOf(by)).addFacts(rows).ordered()
  return { sums, whole: sums, active: rows[0]?.active_affiliates ?? 0 }
}

/** Affiliates may be many: only the first ones are added up. */
async function sumsByAffiliate(db: Db, scope: FactScope, first: First): Promise<Summed> {
  const rows = await sumAffiliates(db, scope, first)
  const of = (isWhole: boolean) =>
    new SumsByKey(scope.reportingCurrency).addFacts(rows.filter(({ key }) => (key === ALL) === isWhole))
  const whole = of(true).ordered()
  return { sums: of(false).ordered(whole), whole, active: rows[0]?.active_affiliates ?? 0 }
}

async function breakDownScope(
  db: Db,
  scope: CrossedScope,
  { by = 'day', sort = 'commissions' }: Question,
  limit: number | null,
): Promise<Breakdown> {
  const isRanked = by === 'affiliate' && !scope.source
  const { sums, whole, active } = await (isRanked
    ? sumsByAffiliate(db, scope, { sort, limit })
    : sumsBy(db, scope, by))
  const isOrdered = isTime(by) || isRanked
  const keys = isOrdered
    ? sums.keys()
    : sums.keys().toSorted((a, b) => compareRows(sums, a, b, sort) || (a < b ? -1 : 1))
  return {
    by,
    total: whole.total,
    active,
    currencies: whole.currencies,
    currency: whole.currency,
    keys: isOrdered || limit === null ? keys : keys.slice(0, limit),
    of: key => sums.of(key),
    found: isRanked ? (active ?? 0) : keys.length,
  }
}

/** Every row of a breakdown, for a file. */
export async function breakDown(db: Db, accountId: number, question: Question): Promise<Breakdown> {
  const scope = scopeOf(accountId, question, await rangeOf(db, accountId, question))
  return breakDownScope(db, scope, question, null)
}

/** The sums of some affiliates, in the order of currencies that the whole has. */
async function sumsOfAffiliates(
  db: Db,
  scope: FactScope,
  ids: number[],
  whole: SumsByKey,
): Promise<SumsByKey> {
  const rows = await sumFacts(db, { ...scope, affiliateIds: ids }, 'affiliate')
  return new SumsByKey(scope.reportingCurrency).addFacts(rows).ordered(whole)
}

/** Performance over a range of days, broken down and compared. Both ranges are read at once, which takes little longer than one. */
export async function explore(db: Db, accountId: number, question: Question): Promise<Exploration> {
  const range = await rangeOf(db, accountId, question)
  const scope = scopeOf(accountId, question, range)
  const { source } = scope
  const earlier = { ...scope, from: range.before_from, to: range.before_to }
  const [now, before] = await askingBoth(
    db,
    tx => breakDownScope(tx, scope, question, MOST_ROWS),
    tx => sumsBy(tx, earlier, question.by ?? 'day'),
  )
  const { by, keys } = now
  const sumsBefore =
    by === 'affiliate' && !source
      ? await asking(db, tx => sumsOfAffiliates(tx, earlier, keys.map(Number), before.whole))
      : before.sums
  const labels = await namesOf(db, accountId, by, keys)
  const chosen = source && (await namesOf(db, accountId, source.dimension, [source.value]))
  return {
    by,
    time_zone: range.time_zone,
    today: range.today,
    from: range.from,
    to: range.to,
    before: { from: earlier.from, to: earlier.to },
    currency: now.currency,
    source_label: source && chosen ? (chosen.get(source.value) ?? source.value) : null,
    active_affiliates:
      now.active === null || before.active === null ? null : { now: now.active, before: before.active },
    total: { now: now.total, before: before.whole.total },
    rows: keys.map(key => ({
      key,
      label: labels.get(key) ?? key,
      now: now.of(key),
      before: isTime(by) ? null : sumsBefore.of(key),
    })),
    left_out: now.found - keys.length,
  }
}

/** Ties are broken by what comes before a sale. */
function compareRows(sums: SumsByKey, a: string, b: string, sort: ExploreSort): number {
  const by = (each: ExploreSort) => sums.rankOf(b, each) - sums.rankOf(a, each)
  return by(sort) || by('conversions') || by('clicks')
}
