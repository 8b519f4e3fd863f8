import type { Db, Tx } from '../db/database.ts'
import { all, type Sql, sql, when } from '../db/sql.ts'
import { worthOf } from '../money/fx/worth.store.ts'
import { byMonth, cohortFacts } from './cohort-rows.store.ts'
import { type Day, oneDay } from './days.store.ts'
import { live } from './live-days.store.ts'

/** Before every day is computed again: what is wrong in a month would stay in it otherwise. */
export async function deleteCohorts(tx: Tx, accountId: number): Promise<void> {
  await tx.many(sql`DELETE FROM insight_cohort_days c WHERE c.account_id = ${accountId}`)
  await tx.many(sql`DELETE FROM insight_cohorts c WHERE c.account_id = ${accountId}`)
}

/** A day that is no longer counted, as the WITH query `changed`. */
const removedDay = (accountId: number, day: string): Sql => sql`
  changed AS (
    DELETE FROM insight_cohort_days c WHERE c.account_id = ${accountId} AND c.day = ${day}::date
    RETURNING c.day, c.first_month, c.campaign_id, c.affiliate_id, c.currency, c.buyers, c.revenue_minor, c.refunded_minor
  )`

/** A day that is counted, as the WITH query `changed` after `cohort_facts`. */
const addedDay = (accountId: number): Sql => sql`
  changed AS (
    INSERT INTO insight_cohort_days AS c (account_id, day, first_month, campaign_id, affiliate_id, currency, buyers, revenue_minor,
                                          refunded_minor)
    SELECT ${accountId}, f.day, f.first_month, f.campaign_id, f.affiliate_id, f.currency, f.buyers, f.revenue_minor, f.refunded_minor
      FROM cohort_facts f
    RETURNING c.day, c.first_month, c.campaign_id, c.affiliate_id, c.currency, c.buyers, c.revenue_minor, c.refunded_minor
  )`

/** Replaces a day, and what its month has of it. */
export async function replaceCohortDay(tx: Tx, accountId: number, day: Day): Promise<void> {
  await tx.many(sql`
    WITH ${removedDay(accountId, day.day)}, ${byMonth}
    UPDATE insight_cohorts t
       SET buyers = t.buyers - m.buyers, revenue_minor = t.revenue_minor - m.revenue_minor,
           refunded_minor = t.refunded_minor - m.refunded_minor
      FROM months m
     WHERE t.account_id = ${accountId} AND t.affiliate_id = m.affiliate_id AND t.first_month = m.first_month AND t.month = m.month
       AND t.campaign_id = m.campaign_id AND t.currency = m.currency`)
  await tx.many(sql`
    WITH ${oneDay(day)}, ${cohortFacts(accountId)}, ${addedDay(accountId)}, ${byMonth}
    INSERT INTO insight_cohorts AS t (account_id, affiliate_id, first_month, month, campaign_id, currency, buyers, revenue_minor, refunded_minor)
    SELECT ${accountId}, m.affiliate_id, m.first_month, m.month, m.campaign_id, m.currency, m.buyers, m.revenue_minor, m.refunded_minor
      FROM months m
    ON CONFLICT (account_id, affiliate_id, first_month, month, campaign_id, currency) DO UPDATE
      SET buyers = t.buyers + excluded.buyers, revenue_minor = t.revenue_minor + excluded.revenue_minor,
          refunded_minor = t.refunded_minor + excluded.refunded_minor`)
}

export interface CohortScope {
  accountId: number
  /** The first day of the oldest cohort's month. */
  from: string
  /** The account's current day. */
  to: string
  campaignId?: number | undefined
  affiliateId?: number | undefined
  reportingCurrency: string | null
}

export interface CohortSum {
  first_month: string
  month: string
  currency: string
  buyers: number
  revenue_minor: number
  refunded_minor: number
  /** Revenue without refunds; exact, in whole units of the reporting currency. Null without one, or without a rate. */
  converted: string | null
}

/**
 * What the customers of each month bought in each month since. Months are read from the roll-up; days that are not in it yet, or have changed
 * since, are read from the raw rows, and what the roll-up has of them is taken off. Amounts are converted at the rate of the month's last
 * day: months, and not days, are what years can be read by.
 */
export function sumCohorts(db: Db, scope: CohortScope): Promise<CohortSum[]> {
  const { accountId, from, to, campaignId, affiliateId, reportingCurrency } = scope
  const of = all(
    sql`f.first_month >= ${from}::date`,
    when(campaignId, id => sql`f.campaign_id = ${id}`),
    when(affiliateId, id => sql`f.affiliate_id = ${id}`),
  )
  return db.many(sql`
    WITH ${live({ accountId, from, to }, { isRolledUp: sql`s.has_cohorts` })}, ${cohortFacts(accountId)}, parts AS (
      SELECT f.first_month, f.month, f.currency, f.buyers, f.revenue_minor, f.refunded_minor
        FROM insight_cohorts f
       WHERE f.account_id = ${accountId} AND f.first_month >= ${from}::date AND f.affiliate_id = ${affiliateId ?? 0}
         AND (${campaignId ?? null}::bigint IS NULL OR f.campaign_id = ${campaignId ?? null}::bigint)
         AND (SELECT account.closed_until FROM account) > '-infinity'
      UNION ALL
      SELECT f.first_month, date_trunc('month', f.day)::date, f.currency, -f.buyers, -f.revenue_minor, -f.refunded_minor
        FROM insight_cohort_days f JOIN days d ON d.day = f.day
       WHERE f.account_id = ${accountId} AND (SELECT account.closed_until FROM account) > '-infinity' AND ${of}
      UNION ALL
      SELECT f.first_month, date_trunc('month', f.day)::date, f.currency, f.buyers, f.revenue_minor, f.refunded_minor
        FROM cohort_facts f WHERE ${of}
    ), sums AS (
      SELECT p.first_month, p.month, p.currency, sum(p.buyers) AS buyers, sum(p.revenue_minor) AS revenue_minor,
             sum(p.refunded_minor) AS refunded_minor
        FROM parts p GROUP BY 1, 2, 3
    ), rates AS (
      SELECT u.month, u.currency,
             ${worthOf(sql`u.currency`, sql`least((u.month + interval '1 month')::date - 1, ${to}::date)`, reportingCurrency)} AS worth
        FROM (SELECT DISTINCT g.month, g.currency FROM sums g) u
    )
    SELECT to_char(g.first_month, 'YYYY-MM') AS first_month, to_char(g.month, 'YYYY-MM') AS month, g.currency, g.buyers::integer AS buyers,
           g.revenue_minor, g.refunded_minor, ((g.revenue_minor - g.refunded_minor) * r.worth)::text AS converted
      FROM sums g JOIN rates r ON r.month = g.month AND r.currency = g.currency
     WHERE g.buyers <> 0 OR g.revenue_minor <> 0 OR g.refunded_minor <> 0
     ORDER BY 1, 2, 3`)
}
