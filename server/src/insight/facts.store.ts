import { type Sql, sql } from '../db/sql.ts'
import { worthOf } from '../money/fx/worth.store.ts'
import { bounded, EACH, earningFacts, NO_CURRENCY, TOGETHER, visitFacts } from './fact-rows.store.ts'
import { type FactScope, liveRest, visitsChanged, within } from './live-days.store.ts'

/*
 * What happened in a scope, as WITH queries. Roll-ups are read where they have the fewest rows: the sums of all affiliates by day, or the
 * totals of each affiliate until a day (tallies.store.ts). Days that are not rolled up, or have changed since, are corrected: what the raw rows have is
 * added, and what is stored of them is taken away. So each day counts once whatever the background work commits meanwhile, and a
 * statement reads the raw rows once however often it needs them. Some rows are negative: only sums are meant to be used. `visits` and `earnings`
 * are never stored, since `facts` alone, though unused, would make PostgreSQL do so.
 */

/** All of one type: PostgreSQL then reads the parts of a union directly, and only the columns that are used. */
export const visitFigures: Sql = sql`
  f.clicks::bigint AS clicks, f.unique_clicks::bigint AS unique_clicks, f.leads::bigint AS leads`
export const visitsTakenAway: Sql = sql`
  -f.clicks::bigint AS clicks, -f.unique_clicks::bigint AS unique_clicks, -f.leads::bigint AS leads`
export const earningFigures: Sql = sql`
  f.conversions::bigint AS conversions, f.customers::bigint AS customers, f.sales::bigint AS sales,
  f.revenue_minor::bigint AS revenue_minor, f.refunds::bigint AS refunds, f.refunded_minor::bigint AS refunded_minor,
  f.commissions::bigint AS commissions, f.commissions_minor::bigint AS commissions_minor`
export const earningsTakenAway: Sql = sql`
  -f.conversions::bigint AS conversions, -f.customers::bigint AS customers, -f.sales::bigint AS sales,
  -f.revenue_minor::bigint AS revenue_minor, -f.refunds::bigint AS refunds, -f.refunded_minor::bigint AS refunded_minor,
  -f.commissions::bigint AS commissions, -f.commissions_minor::bigint AS commissions_minor`

/** Whose changes are read: of each affiliate, or of all together, if there is no question about one. */
type Whose = 'each' | 'together'
const whoseOf = ({ affiliateIds }: FactScope): Whose => (affiliateIds ? 'each' : 'together')
function affiliateOf(whose: Whose): Sql {
  return whose === 'each' ? EACH : TOGETHER
}

/** What the roll-ups of the scope lack, as the WITH queries `visit_changes` and `earning_changes`. */
export const changes = (scope: FactScope, whose: Whose = 'each'): Sql =>
  sql`${visitChanges(scope, whose)}, ${earningChanges(scope, whose)}`

/** A condition on the day of `f`: all of it is read from the raw rows. As an array, so that only the rows of these days are looked up. */
const isLive: Sql = sql`f.day = ANY (ARRAY(SELECT d.day FROM days d WHERE d.seen_from IS NULL))`

const visitChanges = (scope: FactScope, whose: Whose): Sql => sql`
  visit_changes AS MATERIALIZED (${currentVisits(scope, whose)} UNION ALL ${whose === 'each' ? storedVisits(scope) : storedVisitDays(scope)})`
const currentVisits = (scope: FactScope, whose: Whose): Sql => sql`
  WITH ${liveRest(scope, { changed: visitsChanged })}, ${visitFacts(scope.accountId, affiliateOf(whose))}
  SELECT f.day, f.campaign_id, f.affiliate_id, ${visitFigures} FROM visit_facts f WHERE ${within(scope)}`
const storedVisits = (scope: FactScope): Sql => sql`
  SELECT f.day, f.campaign_id, f.affiliate_id, ${visitsTakenAway}
    FROM insight_visits f WHERE f.account_id = ${scope.accountId} AND ${isLive} AND ${within(scope)}`
const storedVisitDays = (scope: FactScope): Sql => sql`
  SELECT f.day, f.campaign_id, ${TOGETHER} AS affiliate_id, ${visitsTakenAway}
    FROM insight_visit_days f WHERE f.account_id = ${scope.accountId} AND ${isLive} AND ${within(scope)}`

/** The money alone: to plan the clicks of every month takes as long as to read an open day. */
export const earningChanges = (scope: FactScope, whose: Whose = 'each'): Sql => sql`
  earning_changes AS MATERIALIZED (${currentEarnings(scope, whose)} UNION ALL ${whose === 'each' ? storedEarnings(scope) : storedEarningDays(scope)})`
const currentEarnings = (scope: FactScope, whose: Whose): Sql => sql`
  WITH ${liveRest(scope)}, ${earningFacts(scope.accountId, affiliateOf(whose))}
  SELECT f.day, f.campaign_id, f.affiliate_id, f.currency, ${earningFigures} FROM earning_facts f WHERE ${within(scope)}`
const storedEarnings = (scope: FactScope): Sql => sql`
  SELECT f.day, f.campaign_id, f.affiliate_id, f.currency, ${earningsTakenAway}
    FROM insight_earnings f WHERE f.account_id = ${scope.accountId} AND ${isLive} AND ${within(scope)}`
const storedEarningDays = (scope: FactScope): Sql => sql`
  SELECT f.day, f.campaign_id, ${TOGETHER} AS affiliate_id, f.currency, ${earningsTakenAway}
    FROM insight_earning_days f WHERE f.account_id = ${scope.accountId} AND ${isLive} AND ${within(scope)}`

const visitsByAffiliateAndDay = (scope: FactScope): Sql => sql`
  SELECT f.day, f.campaign_id, f.affiliate_id, ${visitFigures}
    FROM insight_visits f
   WHERE f.account_id = ${scope.accountId} AND f.day BETWEEN ${scope.from}::date AND ${scope.to}::date AND ${within(scope)}
  UNION ALL
  SELECT f.day, f.campaign_id, f.affiliate_id, ${visitFigures} FROM visit_changes f`

const earningsByAffiliateAndDay = (scope: FactScope): Sql => sql`
  SELECT f.day, f.campaign_id, f.affiliate_id, f.currency, ${earningFigures}
    FROM insight_earnings f
   WHERE f.account_id = ${scope.accountId} AND f.day BETWEEN ${scope.from}::date AND ${scope.to}::date AND ${within(scope)}
  UNION ALL
  SELECT f.day, f.campaign_id, f.affiliate_id, f.currency, ${earningFigures} FROM earning_changes f`

/** What is taken away may be as large as what is added. */
const boundedAmount = (sum: Sql): Sql => bounded(sql`greatest(${sum}, -9223372036854775807)`)

/** The changes of all affiliates together: what is done with each row afterwards takes longer than to add them up. */
const summedVisits: Sql = sql`
  sum(f.clicks)::bigint AS clicks, sum(f.unique_clicks)::bigint AS unique_clicks, sum(f.leads)::bigint AS leads`
const summedEarnings: Sql = sql`
  sum(f.conversions)::bigint AS conversions, sum(f.customers)::bigint AS customers, sum(f.sales)::bigint AS sales,
  ${boundedAmount(sql`sum(f.revenue_minor)`)} AS revenue_minor, sum(f.refunds)::bigint AS refunds,
  ${boundedAmount(sql`sum(f.refunded_minor)`)} AS refunded_minor, sum(f.commissions)::bigint AS commissions,
  ${boundedAmount(sql`sum(f.commissions_minor)`)} AS commissions_minor`

const visitsOfAll = (scope: FactScope): Sql => sql`
  SELECT f.day, f.campaign_id, 0::bigint AS affiliate_id, ${visitFigures}
    FROM insight_visit_days f
   WHERE f.account_id = ${scope.accountId} AND f.day BETWEEN ${scope.from}::date AND ${scope.to}::date AND ${within(scope)}
  UNION ALL
  SELECT f.day, f.campaign_id, 0::bigint, ${summedVisits} FROM visit_changes f GROUP BY f.day, f.campaign_id`

const earningsOfAll = (scope: FactScope): Sql => sql`
  SELECT f.day, f.campaign_id, 0::bigint AS affiliate_id, f.currency, ${earningFigures}
    FROM insight_earning_days f
   WHERE f.account_id = ${scope.accountId} AND f.day BETWEEN ${scope.from}::date AND ${scope.to}::date AND ${within(scope)}
  UNION ALL
  SELECT f.day, f.campaign_id, 0::bigint, f.currency, ${summedEarnings} FROM earning_changes f GROUP BY f.day, f.campaign_id, f.currency`

/** By day and campaign: of all affiliates as those of affiliate 0, or of each if the scope is of some. */
export const visitsByDay = (scope: FactScope): Sql =>
  scope.affiliateIds ? visitsByAffiliateAndDay(scope) : visitsOfAll(scope)
export const earningsByDay = (scope: FactScope): Sql =>
  scope.affiliateIds ? earningsByAffiliateAndDay(scope) : earningsOfAll(scope)

/** Visits and earnings as rows of the same columns. */
export const visitsAsFacts: Sql = sql`
  f.day, f.campaign_id, f.affiliate_id, ${NO_CURRENCY}::text AS currency, f.clicks, f.unique_clicks, f.leads,
  0::bigint AS conversions, 0::bigint AS customers, 0::bigint AS sales, 0::bigint AS revenue_minor, 0::bigint AS refunds,
  0::bigint AS refunded_minor, 0::bigint AS commissions, 0::bigint AS commissions_minor`
export const earningsAsFacts: Sql = sql`
  f.day, f.campaign_id, f.affiliate_id, f.currency, 0::bigint AS clicks, 0::bigint AS unique_clicks, 0::bigint AS leads, ${earningFigures}`

const together: Sql = sql`
  facts AS (SELECT ${visitsAsFacts} FROM visits f UNION ALL SELECT ${earningsAsFacts} FROM earnings f)`

/** By day, campaign and affiliate, as `visits`, `earnings` and, of both, `facts`. */
export const factsByAffiliateAndDay = (scope: FactScope): Sql => sql`
  ${changes(scope)}, visits AS NOT MATERIALIZED (${visitsByAffiliateAndDay(scope)}), earnings AS NOT MATERIALIZED (${earningsByAffiliateAndDay(scope)}), ${together}`

/** By day and campaign, under the same names. */
export const factsByDay = (scope: FactScope): Sql => sql`
  ${changes(scope, whoseOf(scope))}, visits AS NOT MATERIALIZED (${visitsByDay(scope)}), earnings AS NOT MATERIALIZED (${earningsByDay(scope)}), ${together}`

const changesTogether: Sql = sql`
  facts AS (SELECT ${visitsAsFacts} FROM visit_changes f UNION ALL SELECT ${earningsAsFacts} FROM earning_changes f)`

const partOfDay = ({ starts, ends }: PartOfDay, { from }: FactScope): Sql => sql`
  days AS MATERIALIZED (
    SELECT ${from}::date AS day, ${starts}::timestamptz AS starts, ${ends}::timestamptz AS ends, NULL::timestamptz AS seen_from)`

export interface PartOfDay {
  starts: string
  ends: string
}

/** Of a part of the scope's only day, which is always read from the raw rows. */
export const factsOfPart = (scope: FactScope, part: PartOfDay): Sql => sql`
  ${partOfDay(part, scope)}, ${visitFacts(scope.accountId, affiliateOf(whoseOf(scope)))},
  ${earningFacts(scope.accountId, affiliateOf(whoseOf(scope)))}, ${partAsChanges(scope)}, ${changesTogether}`

const partAsChanges = (scope: FactScope): Sql => sql`
  visit_changes AS (
    SELECT f.day, f.campaign_id, f.affiliate_id, ${visitFigures} FROM visit_facts f WHERE ${within(scope)}
  ), earning_changes AS (
    SELECT f.day, f.campaign_id, f.affiliate_id, f.currency, ${earningFigures} FROM earning_facts f WHERE ${within(scope)}
  )`

/** What the amounts of a day are worth in the reporting currency, as the WITH query `rates` after the facts. */
export const rates = (scope: FactScope): Sql =>
  scope.reportingCurrency === null
    ? sql`rates AS NOT MATERIALIZED (SELECT NULL::date AS day, NULL::text AS currency, NULL::numeric AS worth WHERE false)`
    : sql`
      rates AS MATERIALIZED (
        SELECT u.day, u.currency, ${worthOf(sql`u.currency`, sql`u.day`, scope.reportingCurrency)} AS worth
          FROM (SELECT f.day, f.currency FROM insight_earning_days f
                 WHERE f.account_id = ${scope.accountId} AND f.day BETWEEN ${scope.from}::date AND ${scope.to}::date
                UNION
                SELECT f.day, f.currency FROM earning_changes f
                UNION
                SELECT ${scope.to}::date, ${scope.reportingCurrency}::text) u
         WHERE u.currency <> ${NO_CURRENCY}
      )`
