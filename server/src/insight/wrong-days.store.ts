import { exploreSources } from '@tributary/contract/dashboard'
import type { Db } from '../db/database.ts'
import { type Sql, sql } from '../db/sql.ts'
import { byMonth, cohortFacts } from './cohort-rows.store.ts'
import { busyDays, type Day, markedDays, markedMoments, NEVER } from './days.store.ts'
import { earningFacts, visitFacts } from './fact-rows.store.ts'
import { FACTS_VERSION } from './insight.store.ts'
import { hasOlderClicks, isYounger } from './kept-clicks.store.ts'
import { findSourcesWithPart } from './open-day.store.ts'
import { type Dimensions, isSome, sourceEarningFacts, sourceVisitFacts } from './source-rows.store.ts'
import { findWrongAmounts, findWrongCounts } from './wrong-sums.store.ts'

interface RolledUp {
  account_id: number
  time_zone: string
}

const MOST_PROBLEMS = 20

/**
 * Accounts whose time zone has changed, or whose days were computed by an earlier definition, are left out: their days are being computed
 * again. So are those whose time zone PostgreSQL doesn't have, which another check names.
 */
const findRolledUp = (db: Db) =>
  db.many<RolledUp>(sql`
    /* every account */ SELECT s.account_id, s.time_zone FROM insight_accounts s
      JOIN accounts a ON a.id = s.account_id AND a.time_zone = s.time_zone
     WHERE s.has_cohorts AND s.facts_version >= ${FACTS_VERSION}
       AND s.time_zone IN (SELECT z.name FROM pg_timezone_names z) ORDER BY s.account_id`)

/** The closed days on which anything happened or was counted. */
const findClosedDays = (db: Db, { account_id: accountId, time_zone: zone }: RolledUp) =>
  db.many<Day>(sql`
    WITH ${busyDays(accountId, { after: NEVER, starts: '-infinity', zone })}
    SELECT to_char(b.day, 'YYYY-MM-DD') AS day, day_start(b.day, ${zone}::text) AS starts, day_start(b.day + 1, ${zone}::text) AS ends
      FROM busy b JOIN insight_accounts s ON s.account_id = ${accountId} AND b.day <= s.closed_until ORDER BY b.day`)

/** What is rolled up of the open day. */
const findOpenPart = (db: Db, { account_id: accountId }: RolledUp) =>
  db.many<Day>(sql`
    SELECT to_char(s.closed_until + 1, 'YYYY-MM-DD') AS day, day_start(s.closed_until + 1, s.time_zone) AS starts, s.open_until AS ends
      FROM insight_accounts s
     WHERE s.account_id = ${accountId} AND s.open_until > day_start(s.closed_until + 1, s.time_zone)
       AND s.open_until <= day_start(s.closed_until + 2, s.time_zone)`)

/** Of some days that are rolled up, those that have not changed since, as the WITH query that the facts are computed for. */
const settledDays = (
  { account_id: accountId, time_zone: zone }: RolledUp,
  days: Day[],
  only: Sql = sql`true`,
): Sql => sql`
  ${markedMoments(accountId)}, ${markedDays(accountId)}, ${settled(accountId, zone, days, only)}`

const settled = (accountId: number, zone: string, days: Day[], only: Sql): Sql => sql`
  days AS MATERIALIZED (
    SELECT d.day, d.starts, d.ends, NULL::timestamptz AS seen_from
      FROM unnest(${days.map(({ day }) => day)}::date[], ${days.map(({ starts }) => starts)}::timestamptz[],
                  ${days.map(({ ends }) => ends)}::timestamptz[]) d (day, starts, ends)
      JOIN insight_accounts s ON s.account_id = ${accountId} AND s.time_zone = ${zone} AND ((s.closed_until >= d.day AND d.ends = day_start(d.day + 1, s.time_zone)) OR (s.open_until = d.ends AND NOT s.open_has_changed))
      JOIN accounts a ON a.id = ${accountId} AND a.time_zone = ${zone}
     WHERE d.day NOT IN (SELECT marked.day FROM marked) AND ${only}
  )`

/** Days that are compared in one statement, which has a row for each click, referral, commission and kind of source. */
const DAYS_AT_ONCE = 7

/** The wrong days that `find` finds, a few at a time until there are enough. */
async function fewAtATime(days: Day[], find: (some: Day[]) => Promise<WrongDay[]>): Promise<WrongDay[]> {
  const wrong: WrongDay[] = []
  for (let at = 0; at < days.length && wrong.length < MOST_PROBLEMS; at += DAYS_AT_ONCE)
    wrong.push(...(await find(days.slice(at, at + DAYS_AT_ONCE))))
  return wrong
}

/** Roll-ups outlive what they counted: days are compared while it is certainly there. */
const DAYS_BEFORE_THEY_GO = 2

interface WrongDay {
  day: string
}

const wrongEarnings = (db: Db, account: RolledUp, days: Day[]) => {
  const accountId = account.account_id
  return db.many<WrongDay>(sql`
    WITH ${settledDays(account, days)}, ${earningFacts(accountId)}, stored AS (
      SELECT e.day, e.campaign_id, e.affiliate_id, e.currency, e.conversions, e.customers, e.sales, e.revenue_minor, e.refunds,
             e.refunded_minor, e.commissions, e.commissions_minor
        FROM insight_earnings e JOIN days d ON d.day = e.day WHERE e.account_id = ${accountId}
    )
    SELECT DISTINCT to_char(w.day, 'YYYY-MM-DD') AS day
      FROM ((TABLE earning_facts EXCEPT TABLE stored) UNION ALL (TABLE stored EXCEPT TABLE earning_facts)) w ORDER BY 1 LIMIT ${MOST_PROBLEMS}`)
}

/** By every dimension. Their sources outlive the clicks. */
const wrongSourceEarnings = (
  db: Db,
  account: RolledUp,
  days: Day[],
  dimensions: Dimensions = exploreSources,
) => {
  const accountId = account.account_id
  return db.many<WrongDay>(sql`
    WITH ${settledDays(account, days)}, ${sourceEarningFacts(accountId, dimensions)}, stored AS (
      SELECT e.day, e.dimension, e.campaign_id, e.value, e.currency, e.conversions, e.customers, e.sales, e.revenue_minor, e.refunds,
             e.refunded_minor, e.commissions, e.commissions_minor
        FROM insight_source_earnings e JOIN days d ON d.day = e.day
       WHERE e.account_id = ${accountId} AND e.dimension = ANY (${[...dimensions]}::text[])
    )
    SELECT DISTINCT to_char(w.day, 'YYYY-MM-DD') AS day
      FROM ((TABLE source_earning_facts EXCEPT TABLE stored) UNION ALL (TABLE stored EXCEPT TABLE source_earning_facts)) w
     ORDER BY 1 LIMIT ${MOST_PROBLEMS}`)
}

/** The days of cohorts, as the WITH queries `changed`, all of them, and `stored`, those that are compared. */
const storedCohorts = (accountId: number): Sql => sql`
  changed AS (
    SELECT c.day, c.first_month, c.campaign_id, c.affiliate_id, c.currency, c.buyers, c.revenue_minor, c.refunded_minor
      FROM insight_cohort_days c WHERE c.account_id = ${accountId}
  ), stored AS (SELECT c.* FROM changed c JOIN days d ON d.day = c.day)`

/** Days that differ from the sales they count, and months that are not the sum of their days. */
const wrongCohorts = (db: Db, account: RolledUp, days: Day[]) => {
  const accountId = account.account_id
  return db.many<WrongDay>(sql`
    WITH ${settledDays(account, days)}, ${cohortFacts(accountId)}, ${storedCohorts(accountId)}, ${byMonth}, counted AS (
      SELECT t.affiliate_id, t.first_month, t.month, t.campaign_id, t.currency, t.buyers, t.revenue_minor, t.refunded_minor
        FROM insight_cohorts t
       WHERE t.account_id = ${accountId} AND (t.buyers <> 0 OR t.revenue_minor <> 0 OR t.refunded_minor <> 0)
    )
    SELECT DISTINCT to_char(w.day, 'YYYY-MM-DD') AS day
      FROM (SELECT a.day FROM (TABLE cohort_facts EXCEPT TABLE stored) a
            UNION ALL
            SELECT b.day FROM (TABLE stored EXCEPT TABLE cohort_facts) b
            UNION ALL
            SELECT m.month FROM ((TABLE months EXCEPT TABLE counted) UNION ALL (TABLE counted EXCEPT TABLE months)) m
             WHERE m.buyers <> 0 OR m.revenue_minor <> 0 OR m.refunded_minor <> 0) w
     ORDER BY 1 LIMIT ${MOST_PROBLEMS}`)
}

/** The day of the oldest click: of earlier ones, and of a part of this one, clicks were dropped by a shorter retention. */
const findFirstDayOfClicks = async (db: Db, { account_id: accountId, time_zone: zone }: RolledUp) => {
  const row = await db.first<{ day: string | null }>(sql`
    SELECT to_char(min(k.created_at) AT TIME ZONE ${zone}::text, 'YYYY-MM-DD') AS day FROM clicks k WHERE k.account_id = ${accountId}`)
  return row?.day
}

/** The days whose clicks and leads are all there, as `settledDays`. */
const comparableDays = (account: RolledUp, days: Day[], retentionDays: number): Sql =>
  settledDays(
    account,
    days,
    sql`${isYounger(retentionDays, DAYS_BEFORE_THEY_GO)} AND ${hasOlderClicks(account.account_id)}`,
  )

const wrongVisits = (db: Db, account: RolledUp, days: Day[], retentionDays: number) => {
  const accountId = account.account_id
  return db.many<WrongDay>(sql`
    WITH ${comparableDays(account, days, retentionDays)}, ${visitFacts(accountId)}, stored AS (
      SELECT v.day, v.campaign_id, v.affiliate_id, v.clicks, v.unique_clicks, v.leads
        FROM insight_visits v JOIN days d ON d.day = v.day WHERE v.account_id = ${accountId}
    )
    SELECT DISTINCT to_char(w.day, 'YYYY-MM-DD') AS day
      FROM ((TABLE visit_facts EXCEPT TABLE stored) UNION ALL (TABLE stored EXCEPT TABLE visit_facts)) w ORDER BY 1 LIMIT ${MOST_PROBLEMS}`)
}

/** By every dimension. */
const wrongSourceVisits = (
  db: Db,
  account: RolledUp,
  days: Day[],
  retentionDays: number,
  dimensions: Dimensions = exploreSources,
) => {
  const accountId = account.account_id
  return db.many<WrongDay>(sql`
    WITH ${comparableDays(account, days, retentionDays)}, ${sourceVisitFacts(accountId, dimensions)}, stored AS (
      SELECT x.day, x.dimension, x.campaign_id, x.value, x.clicks, x.unique_clicks, x.leads
        FROM insight_sources x JOIN days d ON d.day = x.day
       WHERE x.account_id = ${accountId} AND x.dimension = ANY (${[...dimensions]}::text[])
    )
    SELECT DISTINCT to_char(w.day, 'YYYY-MM-DD') AS day
      FROM ((TABLE source_visit_facts EXCEPT TABLE stored) UNION ALL (TABLE stored EXCEPT TABLE source_visit_facts)) w
     ORDER BY 1 LIMIT ${MOST_PROBLEMS}`)
}

/** What is rolled up of the open day, and by every kind of source that has a part. */
async function wrongOpenPart(db: Db, account: RolledUp, retentionDays: number): Promise<WrongDay[]> {
  const [part] = await findOpenPart(db, account)
  if (!part) return []
  const dimensions = await findSourcesWithPart(db, account.account_id, part.day)
  const bySource = isSome(dimensions)
    ? [
        ...(await wrongSourceEarnings(db, account, [part], dimensions)),
        ...(await wrongSourceVisits(db, account, [part], retentionDays, dimensions)),
      ]
    : []
  return [
    ...(await wrongEarnings(db, account, [part])),
    ...(await wrongVisits(db, account, [part], retentionDays)),
    ...bySource,
  ]
}

/** Compares the roll-ups with the raw rows that they were computed from. Returns the problems, one line each. */
export async function findWrongDays(db: Db, retentionDays: number): Promise<string[]> {
  const problems: string[] = []
  for (const account of await findRolledUp(db)) {
    const closed = await findClosedDays(db, account)
    const firstOfClicks = await findFirstDayOfClicks(db, account)
    const withClicks = closed.filter(({ day }) => firstOfClicks && day > firstOfClicks)
    const days = new Set(
      [
        ...(await fewAtATime(closed, some => wrongEarnings(db, account, some))),
        ...(await fewAtATime(closed, some => wrongSourceEarnings(db, account, some))),
        ...(await wrongCohorts(db, account, closed)),
        ...(await fewAtATime(withClicks, some => wrongVisits(db, account, some, retentionDays))),
        ...(await fewAtATime(withClicks, some => wrongSourceVisits(db, account, some, retentionDays))),
        ...(await wrongOpenPart(db, account, retentionDays)),
        ...(await findWrongCounts(db, account.account_id, MOST_PROBLEMS)),
        ...(await findWrongAmounts(db, account.account_id, MOST_PROBLEMS)),
      ].map(({ day }) => day),
    )
    for (const day of days)
      problems.push(
        `the roll-up of ${day} of account ${account.account_id} differs from its rows; run tributary insight rebuild`,
      )
    if (problems.length >= MOST_PROBLEMS) break
  }
  return problems
}
