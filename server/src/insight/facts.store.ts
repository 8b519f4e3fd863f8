import { type Sql, sql } from '../db/sql.ts'
import { worthOf } from '../money/fx/worth.store.ts'
import { earningFacts, NO_CURRENCY, visitFacts } from './fact-rows.store.ts'
import { type FactScope, live, visitsChanged, within } from './live-days.store.ts'

/*
 * What happened in a scope, as WITH queries. Roll-ups are read where they have the fewest rows: the sums of all affiliates by day, or the
 * totals of each affiliate until a day. Days that are not rolled up, or have changed since, are corrected: what the raw rows have is
 * added, and what is stored of them is taken away. So each day counts once whatever the background work commits meanwhile, and a
 * statement reads the raw rows once however often it needs them. Some rows are negative: only sums are meant to be used. `visits` and `earnings`
 * are never stored, since `facts` alone, though unused, would make PostgreSQL do so.
 */

/** All of one type: PostgreSQL then reads the parts of a union directly, and only the columns that are used. */
const visitFigures: Sql = sql`
  f.clicks::bigint AS clicks, f.unique_clicks::bigint AS unique_clicks, f.leads::bigint AS leads`
const visitsTakenAway: Sql = sql`
  -f.clicks::bigint AS clicks, -f.unique_clicks::bigint AS unique_clicks, -f.leads::bigint AS leads`
const earningFigures: Sql = sql`
  f.conversions::bigint AS conversions, f.customers::bigint AS customers, f.sales::bigint AS sales,
  f.revenue_minor::bigint AS revenue_minor, f.refunds::bigint AS refunds, f.refunded_minor::bigint AS refunded_minor,
  f.commissions::bigint AS commissions, f.commissions_minor::bigint AS commissions_minor`
const earningsTakenAway: Sql = sql`
  -f.conversions::bigint AS conversions, -f.customers::bigint AS customers, -f.sales::bigint AS sales,
  -f.revenue_minor::bigint AS revenue_minor, -f.refunds::bigint AS refunds, -f.refunded_minor::bigint AS refunded_minor,
  -f.commissions::bigint AS commissions, -f.commissions_minor::bigint AS commissions_minor`

/** What the roll-ups of the scope lack, as the WITH queries `visit_changes` and `earning_changes`. As arrays, so that only the rows of these days are looked up. */
const changes = (scope: FactScope): Sql => sql`${visitChanges(scope)}, ${earningChanges(scope)}`

const visitChanges = (scope: FactScope): Sql => sql`
  visit_changes AS MATERIALIZED (
    WITH ${live(scope, visitsChanged)}, ${visitFacts(scope.accountId)}
    SELECT f.day, f.campaign_id, f.affiliate_id, ${visitFigures} FROM visit_facts f WHERE ${within(scope)}
    UNION ALL
    SELECT f.day, f.campaign_id, f.affiliate_id, ${visitsTakenAway}
      FROM insight_visits f
     WHERE f.account_id = ${scope.accountId} AND f.day = ANY (ARRAY(SELECT d.day FROM days d)) AND ${within(scope)}
  )`

const earningChanges = (scope: FactScope): Sql => sql`
  earning_changes AS MATERIALIZED (
    WITH ${live(scope)}, ${earningFacts(scope.accountId)}
    SELECT f.day, f.campaign_id, f.affiliate_id, f.currency, ${earningFigures} FROM earning_facts f WHERE ${within(scope)}
    UNION ALL
    SELECT f.day, f.campaign_id, f.affiliate_id, f.currency, ${earningsTakenAway}
      FROM insight_earnings f
     WHERE f.account_id = ${scope.accountId} AND f.day = ANY (ARRAY(SELECT d.day FROM days d)) AND ${within(scope)}
  )`

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

const visitsOfAll = (scope: FactScope): Sql => sql`
  SELECT f.day, f.campaign_id, 0::bigint AS affiliate_id, ${visitFigures}
    FROM insight_visit_days f
   WHERE f.account_id = ${scope.accountId} AND f.day BETWEEN ${scope.from}::date AND ${scope.to}::date AND ${within(scope)}
  UNION ALL
  SELECT f.day, f.campaign_id, 0::bigint, ${visitFigures} FROM visit_changes f`

const earningsOfAll = (scope: FactScope): Sql => sql`
  SELECT f.day, f.campaign_id, 0::bigint AS affiliate_id, f.currency, ${earningFigures}
    FROM insight_earning_days f
   WHERE f.account_id = ${scope.accountId} AND f.day BETWEEN ${scope.from}::date AND ${scope.to}::date AND ${within(scope)}
  UNION ALL
  SELECT f.day, f.campaign_id, 0::bigint, f.currency, ${earningFigures} FROM earning_changes f`

/** By day and campaign: of all affiliates as those of affiliate 0, or of each if the scope is of some. */
const visitsByDay = (scope: FactScope): Sql =>
  scope.affiliateIds ? visitsByAffiliateAndDay(scope) : visitsOfAll(scope)
const earningsByDay = (scope: FactScope): Sql =>
  scope.affiliateIds ? earningsByAffiliateAndDay(scope) : earningsOfAll(scope)

/** Visits and earnings as rows of the same columns. */
const visitsAsFacts: Sql = sql`
  f.day, f.campaign_id, f.affiliate_id, ${NO_CURRENCY}::text AS currency, f.clicks, f.unique_clicks, f.leads,
  0::bigint AS conversions, 0::bigint AS customers, 0::bigint AS sales, 0::bigint AS revenue_minor, 0::bigint AS refunds,
  0::bigint AS refunded_minor, 0::bigint AS commissions, 0::bigint AS commissions_minor`
const earningsAsFacts: Sql = sql`
  f.day, f.campaign_id, f.affiliate_id, f.currency, 0::bigint AS clicks, 0::bigint AS unique_clicks, 0::bigint AS leads, ${earningFigures}`

const together: Sql = sql`
  facts AS (SELECT ${visitsAsFacts} FROM visits f UNION ALL SELECT ${earningsAsFacts} FROM earnings f)`

/** By day, campaign and affiliate, as `visits`, `earnings` and, of both, `facts`. */
export const factsByAffiliateAndDay = (scope: FactScope): Sql => sql`
  ${changes(scope)}, visits AS NOT MATERIALIZED (${visitsByAffiliateAndDay(scope)}), earnings AS NOT MATERIALIZED (${earningsByAffiliateAndDay(scope)}), ${together}`

/** By day and campaign, under the same names. */
export const factsByDay = (scope: FactScope): Sql => sql`
  ${changes(scope)}, visits AS NOT MATERIALIZED (${visitsByDay(scope)}), earnings AS NOT MATERIALIZED (${earningsByDay(scope)}), ${together}`

const changesTogether: Sql = sql`
  facts AS (SELECT ${visitsAsFacts} FROM visit_changes f UNION ALL SELECT ${earningsAsFacts} FROM earning_changes f)`

const partOfDay = ({ starts, ends }: PartOfDay, { from }: FactScope): Sql => sql`
  days AS MATERIALIZED (SELECT ${from}::date AS day, ${starts}::timestamptz AS starts, ${ends}::timestamptz AS ends)`

export interface PartOfDay {
  starts: string
  ends: string
}

/** Of a part of the scope's only day, which is always read from the raw rows. */
export const factsOfPart = (scope: FactScope, part: PartOfDay): Sql => sql`
  ${partOfDay(part, scope)}, ${visitFacts(scope.accountId)}, ${earningFacts(scope.accountId)}, ${partAsChanges(scope)}, ${changesTogether}`

const partAsChanges = (scope: FactScope): Sql => sql`
  visit_changes AS (
    SELECT f.day, f.campaign_id, f.affiliate_id, ${visitFigures} FROM visit_facts f WHERE ${within(scope)}
  ), earning_changes AS (
    SELECT f.day, f.campaign_id, f.affiliate_id, f.currency, ${earningFigures} FROM earning_facts f WHERE ${within(scope)}
  )`

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
     WHERE t.first < t.last
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
    ? figure
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

/** One total less the other, and the rest. `only` and `restOnly` are the same condition on `f`, for an index and without one. */
const byTotals = (scope: FactScope, only: Sql = sql`true`, restOnly: Sql = only): Sql => sql`
  SELECT ${scope.to}::date AS day, f.campaign_id, f.affiliate_id, f.currency, ${totalFigures(scope)}
    FROM insight_totals f
   WHERE f.account_id = ${scope.accountId} AND f.until = (SELECT b.last FROM bounds b) AND ${within(scope)} AND ${only}
  UNION ALL
  SELECT ${scope.to}::date, f.campaign_id, f.affiliate_id, f.currency, ${totalTakenAway(scope)}
    FROM insight_totals f
   WHERE f.account_id = ${scope.accountId} AND f.until = (SELECT b.first FROM bounds b) AND ${within(scope)} AND ${only}
  UNION ALL
  SELECT ${visitsAsFacts} FROM visit_rest f WHERE ${restOnly}
  UNION ALL
  SELECT ${earningsAsFacts} FROM earning_rest f WHERE ${restOnly}`

/**
 * By campaign and affiliate as `tallies`, for sums of the whole range: the currency of a row is that of its amounts, whatever else it
 * has, and `day` one on which they have the worth that they have in the range.
 */
const tallies = (scope: FactScope): Sql => sql`
  ${changes(scope)}, ${bounds(scope)}, ${visitRest(scope)}, ${earningRest(scope)}, tallies AS NOT MATERIALIZED (${byTotals(scope)})`

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
export const factsByAffiliate = (scope: FactScope): Sql => sql`${tallies(scope)}, ${talliesApart}`

const daysTogether: Sql = sql`
  facts AS (SELECT ${visitsAsFacts} FROM day_visits f UNION ALL SELECT ${earningsAsFacts} FROM day_earnings f)`

/** By day and campaign as `facts`, and by campaign and affiliate as `tallies`. */
export const factsByDayAndAffiliates = (scope: FactScope): Sql => sql`
  ${tallies(scope)}, day_visits AS (${visitsByDay(scope)}), day_earnings AS (${earningsByDay(scope)}), ${daysTogether}`

/** As an array they are looked up in the index; among rows without one, they are hashed. */
const isChosen: Sql = sql`f.affiliate_id = ANY (ARRAY(SELECT k.id FROM chosen k))`
const isAmongChosen: Sql = sql`f.affiliate_id IN (SELECT k.id FROM chosen k)`

const chosenApart: Sql = sql`
  chosen_facts AS (SELECT ${withoutCurrency} FROM chosen_tallies f UNION ALL SELECT ${withCurrency} FROM chosen_tallies f)`

/** After `tallies`, by campaign and affiliate as `chosen_facts`: of the affiliates whose ids `chosen` has. */
export const factsOfChosen = (scope: FactScope): Sql => sql`
  chosen_tallies AS (${byTotals(scope, isChosen, isAmongChosen)}), ${chosenApart}`

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
