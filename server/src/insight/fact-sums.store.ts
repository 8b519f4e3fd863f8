import type { ExploreSort } from '@tributary/contract/dashboard'
import type { Db } from '../db/database.ts'
import { type Sql, sql } from '../db/sql.ts'
import { factsByDay, factsOfPart, type PartOfDay, rates } from './facts.store.ts'
import type { FactScope } from './live-days.store.ts'
import { mainCurrency } from './ranking.store.ts'
import {
  activity,
  factsByAffiliate,
  factsByDayAndAffiliates,
  factsOfChosen,
  rankedActivity,
  tallies,
} from './tallies.store.ts'

/** What facts are summed by. */
export type FactKey = 'day' | 'campaign' | 'affiliate'
const columnOf = (by: FactKey): Sql =>
  by === 'day' ? sql`f.day` : by === 'campaign' ? sql`f.campaign_id` : sql`f.affiliate_id`
/** As text only once it is grouped: to write a day takes longer than to add up its row. */
const keyOf = (by: FactKey): Sql =>
  by === 'day' ? sql`to_char(f.day, 'YYYY-MM-DD')` : sql`(${columnOf(by)})::text`

const factsAsTallies: Sql = sql`tallies AS (SELECT f.* FROM facts f)`

/** The facts of a scope as they are read fastest, for sums by a key: as `facts`, and as `tallies` for figures of one currency or none. */
export const factsFor = (scope: FactScope, by: FactKey): Sql =>
  by === 'affiliate' ? factsByAffiliate(scope) : sql`${factsByDay(scope)}, ${factsAsTallies}`

export interface FactSum {
  key: string
  /** XXX for what has none: visits and conversions. */
  currency: string
  clicks: number
  unique_clicks: number
  leads: number
  conversions: number
  customers: number
  sales: number
  revenue_minor: number
  refunds: number
  refunded_minor: number
  commissions: number
  commissions_minor: number
  /** Exact, in whole units of the reporting currency; null without one, and where no day has a rate. */
  revenue_converted: string | null
  refunded_converted: string | null
  commissions_converted: string | null
  /** Of days without a rate. */
  revenue_without_rate: number
  refunded_without_rate: number
  commissions_without_rate: number
}

/** The sums of the rows aliased `f`, with the rates as `r`. */
export const sums: Sql = sql`
  sum(f.clicks)::integer AS clicks, sum(f.unique_clicks)::integer AS unique_clicks, sum(f.leads)::integer AS leads,
  sum(f.conversions)::integer AS conversions, sum(f.customers)::integer AS customers, sum(f.sales)::integer AS sales,
  sum(f.revenue_minor) AS revenue_minor, sum(f.refunds)::integer AS refunds, sum(f.refunded_minor) AS refunded_minor,
  sum(f.commissions)::integer AS commissions, sum(f.commissions_minor) AS commissions_minor,
  sum(f.revenue_minor * r.worth)::text AS revenue_converted, sum(f.refunded_minor * r.worth)::text AS refunded_converted,
  sum(f.commissions_minor * r.worth)::text AS commissions_converted,
  coalesce(sum(f.revenue_minor) FILTER (WHERE r.worth IS NULL), 0) AS revenue_without_rate,
  coalesce(sum(f.refunded_minor) FILTER (WHERE r.worth IS NULL), 0) AS refunded_without_rate,
  coalesce(sum(f.commissions_minor) FILTER (WHERE r.worth IS NULL), 0) AS commissions_without_rate`

/** Sums in which nothing happened are left out: they are what remains of what was taken back. */
export const isAny: Sql = sql`
  sum(f.clicks) + sum(f.leads) + sum(f.conversions) + sum(f.sales) + sum(f.refunds) + sum(f.commissions) > 0`

/** By a key; of a part of the scope's only day if one is given. */
export function sumFacts(db: Db, scope: FactScope, by: FactKey, part?: PartOfDay): Promise<FactSum[]> {
  return db.many(sql`
    WITH ${part ? factsOfPart(scope, part) : factsFor(scope, by)}, ${rates(scope)}
    SELECT ${keyOf(by)} AS key, f.currency, ${sums}
      FROM facts f LEFT JOIN rates r ON r.day = f.day AND r.currency = f.currency
     GROUP BY ${columnOf(by)}, f.currency HAVING ${isAny} ORDER BY ${columnOf(by)}, f.currency`)
}

/** Whether the rows aliased `t` have a click or anything that was earned. */
const isActive: Sql = sql`sum(t.actions::float8) > 0`

/** How many affiliates brought a click or earned anything. */
interface WithActive {
  active_affiliates: number
}

/** Sums by day or campaign, and the active affiliates in one pass over them. */
export function sumWithActive(
  db: Db,
  scope: FactScope,
  by: Exclude<FactKey, 'affiliate'>,
): Promise<(FactSum & WithActive)[]> {
  return db.many(sql`
    WITH ${factsByDayAndAffiliates(scope)}, ${rates(scope)}, ${activity(scope)}, active AS (
      SELECT t.affiliate_id FROM activity t GROUP BY t.affiliate_id HAVING ${isActive}
    )
    SELECT ${keyOf(by)} AS key, f.currency, ${sums}, (SELECT count(*) FROM active)::integer AS active_affiliates
      FROM facts f LEFT JOIN rates r ON r.day = f.day AND r.currency = f.currency
     GROUP BY ${columnOf(by)}, f.currency HAVING ${isAny} ORDER BY ${columnOf(by)}, f.currency`)
}

/** Which affiliates are summed: the first ones by a figure, or all. */
export interface First {
  sort: ExploreSort
  limit: number | null
}

/** An amount of a row `f` if it is in the currency that is compared. */
const inMain = (amount: Sql): Sql =>
  sql`CASE WHEN f.currency = (SELECT m.currency FROM main m) THEN ${amount} ELSE 0::bigint END`

/** The amount that a figure is, or is a share of. */
const amountIn = (sort: ExploreSort): 'revenue' | 'commissions' | undefined =>
  sort === 'commission_per_click'
    ? 'commissions'
    : sort === 'revenue' || sort === 'commissions'
      ? sort
      : undefined

/** The activity of affiliates with what they are sorted by, but for amounts to convert. */
function activityBy(sort: ExploreSort, scope: FactScope): Sql {
  if (sort === 'customers') return rankedActivity(scope, sql`f.customers`, sql`-f.customers`)
  const amount = amountIn(sort)
  if (amount === 'revenue')
    return rankedActivity(scope, inMain(sql`f.revenue_minor`), inMain(sql`-f.revenue_minor`))
  if (amount === 'commissions')
    return rankedActivity(scope, inMain(sql`f.commissions_minor`), inMain(sql`-f.commissions_minor`))
  return rankedActivity(scope, sql`0::bigint`, sql`0::bigint`)
}

const amountOf = (sort: 'revenue' | 'commissions'): Sql =>
  sort === 'revenue' ? sql`t.revenue_minor` : sql`t.commissions_minor`

/** The active affiliates with what they are sorted by, as the WITH query `active`. Only these figures are added up: there may be many. */
function activeBy(sort: ExploreSort, scope: FactScope): Sql {
  const amount = amountIn(sort)
  return scope.reportingCurrency !== null && amount
    ? sql`${tallies(scope)}, ${activeConverted(amount)}`
    : sql`${mainCurrency(amount ?? sort, scope)}, ${activityBy(sort, scope)}, ${activeRanked}`
}

const activeRanked: Sql = sql`
  active AS (
    SELECT t.affiliate_id AS id, sum(t.clicks::float8) AS clicks, sum(t.conversions::float8) AS conversions, sum(t.value::float8) AS value
      FROM activity t GROUP BY t.affiliate_id HAVING ${isActive}
  )`

const activeConverted = (sort: 'revenue' | 'commissions'): Sql => sql`
  active AS (
    SELECT t.affiliate_id AS id, sum(t.clicks::float8) AS clicks, sum(t.conversions::float8) AS conversions,
           sum((${amountOf(sort)} * coalesce(r.worth, 0))::float8) AS value
      FROM tallies t LEFT JOIN rates r ON r.day = t.day AND r.currency = t.currency
     GROUP BY t.affiliate_id HAVING sum((t.clicks + t.leads + t.conversions + t.sales + t.refunds + t.commissions)::float8) > 0
  )`

const rankBy = (sort: ExploreSort): Sql => {
  switch (sort) {
    case 'clicks':
      return sql`a.clicks DESC`
    case 'conversions':
      return sql`a.conversions DESC`
    case 'conversion_rate':
      return sql`a.conversions / nullif(a.clicks, 0) DESC NULLS LAST`
    case 'commission_per_click':
      return sql`a.value / nullif(a.clicks, 0) DESC NULLS LAST`
    default:
      return sql`a.value DESC`
  }
}

/** Ties are broken by what comes before a sale. */
const placeBy = (sort: ExploreSort): Sql => sql`${rankBy(sort)}, a.conversions DESC, a.clicks DESC, a.id`

const chosenOf = ({ sort, limit }: First): Sql => sql`
  chosen AS MATERIALIZED (
    SELECT l.id, row_number() OVER () AS place
      FROM (SELECT a.id FROM active a ORDER BY ${placeBy(sort)} LIMIT ${limit}) l)`

/** The key of the sums of all affiliates. */
export const ALL = ''

const summed: Sql = sql`
  f.day, f.currency, f.clicks, f.unique_clicks, f.leads, f.conversions, f.customers, f.sales, f.revenue_minor, f.refunds, f.refunded_minor,
  f.commissions, f.commissions_minor`

/** The sums of all affiliates first, then those of the chosen ones in their order: all from one pass over them. */
export function sumAffiliates(db: Db, scope: FactScope, first: First): Promise<(FactSum & WithActive)[]> {
  return db.many(sql`
    WITH ${factsByDayAndAffiliates(scope)}, ${rates(scope)}, ${activeBy(first.sort, scope)}, ${chosenOf(first)}, ${factsOfChosen(scope)}
    SELECT coalesce(f.key::text, ${ALL}) AS key, f.currency, ${sums}, (SELECT count(*) FROM active)::integer AS active_affiliates
      FROM (SELECT NULL::bigint AS key, 0::bigint AS place, ${summed} FROM facts f
            UNION ALL
            SELECT k.id, k.place, ${summed} FROM chosen_facts f JOIN chosen k ON k.id = f.affiliate_id) f
      LEFT JOIN rates r ON r.day = f.day AND r.currency = f.currency
     GROUP BY f.place, f.key, f.currency HAVING ${isAny} ORDER BY f.place, f.currency`)
}
