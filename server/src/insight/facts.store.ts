import { type Sql, sql } from '../db/sql.ts'
import { worthOf } from '../money/fx/worth.store.ts'
import { earningFacts, NO_CURRENCY, visitFacts } from './fact-rows.store.ts'
import { type FactScope, live, visitsChanged, within } from './live-days.store.ts'

/*
 * What happened in a scope, as the WITH queries `visits`, `earnings` and, of both, `facts`. Each day is read once: from its roll-up, or from
 * the raw rows if it is not rolled up or has changed since. In one statement, since the raw rows of an account that is not rolled up yet
 * are many.
 */

const together: Sql = sql`
  facts AS (
    SELECT v.day, v.campaign_id, v.affiliate_id, ${NO_CURRENCY}::text AS currency, v.clicks, v.unique_clicks, v.leads,
           0 AS conversions, 0 AS customers, 0 AS sales, 0::bigint AS revenue_minor, 0 AS refunds, 0::bigint AS refunded_minor,
           0 AS commissions, 0::bigint AS commissions_minor
      FROM visits v
    UNION ALL
    SELECT e.day, e.campaign_id, e.affiliate_id, e.currency, 0, 0, 0, e.conversions, e.customers, e.sales, e.revenue_minor, e.refunds,
           e.refunded_minor, e.commissions, e.commissions_minor
      FROM earnings e
  )`

const visitsByAffiliate = (scope: FactScope): Sql => sql`
  visits AS NOT MATERIALIZED (
    WITH ${live(scope, visitsChanged)}, ${visitFacts(scope.accountId)}
    SELECT f.day, f.campaign_id, f.affiliate_id, f.clicks, f.unique_clicks, f.leads
      FROM insight_visits f
     WHERE f.account_id = ${scope.accountId} AND f.day BETWEEN ${scope.from}::date AND ${scope.to}::date
       AND f.day NOT IN (SELECT d.day FROM days d) AND ${within(scope)}
    UNION ALL
    SELECT f.day, f.campaign_id, f.affiliate_id, f.clicks, f.unique_clicks, f.leads FROM visit_facts f WHERE ${within(scope)}
  )`

const earningsByAffiliate = (scope: FactScope): Sql => sql`
  earnings AS (
    WITH ${live(scope)}, ${earningFacts(scope.accountId)}
    SELECT f.day, f.campaign_id, f.affiliate_id, f.currency, f.conversions, f.customers, f.sales, f.revenue_minor, f.refunds,
           f.refunded_minor, f.commissions, f.commissions_minor
      FROM insight_earnings f
     WHERE f.account_id = ${scope.accountId} AND f.day BETWEEN ${scope.from}::date AND ${scope.to}::date
       AND f.day NOT IN (SELECT d.day FROM days d) AND ${within(scope)}
    UNION ALL
    SELECT f.day, f.campaign_id, f.affiliate_id, f.currency, f.conversions, f.customers, f.sales, f.revenue_minor, f.refunds,
           f.refunded_minor, f.commissions, f.commissions_minor
      FROM earning_facts f WHERE ${within(scope)}
  )`

/** By day, campaign and affiliate. */
export const factsByAffiliateAndDay = (scope: FactScope): Sql =>
  sql`${visitsByAffiliate(scope)}, ${earningsByAffiliate(scope)}, ${together}`

const visitsOfAll = (scope: FactScope): Sql => sql`
  visits AS NOT MATERIALIZED (
    WITH ${live(scope, visitsChanged)}, ${visitFacts(scope.accountId)}
    SELECT f.day, f.campaign_id, 0::bigint AS affiliate_id, f.clicks, f.unique_clicks, f.leads
      FROM insight_visit_days f
     WHERE f.account_id = ${scope.accountId} AND f.day BETWEEN ${scope.from}::date AND ${scope.to}::date
       AND f.day NOT IN (SELECT d.day FROM days d) AND ${within(scope)}
    UNION ALL
    SELECT f.day, f.campaign_id, 0, f.clicks, f.unique_clicks, f.leads FROM visit_facts f WHERE ${within(scope)}
  )`

const earningsOfAll = (scope: FactScope): Sql => sql`
  earnings AS (
    WITH ${live(scope)}, ${earningFacts(scope.accountId)}
    SELECT f.day, f.campaign_id, 0::bigint AS affiliate_id, f.currency, f.conversions, f.customers, f.sales, f.revenue_minor, f.refunds,
           f.refunded_minor, f.commissions, f.commissions_minor
      FROM insight_earning_days f
     WHERE f.account_id = ${scope.accountId} AND f.day BETWEEN ${scope.from}::date AND ${scope.to}::date
       AND f.day NOT IN (SELECT d.day FROM days d) AND ${within(scope)}
    UNION ALL
    SELECT f.day, f.campaign_id, 0, f.currency, f.conversions, f.customers, f.sales, f.revenue_minor, f.refunds,
           f.refunded_minor, f.commissions, f.commissions_minor
      FROM earning_facts f WHERE ${within(scope)}
  )`

/** By day and campaign, of all affiliates as those of affiliate 0. */
export const factsByDay = (scope: FactScope): Sql =>
  sql`${visitsOfAll(scope)}, ${earningsOfAll(scope)}, ${together}`

/** The first and the last Sunday of the range with totals by affiliate, as the WITH query `weeks`: without a row if there are no two. */
const weeks = ({ accountId, from, to }: FactScope): Sql => sql`
  weeks AS (
    SELECT w.first, w.last
      FROM (SELECT e.first + 7 - extract(isodow FROM e.first)::integer AS first, e.last - extract(isodow FROM e.last)::integer % 7 AS last
              FROM (SELECT ${from}::date - 1 AS first, least(${to}::date, s.totals_until) AS last
                      FROM insight_accounts s JOIN accounts a ON a.id = ${accountId} AND a.time_zone = s.time_zone
                     WHERE s.account_id = ${accountId} AND s.totals_until IS NOT NULL) e) w
     WHERE w.first < w.last
  )`

/** A condition on the day of `f`: it is in the totals, and read from the raw rows. As an array, so that only its rows are looked up. */
const isLiveWithin: Sql = sql`
  f.day = ANY (ARRAY(SELECT d.day FROM days d JOIN weeks w ON d.day > w.first AND d.day <= w.last))`

/** What happened between the two Sundays, the days before and after, and the days that have changed since instead of what is in the totals. */
const totalVisits = (scope: FactScope): Sql => sql`
  visits AS NOT MATERIALIZED (
    WITH ${live(scope, visitsChanged)}, ${visitFacts(scope.accountId)}
    SELECT f.until AS day, f.campaign_id, f.affiliate_id, f.clicks, f.unique_clicks, f.leads
      FROM insight_visit_totals f
     WHERE f.account_id = ${scope.accountId} AND f.until = (SELECT w.last FROM weeks w) AND ${within(scope)}
    UNION ALL
    SELECT f.until, f.campaign_id, f.affiliate_id, -f.clicks, -f.unique_clicks, -f.leads
      FROM insight_visit_totals f
     WHERE f.account_id = ${scope.accountId} AND f.until = (SELECT w.first FROM weeks w) AND ${within(scope)}
    UNION ALL
    SELECT f.day, f.campaign_id, f.affiliate_id, -f.clicks, -f.unique_clicks, -f.leads
      FROM insight_visits f
     WHERE f.account_id = ${scope.accountId} AND ${isLiveWithin} AND ${within(scope)}
    UNION ALL
    SELECT f.day, f.campaign_id, f.affiliate_id, f.clicks, f.unique_clicks, f.leads
      FROM insight_visits f
     WHERE f.account_id = ${scope.accountId} AND f.day >= ${scope.from}::date
       AND f.day <= coalesce((SELECT w.first FROM weeks w), ${scope.to}::date)
       AND f.day NOT IN (SELECT d.day FROM days d) AND ${within(scope)}
    UNION ALL
    SELECT f.day, f.campaign_id, f.affiliate_id, f.clicks, f.unique_clicks, f.leads
      FROM insight_visits f
     WHERE f.account_id = ${scope.accountId} AND f.day > (SELECT w.last FROM weeks w) AND f.day <= ${scope.to}::date
       AND f.day NOT IN (SELECT d.day FROM days d) AND ${within(scope)}
    UNION ALL
    SELECT f.day, f.campaign_id, f.affiliate_id, f.clicks, f.unique_clicks, f.leads FROM visit_facts f WHERE ${within(scope)}
  )`

/** A condition on the currency of `f`: its amounts are worth the same on every day. */
const isSteady = ({ reportingCurrency }: FactScope): Sql =>
  reportingCurrency === null ? sql`true` : sql`f.currency IN (${NO_CURRENCY}, ${reportingCurrency})`

const totalEarnings = (scope: FactScope): Sql => sql`
  earnings AS (
    WITH ${live(scope)}, ${earningFacts(scope.accountId)}, foreign_currencies AS (
      -- Converted by day.
      SELECT DISTINCT f.currency FROM insight_earning_days f
       WHERE f.account_id = ${scope.accountId} AND f.day BETWEEN ${scope.from}::date AND ${scope.to}::date AND NOT (${isSteady(scope)})
    )
    SELECT f.until AS day, f.campaign_id, f.affiliate_id, f.currency, f.conversions, f.customers, f.sales, f.revenue_minor, f.refunds,
           f.refunded_minor, f.commissions, f.commissions_minor
      FROM insight_earning_totals f
     WHERE f.account_id = ${scope.accountId} AND f.until = (SELECT w.last FROM weeks w) AND ${isSteady(scope)} AND ${within(scope)}
    UNION ALL
    SELECT f.until, f.campaign_id, f.affiliate_id, f.currency, -f.conversions, -f.customers, -f.sales, -f.revenue_minor, -f.refunds,
           -f.refunded_minor, -f.commissions, -f.commissions_minor
      FROM insight_earning_totals f
     WHERE f.account_id = ${scope.accountId} AND f.until = (SELECT w.first FROM weeks w) AND ${isSteady(scope)} AND ${within(scope)}
    UNION ALL
    SELECT f.day, f.campaign_id, f.affiliate_id, f.currency, -f.conversions, -f.customers, -f.sales, -f.revenue_minor, -f.refunds,
           -f.refunded_minor, -f.commissions, -f.commissions_minor
      FROM insight_earnings f
     WHERE f.account_id = ${scope.accountId} AND ${isLiveWithin} AND ${isSteady(scope)} AND ${within(scope)}
    UNION ALL
    SELECT f.day, f.campaign_id, f.affiliate_id, f.currency, f.conversions, f.customers, f.sales, f.revenue_minor, f.refunds,
           f.refunded_minor, f.commissions, f.commissions_minor
      FROM insight_earnings f
     WHERE f.account_id = ${scope.accountId} AND f.currency = ANY (ARRAY(SELECT c.currency FROM foreign_currencies c)) AND f.day > (SELECT w.first FROM weeks w)
       AND f.day <= (SELECT w.last FROM weeks w) AND f.day NOT IN (SELECT d.day FROM days d) AND ${within(scope)}
    UNION ALL
    SELECT f.day, f.campaign_id, f.affiliate_id, f.currency, f.conversions, f.customers, f.sales, f.revenue_minor, f.refunds,
           f.refunded_minor, f.commissions, f.commissions_minor
      FROM insight_earnings f
     WHERE f.account_id = ${scope.accountId} AND f.day >= ${scope.from}::date
       AND f.day <= coalesce((SELECT w.first FROM weeks w), ${scope.to}::date)
       AND f.day NOT IN (SELECT d.day FROM days d) AND ${within(scope)}
    UNION ALL
    SELECT f.day, f.campaign_id, f.affiliate_id, f.currency, f.conversions, f.customers, f.sales, f.revenue_minor, f.refunds,
           f.refunded_minor, f.commissions, f.commissions_minor
      FROM insight_earnings f
     WHERE f.account_id = ${scope.accountId} AND f.day > (SELECT w.last FROM weeks w) AND f.day <= ${scope.to}::date
       AND f.day NOT IN (SELECT d.day FROM days d) AND ${within(scope)}
    UNION ALL
    SELECT f.day, f.campaign_id, f.affiliate_id, f.currency, f.conversions, f.customers, f.sales, f.revenue_minor, f.refunds,
           f.refunded_minor, f.commissions, f.commissions_minor
      FROM earning_facts f WHERE ${within(scope)}
  )`

/**
 * By campaign and affiliate, for sums of the whole range. `day` is one on which the amounts have the worth that they have in it; some rows
 * are negative.
 */
export const factsByAffiliate = (scope: FactScope): Sql =>
  sql`${weeks(scope)}, ${totalVisits(scope)}, ${totalEarnings(scope)}, ${together}`

/** What the amounts of a day are worth in the reporting currency, as the WITH query `rates` after `facts`. */
export const rates = ({ reportingCurrency }: FactScope): Sql => sql`
  rates AS MATERIALIZED (
    SELECT u.day, u.currency, ${worthOf(sql`u.currency`, sql`u.day`, reportingCurrency)} AS worth
      FROM (SELECT DISTINCT e.day, e.currency FROM earnings e
             WHERE e.currency <> ${NO_CURRENCY} AND ${reportingCurrency}::text IS NOT NULL) u
  )`
