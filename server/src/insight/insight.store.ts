import { exploreSources } from '@tributary/contract/dashboard'
import type { Db, Tx } from '../db/database.ts'
import { type Sql, sql } from '../db/sql.ts'
import { type Day, NEVER, oneDay } from './days.store.ts'
import { earningFacts, visitFacts } from './fact-rows.store.ts'
import { type Dimensions, sourceEarningFacts, sourceVisitFacts } from './source-rows.store.ts'
import { knownZone, withKnownZones } from './unknown-zones.store.ts'

export interface InsightState {
  /** The zone that the days were rolled up in. */
  rolled_zone: string
  closed_until: string
  time_zone: string
  /** Whether the closed days have been marked since cohorts are rolled up. */
  has_cohorts: boolean
  /** The definition that the closed days were computed by. */
  facts_version: number
  /** Whether any day has totals by affiliate. */
  has_totals: boolean
}

/**
 * Raised with what is counted, so that days that are closed already are computed again: 1 since clicks are counted by link, 2 since money
 * is counted by source, 3 since the sources with most clicks are kept, commissions that
 * were given back count, and a sale of 0 is no customer's first.
 */
export const FACTS_VERSION = 3

export async function addState(tx: Tx, accountId: number): Promise<void> {
  await tx.many(sql`
    INSERT INTO insight_accounts (account_id, time_zone, closed_until, has_cohorts, facts_version)
    SELECT a.id, a.time_zone, ${NEVER}::date, true, ${FACTS_VERSION} FROM accounts a WHERE a.id = ${accountId} ON CONFLICT DO NOTHING`)
}

/** Locks the account's roll-ups until the transaction ends; false if another process is at work on them and `waits` is not set. */
export async function lockState(tx: Tx, accountId: number, { waits }: { waits: boolean }): Promise<boolean> {
  const row = await tx.first(
    waits
      ? sql`SELECT 1 FROM insight_accounts s WHERE s.account_id = ${accountId} FOR UPDATE`
      : sql`SELECT 1 FROM insight_accounts s WHERE s.account_id = ${accountId} FOR UPDATE SKIP LOCKED`,
  )
  return row !== undefined
}

export async function findState(tx: Tx, accountId: number): Promise<InsightState | undefined> {
  return tx.first(sql`
    SELECT s.time_zone AS rolled_zone, to_char(s.closed_until, 'YYYY-MM-DD') AS closed_until, a.time_zone, s.has_cohorts, s.facts_version,
           EXISTS (SELECT 1 FROM insight_total_days d WHERE d.account_id = ${accountId}) AS has_totals
      FROM insight_accounts s JOIN accounts a ON a.id = ${accountId} WHERE s.account_id = ${accountId}`)
}

export interface DueAccount {
  id: number
  closes: boolean
}

/**
 * Accounts with a day to close or to compute again, or with totals to add, after the given one. One in an unknown zone is due, so that it
 * is reported as failed.
 */
export function findDueAccounts(db: Db, after: number, limit: number): Promise<DueAccount[]> {
  return withKnownZones(db, unknownZones =>
    db.many(sql`
    /* every account */
    SELECT d.id, d.closes FROM (
      SELECT a.id, s.account_id IS NULL OR s.time_zone <> a.time_zone OR NOT s.has_cohorts OR s.facts_version < ${FACTS_VERSION}
             OR (s.closed_until < ((now() - interval '1 hour') AT TIME ZONE ${knownZone(sql`a.time_zone`, unknownZones)})::date - 1) IS NOT FALSE AS closes,
             s.closed_until > (SELECT max(t.until) FROM insight_total_days t WHERE t.account_id = a.id) IS NOT FALSE AS totals
        FROM accounts a LEFT JOIN insight_accounts s ON s.account_id = a.id WHERE a.id > ${after}) d
     WHERE d.closes OR d.totals OR EXISTS (SELECT 1 FROM insight_marks m WHERE m.account_id = d.id)
     ORDER BY d.id LIMIT ${limit}`),
  )
}

export async function saveState(
  tx: Tx,
  accountId: number,
  { closedUntil, zone }: { closedUntil: string; zone: string },
): Promise<void> {
  await tx.many(sql`
    UPDATE insight_accounts s
       SET closed_until = ${closedUntil}::date, time_zone = ${zone}, has_cohorts = true, facts_version = ${FACTS_VERSION}
     WHERE s.account_id = ${accountId}`)
}

/** What is stored of days that aren't closed: of a part of one, or of what was closed in another time zone. */
export async function deleteDaysAfter(tx: Tx, accountId: number, day: string): Promise<void> {
  await tx.many(
    sql`DELETE FROM insight_earnings e WHERE e.account_id = ${accountId} AND e.day > ${day}::date`,
  )
  await tx.many(sql`DELETE FROM insight_visits v WHERE v.account_id = ${accountId} AND v.day > ${day}::date`)
  await tx.many(
    sql`DELETE FROM insight_sources s WHERE s.account_id = ${accountId} AND s.dimension = ANY (${[...exploreSources]}::text[]) AND s.day > ${day}::date`,
  )
  await tx.many(
    sql`DELETE FROM insight_source_earnings s WHERE s.account_id = ${accountId} AND s.dimension = ANY (${[...exploreSources]}::text[]) AND s.day > ${day}::date`,
  )
}

/** What is stored of a day. */
export interface Stored {
  visits: boolean
  earnings: boolean
}

/** A day is closed once, so most often nothing is, and to plan what would be deleted takes as long as all else. */
export async function findStored(tx: Tx, accountId: number, day: Day): Promise<Stored> {
  const row = await tx.first<Stored>(sql`
    SELECT EXISTS (SELECT 1 FROM insight_visits v WHERE v.account_id = ${accountId} AND v.day = ${day.day}::date) AS visits,
           EXISTS (SELECT 1 FROM insight_earnings e WHERE e.account_id = ${accountId} AND e.day = ${day.day}::date) AS earnings`)
  return row as Stored
}

/*
 * Only the rows that differ are written: a day of the past is in every total since. They are deleted first and inserted in order, which takes
 * a third less than to look for a conflict with each. What is compared is materialized: without statistics, the planner could otherwise sum
 * it up again for each row that is stored.
 */

const earned: Sql = sql`
  f.campaign_id, f.affiliate_id, f.currency, f.conversions, f.customers, f.sales, f.revenue_minor, f.refunds, f.refunded_minor, f.commissions,
  f.commissions_minor`

export async function replaceEarnings(tx: Tx, accountId: number, day: Day, stored: Stored): Promise<void> {
  if (stored.earnings)
    await tx.many(sql`
    WITH ${oneDay(day)}, ${earningFacts(accountId)}, current AS MATERIALIZED (SELECT ${earned} FROM earning_facts f)
    DELETE FROM insight_earnings e
     WHERE e.account_id = ${accountId} AND e.day = ${day.day}::date
       AND NOT EXISTS (
         SELECT 1 FROM current f
          WHERE (${earned}) = (e.campaign_id, e.affiliate_id, e.currency, e.conversions, e.customers, e.sales, e.revenue_minor, e.refunds,
                               e.refunded_minor, e.commissions, e.commissions_minor))`)
  await tx.many(sql`
    WITH ${oneDay(day)}, ${earningFacts(accountId)}
    INSERT INTO insight_earnings (account_id, day, campaign_id, affiliate_id, currency, conversions, customers, sales, revenue_minor, refunds,
                                  refunded_minor, commissions, commissions_minor)
    SELECT ${accountId}, f.day, ${earned}
      FROM earning_facts f
     WHERE NOT EXISTS (SELECT 1 FROM insight_earnings e
                        WHERE e.account_id = ${accountId} AND e.day = ${day.day}::date AND e.campaign_id = f.campaign_id
                          AND e.affiliate_id = f.affiliate_id AND e.currency = f.currency)
     ORDER BY f.campaign_id, f.affiliate_id, f.currency`)
}

export async function replaceVisits(tx: Tx, accountId: number, day: Day, stored: Stored): Promise<void> {
  if (stored.visits)
    await tx.many(sql`
    WITH ${oneDay(day)}, ${visitFacts(accountId)}, current AS MATERIALIZED (
      SELECT f.campaign_id, f.affiliate_id, f.clicks, f.unique_clicks, f.leads FROM visit_facts f)
    DELETE FROM insight_visits v
     WHERE v.account_id = ${accountId} AND v.day = ${day.day}::date
       AND NOT EXISTS (
         SELECT 1 FROM current f
          WHERE (f.campaign_id, f.affiliate_id, f.clicks, f.unique_clicks, f.leads)
                = (v.campaign_id, v.affiliate_id, v.clicks, v.unique_clicks, v.leads))`)
  await tx.many(sql`
    WITH ${oneDay(day)}, ${visitFacts(accountId)}
    INSERT INTO insight_visits (account_id, day, campaign_id, affiliate_id, clicks, unique_clicks, leads)
    SELECT ${accountId}, f.day, f.campaign_id, f.affiliate_id, f.clicks, f.unique_clicks, f.leads
      FROM visit_facts f
     WHERE NOT EXISTS (SELECT 1 FROM insight_visits v
                        WHERE v.account_id = ${accountId} AND v.day = ${day.day}::date AND v.campaign_id = f.campaign_id
                          AND v.affiliate_id = f.affiliate_id)
     ORDER BY f.campaign_id, f.affiliate_id`)
}

/** Stores a day by source, or its rest, whose facts are added up with what is stored already. */
export async function addSourceVisits(
  tx: Tx,
  accountId: number,
  day: Day,
  dimensions: Dimensions,
): Promise<void> {
  await tx.many(sql`
    WITH ${oneDay(day)}, ${sourceVisitFacts(accountId, dimensions)}
    INSERT INTO insight_sources AS s (account_id, day, dimension, campaign_id, value, clicks, unique_clicks, leads)
    SELECT ${accountId}, f.day, f.dimension, f.campaign_id, f.value, f.clicks, f.unique_clicks, f.leads
      FROM source_visit_facts f
    ON CONFLICT (account_id, dimension, day, campaign_id, value) DO UPDATE
      SET clicks = excluded.clicks, unique_clicks = excluded.unique_clicks, leads = excluded.leads
      WHERE (s.clicks, s.unique_clicks, s.leads) <> (excluded.clicks, excluded.unique_clicks, excluded.leads)`)
}

export async function addSourceEarnings(
  tx: Tx,
  accountId: number,
  day: Day,
  dimensions: Dimensions,
): Promise<void> {
  await tx.many(sql`
    WITH ${oneDay(day)}, ${sourceEarningFacts(accountId, dimensions)}
    INSERT INTO insight_source_earnings AS s (account_id, day, dimension, campaign_id, value, currency, conversions, customers, sales,
                                              revenue_minor, refunds, refunded_minor, commissions, commissions_minor)
    SELECT ${accountId}, f.day, f.dimension, f.campaign_id, f.value, f.currency, f.conversions, f.customers, f.sales, f.revenue_minor,
           f.refunds, f.refunded_minor, f.commissions, f.commissions_minor
      FROM source_earning_facts f
    ON CONFLICT (account_id, dimension, day, campaign_id, value, currency) DO UPDATE
      SET conversions = excluded.conversions, customers = excluded.customers, sales = excluded.sales, revenue_minor = excluded.revenue_minor,
          refunds = excluded.refunds, refunded_minor = excluded.refunded_minor, commissions = excluded.commissions,
          commissions_minor = excluded.commissions_minor
      WHERE (s.conversions, s.customers, s.sales, s.revenue_minor, s.refunds, s.refunded_minor, s.commissions, s.commissions_minor)
            <> (excluded.conversions, excluded.customers, excluded.sales, excluded.revenue_minor, excluded.refunds, excluded.refunded_minor,
                excluded.commissions, excluded.commissions_minor)`)
}

export async function replaceSourceVisits(
  tx: Tx,
  accountId: number,
  day: Day,
  dimensions: Dimensions = exploreSources,
): Promise<void> {
  await tx.many(
    sql`DELETE FROM insight_sources s WHERE s.account_id = ${accountId} AND s.dimension = ANY (${[...dimensions]}::text[]) AND s.day = ${day.day}::date`,
  )
  await addSourceVisits(tx, accountId, day, dimensions)
}

export async function replaceSourceEarnings(
  tx: Tx,
  accountId: number,
  day: Day,
  dimensions: Dimensions = exploreSources,
): Promise<void> {
  await tx.many(
    sql`DELETE FROM insight_source_earnings s WHERE s.account_id = ${accountId} AND s.dimension = ANY (${[...dimensions]}::text[]) AND s.day = ${day.day}::date`,
  )
  await addSourceEarnings(tx, accountId, day, dimensions)
}
