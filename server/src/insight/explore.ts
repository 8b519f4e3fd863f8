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
import { asking } from './asking.store.ts'
import { findAffiliateNames, findCampaignNames, findRange, type RangeRow } from './explore.store.ts'
import { SumsByKey } from './explored-sums.ts'
import {
  countActiveAffiliates,
  type FactKey,
  rankAffiliatesBy,
  sumFacts,
  sumSources,
} from './fact-sums.store.ts'
import type { FactScope } from './live-days.store.ts'

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

/** The facts of one source are counted by day and campaign only. */
interface Scope extends FactScope {
  source?: { dimension: ExploreSource; value: string } | undefined
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

/** The names of campaigns and affiliates by their keys; every other key is its own name. */
export async function labelsOf(db: Db, accountId: number, by: ExploreDimension, keys: string[]) {
  if (by !== 'campaign' && by !== 'affiliate') return new Map<string, string>()
  const find = by === 'campaign' ? findCampaignNames : findAffiliateNames
  const rows = await find(db, accountId, keys.map(Number))
  return new Map(rows.map(({ id, name }) => [String(id), name]))
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
  hasMoney: boolean
  total: ExploredSums
  /** Of the amounts, the largest first. */
  currencies: string[]
  currency: string | null
  keys: string[]
  of: (key: string) => ExploredSums
  /** How many rows there are, with those that a limit leaves out. */
  found: number
}

/** The source that a question is about: where visitors came from is not counted by affiliate, nor by another dimension. */
function sourceOf({ by = 'day', source: dimension, sourceValue: value }: Question): Scope['source'] {
  if (dimension === undefined || value === undefined) {
    if (dimension === value) return undefined
    throw invalid('source_value', 'must be given together with source')
  }
  if (by === 'affiliate' || (isSource(by) && by !== dimension))
    throw invalid('by', `must be day, week, month, campaign or ${dimension} for one source`)
  return { dimension, value }
}

/** The scope of a question. */
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
  affiliateIds: isSource(by) || source || affiliateId === undefined ? undefined : [affiliateId],
  reportingCurrency,
  source,
})

async function sumsBy(db: Db, scope: Scope, by: ExploreDimension): Promise<SumsByKey> {
  const step = isTime(by) ? (day: string) => stepOf(day, by) : undefined
  const dimension = isSource(by) ? by : scope.source?.dimension
  if (dimension) {
    const key = isSource(by) ? 'value' : by === 'campaign' ? 'campaign' : 'day'
    const rows = await sumSources(db, scope, dimension, { key, value: scope.source?.value })
    return new SumsByKey(null, step).addSources(rows).ordered()
  }
  const key: FactKey = by === 'campaign' || by === 'affiliate' ? by : 'day'
  return new SumsByKey(scope.reportingCurrency, step).addFacts(await sumFacts(db, scope, key)).ordered()
}

/** Affiliates may be many: the total is read without them, and only the first ones are added up. */
async function breakDownByAffiliate(
  db: Db,
  scope: FactScope,
  sort: ExploreSort,
  limit: number | null,
): Promise<Breakdown> {
  const whole = await sumsBy(db, scope, 'campaign')
  const { total, currencies, currency } = whole
  const ranked = await rankAffiliatesBy(db, scope, { sort, currency, limit })
  const affiliateIds = ranked.map(({ id }) => id)
  const sums = (await sumsBy(db, { ...scope, affiliateIds }, 'affiliate')).ordered(whole)
  return {
    by: 'affiliate',
    hasMoney: true,
    total,
    currencies,
    currency,
    keys: affiliateIds.map(String),
    of: key => sums.of(key),
    found: ranked[0]?.found ?? 0,
  }
}

async function breakDownScope(
  db: Db,
  scope: Scope,
  { by = 'day', sort = 'commissions' }: Question,
  limit: number | null,
): Promise<Breakdown> {
  if (by === 'affiliate') return breakDownByAffiliate(db, scope, sort, limit)
  const sums = await sumsBy(db, scope, by)
  const hasMoney = !isSource(by) && !scope.source
  const keys = sums
    .keys()
    .toSorted((a, b) => (isTime(by) ? 0 : compareRows(sums, a, b, sort)) || (a < b ? -1 : 1))
  return {
    by,
    hasMoney,
    total: sums.total,
    currencies: sums.currencies,
    currency: hasMoney ? sums.currency : null,
    keys: isTime(by) || limit === null ? keys : keys.slice(0, limit),
    of: key => sums.of(key),
    found: keys.length,
  }
}

/** Every row of a breakdown, for a file. */
export async function breakDown(db: Db, accountId: number, question: Question): Promise<Breakdown> {
  const source = sourceOf(question)
  const scope = scopeOf(accountId, question, await rangeOf(db, accountId, question), source)
  return breakDownScope(db, scope, question, null)
}

/** What the rows of a breakdown were before, and the total. */
async function breakDownBefore(db: Db, scope: Scope, { by, keys }: Breakdown) {
  if (by !== 'affiliate') return sumsBy(db, scope, by)
  const { total } = await sumsBy(db, scope, 'campaign')
  const sums = await sumsBy(db, { ...scope, affiliateIds: keys.map(Number) }, by)
  return { total, of: (key: string) => sums.of(key) }
}

/** Performance over a range of days, broken down and compared. */
export const explore = (db: Db, accountId: number, question: Question): Promise<Exploration> =>
  asking(db, tx => answer(tx, accountId, question))

async function answer(db: Db, accountId: number, question: Question): Promise<Exploration> {
  const source = sourceOf(question)
  const range = await rangeOf(db, accountId, question)
  const scope = scopeOf(accountId, question, range, source)
  const earlier = { ...scope, from: range.before_from, to: range.before_to }
  const now = await breakDownScope(db, scope, question, MOST_ROWS)
  const { by, keys } = now
  const before = await breakDownBefore(db, earlier, now)
  const labels = await labelsOf(db, accountId, by, keys)
  return {
    by,
    time_zone: range.time_zone,
    today: range.today,
    from: range.from,
    to: range.to,
    before: { from: earlier.from, to: earlier.to },
    currency: now.currency,
    has_money: now.hasMoney,
    active_affiliates: !now.hasMoney
      ? null
      : {
          now: by === 'affiliate' ? now.found : await countActiveAffiliates(db, scope),
          before: await countActiveAffiliates(db, earlier),
        },
    total: { now: now.total, before: before.total },
    rows: keys.map(key => ({
      key,
      label: labels.get(key) ?? key,
      now: now.of(key),
      before: isTime(by) ? null : before.of(key),
    })),
    left_out: now.found - keys.length,
  }
}

/** Ties are broken by what comes before a sale. */
function compareRows(sums: SumsByKey, a: string, b: string, sort: ExploreSort): number {
  const by = (each: ExploreSort) => sums.rankOf(b, each) - sums.rankOf(a, each)
  return by(sort) || by('conversions') || by('clicks')
}
