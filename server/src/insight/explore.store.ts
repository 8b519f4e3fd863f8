import type { Db } from '../db/database.ts'
import { sql } from '../db/sql.ts'

export interface RangeRow {
  time_zone: string
  today: string
  from: string
  to: string
  before_from: string
  before_to: string
  reporting_currency: string | null
}

/** The range in the account's days, the last 30 if none is given, and what it is compared with: as many days before it, or a year before. */
export function findRange(
  db: Db,
  accountId: number,
  { from, to, isYear }: { from: string | undefined; to: string | undefined; isYear: boolean },
): Promise<RangeRow | undefined> {
  return db.first(sql`
    WITH at AS (
      SELECT a.time_zone, a.reporting_currency, (now() AT TIME ZONE a.time_zone)::date AS today FROM accounts a WHERE a.id = ${accountId}
    ), chosen AS (
      SELECT at.time_zone, at.reporting_currency, at.today, coalesce(${to ?? null}::date, greatest(at.today, ${from ?? null}::date)) AS last FROM at
    ), span AS (
      SELECT c.time_zone, c.reporting_currency, c.today, coalesce(${from ?? null}::date, c.last - 29) AS first, c.last FROM chosen c
    )
    SELECT s.time_zone, s.reporting_currency, to_char(s.today, 'YYYY-MM-DD') AS today, to_char(s.first, 'YYYY-MM-DD') AS "from",
           to_char(s.last, 'YYYY-MM-DD') AS "to",
           to_char(CASE WHEN ${isYear}::boolean THEN (s.first - interval '1 year')::date ELSE s.first - (s.last - s.first + 1) END,
                   'YYYY-MM-DD') AS before_from,
           to_char(CASE WHEN ${isYear}::boolean THEN (s.last - interval '1 year')::date ELSE s.first - 1 END, 'YYYY-MM-DD') AS before_to
      FROM span s`)
}

interface NamedRow {
  id: number
  name: string
}

export function findCampaignNames(db: Db, accountId: number, ids: number[]): Promise<NamedRow[]> {
  return db.many(sql`
    SELECT c.id, c.name FROM campaigns c WHERE c.account_id = ${accountId} AND c.id = ANY (${ids}::bigint[])`)
}

export function findAffiliateNames(db: Db, accountId: number, ids: number[]): Promise<NamedRow[]> {
  return db.many(sql`
    SELECT a.id, coalesce(a.name, a.email) AS name FROM affiliates a
     WHERE a.account_id = ${accountId} AND a.id = ANY (${ids}::bigint[])`)
}
