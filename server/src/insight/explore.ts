import {
  type Exploration,
  type ExploreComparison,
  type ExploreDimension,
  type ExploredSums,
  type ExploreSort,
  type ExploreSource,
  exploreSources,
  exploreTimes,
  MOST_EXPLORED_DAYS,
} from '@tributary/contract/dashboard'
import type { Db } from '../db/database.ts'
import { invalid, notFound } from '../kit/domain-error.ts'
import { DAY_MS, isDay } from '../kit/timestamp.ts'
import { askedSource } from './asked-source.ts'
import { asking, askingBoth } from './asking.store.ts'
import { findRange, type RangeRow } from './explore.store.ts'
import { namesOf } from './explored-names.ts'
import { SumsByKey } from './explored-sums.ts'
import { ALL, type First, sumAffiliates, sumFacts, sumWithActive } from './fact-sums.store.ts'
import type { FactScope } from './live-days.store.ts'
import { otherLinks } from './other-links.ts'
import type { Source } from './referral-source.store.ts'
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

/** The facts of one source are counted by day and campaign. */
interface Scope extends FactScope {
  source?: Source | undefined
}

const isSource = (by: ExploreDimension): by is ExploreSource => exploreSources.some(each => each === by)
const isTime = (by: ExploreDimension) => exploreTimes.some(each => each === by)

/** The first day of a day's week, which begins on Monday, or of its month. */
function stepOf(day: string, by: ExploreDimension): string {
  if (by === 'month') return `${day.slice(0, 7)}-01`
  if (by !== 'week') return day
  const at = Date.parse(`${day}T00:00:00Z`)
  const sinceMonday = (new Date(at).getUTCDay() + 6) % 7
  return new Date(at - sinceMonday * DAY_MS).toISOString().slice(0, 10)
}

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

/** The source that a question is about: it is not counted by affiliate, nor by another dimension. */
function sourceOf({ by = 'day', source, sourceValue }: Question): Source | undefined {
  const asked = askedSource({ source, source_value: sourceValue })
  if (asked && (by === 'affiliate' || (isSource(by) && by !== asked.dimension)))
    throw invalid('by', `must be day, week, month, campaign or ${asked.dimension} for one source`)
  return asked
}

/** The scope of a question. Of the sources, only links are counted by affiliate. */
const scopeOf = (
  accountId: number,
  { by = 'day', campaignId, affiliateId }: Question,
  { from, to, reporting_currency: reportingCurrency }: Pick<RangeRow, 'from' | 'to' | 'reporting_currency'>,
  source: Scope['source'],
): Scope => ({
  accountId,
  from,
  to,
  campaignIds: campaignId === undefined ? undefined : [campaignId],
  affiliateIds:
    affiliateId === undefined || source || (isSource(by) && by !== 'link') ? undefined : [affiliateId],
  reportingCurrency,
  source,
})

/** Sums by key, of all, and how many affiliates were active: null where visitors came from, which is not counted by affiliate. */
interface Summed {
  sums: SumsByKey
  whole: SumsByKey
  active: number | null
}

async function sumsBy(db: Db, scope: Scope, by: ExploreDimension): Promise<Summed> {
  const step = isTime(by) ? (day: string) => stepOf(day, by) : undefined
  const dimension = isSource(by) ? by : scope.source?.dimension
  if (dimension) {
    const key = isSource(by) ? 'value' : by === 'campaign' ? 'campaign' : 'day'
    const rows = await sumSources(db, scope, dimension, { key, value: scope.source?.value })
    const sums = new SumsByKey(scope.reportingCurrency, step).addFacts(rows)
    if (scope.affiliateIds) sums.addFacts(otherLinks(await sumWithActive(db, scope, 'campaign'), rows))
    return { sums: sums.ordered(), whole: sums, active: null }
  }
  const rows = await sumWithActive(db, scope, isTime(by) ? 'day' : 'campaign')
  const sums = new SumsByKey(scope.reportingCurrency, step).addFacts(rows).ordered()
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
  scope: Scope,
  { by = 'day', sort = 'commissions' }: Question,
  limit: number | null,
): Promise<Breakdown> {
  const { sums, whole, active } = await (by === 'affiliate'
    ? sumsByAffiliate(db, scope, { sort, limit })
    : sumsBy(db, scope, by))
  const isOrdered = isTime(by) || by === 'affiliate'
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
    found: by === 'affiliate' ? (active ?? 0) : keys.length,
  }
}

/** Every row of a breakdown, for a file. */
export async function breakDown(db: Db, accountId: number, question: Question): Promise<Breakdown> {
  const source = sourceOf(question)
  const scope = scopeOf(accountId, question, await rangeOf(db, accountId, question), source)
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
  const source = sourceOf(question)
  const range = await rangeOf(db, accountId, question)
  const scope = scopeOf(accountId, question, range, source)
  const earlier = { ...scope, from: range.before_from, to: range.before_to }
  const [now, before] = await askingBoth(
    db,
    tx => breakDownScope(tx, scope, question, MOST_ROWS),
    tx => sumsBy(tx, earlier, question.by ?? 'day'),
  )
  const { by, keys } = now
  const sumsBefore =
    by === 'affiliate'
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
