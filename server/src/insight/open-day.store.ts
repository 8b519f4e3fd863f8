import { type ExploreSource, exploreSources } from '@tributary/contract/dashboard'
import type { Db, Tx } from '../db/database.ts'
import { type Sql, sql } from '../db/sql.ts'
import { type Day, oneDay } from './days.store.ts'
import { bounded, earningFacts, visitFacts } from './fact-rows.store.ts'
import { FACTS_VERSION } from './insight.store.ts'
import { hasPart } from './source-rows.store.ts'
import { knownZone, withKnownZones } from './unknown-zones.store.ts'

/*
 * The day after the last closed one, which is rolled up in part: its stored facts count what happened until `open_until`, at least an hour ago.
 * What changes before that leaves a mark, and once the mark is taken, the part is counted again (migration 0210).
 */

/**
 * The part grows once the rest of the day is as long as this, and longer than this share of the part: each time, the clicks of the whole
 * part are looked through. One that isn't read, because it has changed, doesn't wait for its share.
 */
const STEP_MINUTES = 60
const STEP_SHARE = 1 / 5
/** How much is expected of an account is what the busiest of this many days had. */
const LATELY_DAYS = 7

/** Its rows were computed by the current definition and in the current time zone. */
const isCurrent: Sql = sql`s.has_cohorts AND s.facts_version >= ${FACTS_VERSION}`

/** Accounts whose open day is due to be rolled up further, since its rest may have `stepFacts`, after the given one; or one account, if it is. */
export async function findOpenAccounts(
  db: Db,
  {
    after = 0,
    accountId,
    stepFacts,
    limit,
  }: { after?: number; accountId?: number; stepFacts: number; limit: number },
): Promise<number[]> {
  const rows = await withKnownZones(db, unknownZones =>
    db.many<{ id: number }>(sql`
    /* every account */
    SELECT s.account_id AS id
      FROM insight_accounts s JOIN accounts a ON a.id = s.account_id AND a.time_zone = s.time_zone
     CROSS JOIN LATERAL (
       -- The busiest day lately.
       SELECT max(t.facts) AS facts
         FROM (SELECT sum(u.facts) AS facts
                 FROM (SELECT d.day, d.clicks AS facts FROM insight_visit_days d
                        WHERE d.account_id = s.account_id AND d.day > s.closed_until - ${LATELY_DAYS}::integer AND d.day <= s.closed_until
                       UNION ALL
                       SELECT d.day, d.conversions + d.sales + d.commissions FROM insight_earning_days d
                        WHERE d.account_id = s.account_id AND d.day > s.closed_until - ${LATELY_DAYS}::integer AND d.day <= s.closed_until) u
                GROUP BY u.day) t) b
     CROSS JOIN LATERAL (
       SELECT coalesce(s.open_until, o.starts) AS until, coalesce(s.open_until, o.starts) - o.starts AS length
         FROM (SELECT day_start(s.closed_until + 1, ${knownZone(sql`s.time_zone`, unknownZones)}) AS starts) o) p
     WHERE s.account_id > ${after} AND ${isCurrent} AND b.facts > 0
       AND now() - interval '1 hour' - p.until
           > greatest(make_interval(mins => ${STEP_MINUTES}),
                      CASE WHEN s.open_until IS NULL OR NOT s.open_has_changed
                           THEN greatest(interval '24 hours' * (${stepFacts}::double precision / b.facts::double precision),
                                         p.length * ${STEP_SHARE}::double precision) END)
       AND (${accountId ?? null}::bigint IS NULL OR s.account_id = ${accountId ?? null})
     ORDER BY s.account_id LIMIT ${limit}`),
  )
  return rows.map(({ id }) => id)
}

export interface OpenDay {
  day: string
  starts: string
  ends: string
  /** Up to where the stored facts count; null if they have to be counted from the day's start. */
  counted_until: string | null
  /** An hour ago, or the day's end. */
  until: string
  /** Whether there is more to count, and the days before are closed. */
  is_due: boolean
}

/** The first day of an account that is not closed, an hour before `at`. Undefined if the days before it have to be computed again. */
export function findOpenDay(tx: Tx, accountId: number, at: string): Promise<OpenDay | undefined> {
  return tx.first(sql`
    SELECT to_char(o.day, 'YYYY-MM-DD') AS day, o.starts, o.ends, p.counted_until, p.until,
           p.until > coalesce(p.counted_until, o.starts) AND o.ends > ${at}::timestamptz - interval '1 day' AS is_due
      FROM insight_accounts s JOIN accounts a ON a.id = ${accountId} AND a.time_zone = s.time_zone
     CROSS JOIN LATERAL (
       SELECT s.closed_until + 1 AS day, day_start(s.closed_until + 1, s.time_zone) AS starts, day_start(s.closed_until + 2, s.time_zone) AS ends) o
     CROSS JOIN LATERAL (
       SELECT CASE WHEN s.open_until > o.starts AND s.open_until <= o.ends AND NOT s.open_has_changed THEN s.open_until END AS counted_until,
              least(${at}::timestamptz - interval '1 hour', o.ends) AS until) p
     WHERE s.account_id = ${accountId} AND ${isCurrent}`)
}

export async function saveOpenUntil(tx: Tx, accountId: number, until: string): Promise<void> {
  await tx.many(sql`
    UPDATE insight_accounts s SET open_until = ${until}::timestamptz, open_has_changed = false WHERE s.account_id = ${accountId}`)
}

/** Adds the rest of a day to what is stored of it. */
export async function addEarnings(tx: Tx, accountId: number, rest: Day): Promise<void> {
  await tx.many(sql`
    WITH ${oneDay(rest)}, ${earningFacts(accountId)}
    INSERT INTO insight_earnings AS e (account_id, day, campaign_id, affiliate_id, currency, conversions, customers, sales, revenue_minor,
                                       refunds, refunded_minor, commissions, commissions_minor)
    SELECT ${accountId}, f.day, f.campaign_id, f.affiliate_id, f.currency, f.conversions, f.customers, f.sales, f.revenue_minor, f.refunds,
           f.refunded_minor, f.commissions, f.commissions_minor
      FROM earning_facts f ORDER BY f.campaign_id, f.affiliate_id, f.currency
    ON CONFLICT (account_id, day, campaign_id, affiliate_id, currency) DO UPDATE
      SET conversions = e.conversions + excluded.conversions, customers = e.customers + excluded.customers, sales = e.sales + excluded.sales,
          revenue_minor = ${bounded(sql`e.revenue_minor::numeric + excluded.revenue_minor`)}, refunds = e.refunds + excluded.refunds,
          refunded_minor = ${bounded(sql`e.refunded_minor::numeric + excluded.refunded_minor`)},
          commissions = e.commissions + excluded.commissions,
          commissions_minor = ${bounded(sql`e.commissions_minor::numeric + excluded.commissions_minor`)}`)
}

/** The same for clicks and leads: visitors that are stored already are not unique again. */
export async function addVisits(tx: Tx, accountId: number, rest: Day): Promise<void> {
  await tx.many(sql`
    WITH ${oneDay(rest)}, ${visitFacts(accountId)}
    INSERT INTO insight_visits AS v (account_id, day, campaign_id, affiliate_id, clicks, unique_clicks, leads)
    SELECT ${accountId}, f.day, f.campaign_id, f.affiliate_id, f.clicks, f.unique_clicks, f.leads
      FROM visit_facts f ORDER BY f.campaign_id, f.affiliate_id
    ON CONFLICT (account_id, day, campaign_id, affiliate_id) DO UPDATE
      SET clicks = v.clicks + excluded.clicks, unique_clicks = v.unique_clicks + excluded.unique_clicks, leads = v.leads + excluded.leads`)
}

/** The kinds of sources whose part of the day can be added to. */
export async function findSourcesWithPart(db: Db, accountId: number, day: string): Promise<ExploreSource[]> {
  const rows = await db.many<{ dimension: ExploreSource }>(sql`
    SELECT u.dimension FROM unnest(${[...exploreSources]}::text[]) u (dimension)
     WHERE ${hasPart(accountId, sql`u.dimension`, sql`${day}::date`)} ORDER BY u.dimension`)
  return rows.map(({ dimension }) => dimension)
}
