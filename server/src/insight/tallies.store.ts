import { type Sql, sql } from '../db/sql.ts'
import { NO_CURRENCY } from './fact-rows.store.ts'
import {
  changes,
  earningChanges,
  earningFigures,
  earningsAsFacts,
  earningsByDay,
  earningsTakenAway,
  visitFigures,
  visitsAsFacts,
  visitsByDay,
  visitsTakenAway,
} from './facts.store.ts'
import { type FactScope, within } from './live-days.store.ts'

/*
 * What each affiliate did in a scope, as WITH queries: one total less another, the days between them and the ends of the range, and what is
 * not rolled up. Some rows are negative: only sums are meant to be used.
 */

/** Between two totals, or the days have fewer rows. */
const FEWEST_DAYS = 7

/** The total that is nearest to a day, of all that the account has. */
const nearestTotal = (accountId: number, day: Sql): Sql => sql`(
  SELECT d.until FROM insight_total_days d JOIN insight_accounts s ON s.account_id = ${accountId}
    JOIN accounts a ON a.id = ${accountId} AND a.time_zone = s.time_zone
   WHERE d.account_id = ${accountId} ORDER BY abs(d.until - ${day}), d.until LIMIT 1)`

/**
 * The two totals by affiliate that are nearest to the ends of the range, as the WITH query `bounds`, without a row if there are
 * none; and the days between them and the ends, as `edge_days`: those to add, and those to take away.
 */
const bounds = ({ accountId, from, to }: FactScope): Sql => sql`
  bounds AS MATERIALIZED (
    SELECT t.first, t.last
      FROM (SELECT ${nearestTotal(accountId, sql`(${from}::date - 1)`)} AS first, ${nearestTotal(accountId, sql`${to}::date`)} AS last) t
     WHERE t.first + ${FEWEST_DAYS}::integer <= t.last
  ), edges AS (
    SELECT 1 AS sign, ${from}::date - 1 AS after, coalesce((SELECT b.first FROM bounds b), ${to}::date) AS until
    UNION ALL
    SELECT -1, b.first, ${from}::date - 1 FROM bounds b
    UNION ALL
    SELECT 1, b.last, ${to}::date FROM bounds b
    UNION ALL
    SELECT -1, ${to}::date, b.last FROM bounds b
  ), edge_days AS MATERIALIZED (
    SELECT g.sign, g.after + n AS day FROM edges g CROSS JOIN LATERAL generate_series(1, g.until - g.after) n
  )`

/** Conditions on the day of `f`. As arrays, so that the rows of these days are looked up at once. */
const isAdded: Sql = sql`f.day = ANY (ARRAY(SELECT g.day FROM edge_days g WHERE g.sign > 0))`
const isTakenAway: Sql = sql`f.day = ANY (ARRAY(SELECT g.day FROM edge_days g WHERE g.sign < 0))`

/** A condition on the currency of `f`: its amounts are worth the same on every day, so that any day stands for all. */
const isSteady = ({ reportingCurrency }: FactScope): Sql =>
  reportingCurrency === null ? sql`true` : sql`f.currency IN (${NO_CURRENCY}, ${reportingCurrency})`

const visitRest = (scope: FactScope): Sql => sql`
  visit_rest AS (
    SELECT ${scope.to}::date AS day, f.campaign_id, f.affiliate_id, ${visitFigures}
      FROM insight_visits f WHERE f.account_id = ${scope.accountId} AND ${isAdded} AND ${within(scope)}
    UNION ALL
    SELECT ${scope.to}::date, f.campaign_id, f.affiliate_id, ${visitsTakenAway}
      FROM insight_visits f WHERE f.account_id = ${scope.accountId} AND ${isTakenAway} AND ${within(scope)}
    UNION ALL
    SELECT f.day, f.campaign_id, f.affiliate_id, ${visitFigures} FROM visit_changes f
  )`

const earningRest = (scope: FactScope): Sql => sql`
  foreign_currencies AS (
    -- Converted by day.
    SELECT DISTINCT f.currency FROM insight_earning_days f
     WHERE f.account_id = ${scope.accountId} AND f.day BETWEEN ${scope.from}::date AND ${scope.to}::date AND NOT (${isSteady(scope)})
  ), earning_rest AS (
    SELECT ${scope.to}::date AS day, f.campaign_id, f.affiliate_id, f.currency, ${earningFigures}
      FROM insight_earnings f WHERE f.account_id = ${scope.accountId} AND ${isAdded} AND ${isSteady(scope)} AND ${within(scope)}
    UNION ALL
    SELECT ${scope.to}::date, f.campaign_id, f.affiliate_id, f.currency, ${earningsTakenAway}
      FROM insight_earnings f WHERE f.account_id = ${scope.accountId} AND ${isTakenAway} AND ${isSteady(scope)} AND ${within(scope)}
    UNION ALL
    SELECT f.day, f.campaign_id, f.affiliate_id, f.currency, ${earningFigures}
      FROM insight_earnings f
     WHERE f.account_id = ${scope.accountId} AND f.currency = ANY (ARRAY(SELECT c.currency FROM foreign_currencies c))
       AND f.day BETWEEN ${scope.from}::date AND ${scope.to}::date AND ${within(scope)}
    UNION ALL
    SELECT f.day, f.campaign_id, f.affiliate_id, f.currency, ${earningFigures} FROM earning_changes f
  )`

/** What has a currency in a row of totals: nothing if it is read by day. */
const steady = (scope: FactScope, figure: Sql): Sql =>
  scope.reportingCurrency === null
    ? sql`(${figure})`
    : sql`CASE WHEN ${isSteady(scope)} THEN ${figure} ELSE 0::bigint END`

const totalFigures = (scope: FactScope): Sql => sql`
  f.clicks, f.unique_clicks, f.leads, f.conversions, ${steady(scope, sql`f.customers`)} AS customers, ${steady(scope, sql`f.sales`)} AS sales,
  ${steady(scope, sql`f.revenue_minor`)} AS revenue_minor, ${steady(scope, sql`f.refunds`)} AS refunds,
  ${steady(scope, sql`f.refunded_minor`)} AS refunded_minor, ${steady(scope, sql`f.commissions`)} AS commissions,
  ${steady(scope, sql`f.commissions_minor`)} AS commissions_minor`
const totalTakenAway = (scope: FactScope): Sql => sql`
  -f.clicks AS clicks, -f.unique_clicks AS unique_clicks, -f.leads AS leads, -f.conversions AS conversions,
  ${steady(scope, sql`-f.customers`)} AS customers, ${steady(scope, sql`-f.sales`)} AS sales,
  ${steady(scope, sql`-f.revenue_minor`)} AS revenue_minor, ${steady(scope, sql`-f.refunds`)} AS refunds,
  ${steady(scope, sql`-f.refunded_minor`)} AS refunded_minor, ${steady(scope, sql`-f.commissions`)} AS commissions,
  ${steady(scope, sql`-f.commissions_minor`)} AS commissions_minor`

/** One total less the other. */
const totalRows = (scope: FactScope, added: Sql, takenAway: Sql, only: Sql = sql`true`): Sql => sql`
  SELECT ${added}
    FROM insight_totals f
   WHERE f.account_id = ${scope.accountId} AND f.until = (SELECT b.last FROM bounds b) AND ${within(scope)} AND ${only}
  UNION ALL
  SELECT ${takenAway}
    FROM insight_totals f
   WHERE f.account_id = ${scope.accountId} AND f.until = (SELECT b.first FROM bounds b) AND ${within(scope)} AND ${only}`

const restRows = (ofVisits: Sql, ofEarnings: Sql, only: Sql = sql`true`): Sql => sql`
  SELECT ${ofVisits} FROM visit_rest f WHERE ${only} UNION ALL SELECT ${ofEarnings} FROM earning_rest f WHERE ${only}`

/** What totals and days are read from. */
const sources = (scope: FactScope): Sql =>
  sql`${changes(scope)}, ${bounds(scope)}, ${visitRest(scope)}, ${earningRest(scope)}`

const tallyOf = (scope: FactScope): Sql => sql`
  ${scope.to}::date AS day, f.campaign_id, f.affiliate_id, f.currency, ${totalFigures(scope)}`
const tallyTakenAway = (scope: FactScope): Sql => sql`
  ${scope.to}::date AS day, f.campaign_id, f.affiliate_id, f.currency, ${totalTakenAway(scope)}`

/**
 * By campaign and affiliate as `tallies`, for sums of the whole range: the currency of a row is that of its amounts, whatever else it
 * has, and `day` one on which they have the worth that they have in the range.
 */
export const tallies = (scope: FactScope): Sql => sql`
  tallies AS NOT MATERIALIZED (
    ${totalRows(scope, tallyOf(scope), tallyTakenAway(scope))} UNION ALL ${restRows(visitsAsFacts, earningsAsFacts)}
  )`

/** Tallies with what has a currency apart from what has none. */
const withoutCurrency: Sql = sql`
  f.day, f.campaign_id, f.affiliate_id, ${NO_CURRENCY}::text AS currency, f.clicks, f.unique_clicks, f.leads, f.conversions,
  0::bigint AS customers, 0::bigint AS sales, 0::bigint AS revenue_minor, 0::bigint AS refunds, 0::bigint AS refunded_minor,
  0::bigint AS commissions, 0::bigint AS commissions_minor`
const withCurrency: Sql = sql`
  f.day, f.campaign_id, f.affiliate_id, f.currency, 0::bigint AS clicks, 0::bigint AS unique_clicks, 0::bigint AS leads,
  0::bigint AS conversions, f.customers, f.sales, f.revenue_minor, f.refunds, f.refunded_minor, f.commissions, f.commissions_minor`

const talliesApart: Sql = sql`
  facts AS (SELECT ${withoutCurrency} FROM tallies f UNION ALL SELECT ${withCurrency} FROM tallies f)`

/** By campaign and affiliate, as `tallies` and as `facts`. */
export const factsByAffiliate = (scope: FactScope): Sql =>
  sql`${sources(scope)}, ${tallies(scope)}, ${talliesApart}`

const daysTogether: Sql = sql`
  facts AS (SELECT ${visitsAsFacts} FROM day_visits f UNION ALL SELECT ${earningsAsFacts} FROM day_earnings f)`

/** By day and campaign as `facts`, and what `tallies`, `activity` and `factsOfChosen` need. */
export const factsByDayAndAffiliates = (scope: FactScope): Sql => sql`
  ${sources(scope)}, day_visits AS (${visitsByDay(scope)}), day_earnings AS (${earningsByDay(scope)}), ${daysTogether}`

const actionsOf = (scope: FactScope): Sql => sql`
  f.affiliate_id, f.clicks + f.leads + f.conversions + ${steady(scope, sql`f.sales + f.refunds + f.commissions`)} AS actions`
const actionsTakenAway = (scope: FactScope): Sql => sql`
  f.affiliate_id, -f.clicks - f.leads - f.conversions - ${steady(scope, sql`f.sales + f.refunds + f.commissions`)} AS actions`
const visitActions: Sql = sql`f.affiliate_id, f.clicks + f.leads AS actions`
const earningActions: Sql = sql`f.affiliate_id, f.conversions + f.sales + f.refunds + f.commissions AS actions`

/**
 * What each affiliate did, as `activity`: `actions`, which are more than none if they were active. Rows have no other columns than are
 * used, because PostgreSQL computes each row of a union once more to leave some out, and there are many.
 */
export const activity = (scope: FactScope): Sql => sql`
  activity AS NOT MATERIALIZED (
    ${totalRows(scope, actionsOf(scope), actionsTakenAway(scope))} UNION ALL ${restRows(visitActions, earningActions)}
  )`

/** The same with clicks, conversions and a `value` of a row `f`, which `taken` takes away and visits have none of. */
export const rankedActivity = (scope: FactScope, value: Sql, taken: Sql): Sql => sql`
  activity AS NOT MATERIALIZED (
    ${totalRows(scope, rankedOf(scope, value), rankedTakenAway(scope, taken))} UNION ALL ${restRows(rankedVisits, rankedEarnings(value))}
  )`

const rankedOf = (scope: FactScope, value: Sql): Sql =>
  sql`${actionsOf(scope)}, f.clicks, f.conversions, ${steady(scope, value)} AS value`
const rankedTakenAway = (scope: FactScope, taken: Sql): Sql =>
  sql`${actionsTakenAway(scope)}, -f.clicks AS clicks, -f.conversions AS conversions, ${steady(scope, taken)} AS value`
const rankedVisits: Sql = sql`${visitActions}, f.clicks, 0::bigint AS conversions, 0::bigint AS value`
const rankedEarnings = (value: Sql): Sql =>
  sql`${earningActions}, 0::bigint AS clicks, f.conversions, ${value} AS value`

const earnedOf: Sql = sql`f.affiliate_id, f.commissions, f.commissions_minor`
const earnedTakenAway: Sql = sql`
  f.affiliate_id, -f.commissions AS commissions, -f.commissions_minor AS commissions_minor`

/** What affiliates earned in a currency that is not converted, as `earned`. */
export const earned = (scope: FactScope, currency: string): Sql => sql`
  ${earningChanges(scope)}, ${bounds(scope)}, ${earningRest(scope)}, earned AS NOT MATERIALIZED (
    ${totalRows(scope, earnedOf, earnedTakenAway, sql`f.currency = ${currency}`)}
    UNION ALL ${earnedRest(currency)}
  )`
const earnedRest = (currency: string): Sql =>
  sql`SELECT ${earnedOf} FROM earning_rest f WHERE f.currency = ${currency}`

const amountOf = (scope: FactScope): Sql => sql`${scope.to}::date AS day, f.currency, ${earnedOf}`
const amountTakenAway = (scope: FactScope): Sql =>
  sql`${scope.to}::date AS day, f.currency, ${earnedTakenAway}`

/** What affiliates earned in each currency, as `earned`, on a `day` on which it has the worth that it has in the range. */
export const earnedByCurrency = (scope: FactScope): Sql => sql`
  ${earningChanges(scope)}, ${bounds(scope)}, ${earningRest(scope)}, earned AS NOT MATERIALIZED (
    ${totalRows(scope, amountOf(scope), amountTakenAway(scope), isSteady(scope))}
    UNION ALL ${amountRest}
  )`
const amountRest: Sql = sql`SELECT f.day, f.currency, ${earnedOf} FROM earning_rest f`

/** As an array they are looked up in the index; among rows without one, they are hashed. */
const isChosen: Sql = sql`f.affiliate_id = ANY (ARRAY(SELECT k.id FROM chosen k))`
const isAmongChosen: Sql = sql`f.affiliate_id IN (SELECT k.id FROM chosen k)`

const chosenTallies = (scope: FactScope): Sql => sql`
  chosen_tallies AS (
    ${totalRows(scope, tallyOf(scope), tallyTakenAway(scope), isChosen)} UNION ALL ${restRows(visitsAsFacts, earningsAsFacts, isAmongChosen)}
  )`
const chosenApart: Sql = sql`
  chosen_facts AS (SELECT ${withoutCurrency} FROM chosen_tallies f UNION ALL SELECT ${withCurrency} FROM chosen_tallies f)`

/** By campaign and affiliate as `chosen_facts`: of the affiliates whose ids `chosen` has. */
export const factsOfChosen = (scope: FactScope): Sql => sql`${chosenTallies(scope)}, ${chosenApart}`
