import type { Db } from '../../db/database.ts'
import { type Sql, sql } from '../../db/sql.ts'

export interface FxRateRow {
  base: string
  quote: string
  day: string
  rate: string
  source: string
}

/**
 * A published rate is valid for a week, to bridge holidays; a manual one until a newer one of its pair is set or published. There is no
 * way to remove a manual rate, so it must not outrank newer published ones forever.
 */
const PUBLISHED_RATE_DAYS = 7

/** Enough decimals to convert the largest safe integer exactly to the unit. */
const DERIVED_SCALE = 20
/** Published rates are against the euro; two of them make any other pair. */
const PIVOT = 'EUR'

/** The dividend's scale decides how exact it is before it is rounded. */
const quotient = (dividend: Sql, divisor: Sql): Sql =>
  sql`round(${dividend}, ${2 * DERIVED_SCALE}) / ${divisor}`

/**
 * The exchange rate on a day, as an expression: a text array of the exact decimal and its source; null if unknown. A pair has the newest rate
 * of both directions, on one day a manual one, then the direct one; its age is checked afterwards, so a manual rate isn't valid again once
 * what replaced it is too old. Through the euro counts if both of its halves are newer. Each pair reads one row each way.
 */
export const exchangeRate = (from: Sql, to: Sql, day: Sql): Sql => sql`
  (WITH pairs AS (
     SELECT p.which, CASE WHEN n.base = p.base THEN n.rate ELSE ${quotient(sql`1`, sql`n.rate`)} END AS rate, n.day,
            concat_ws(' ', n.source, n.day, n.base || '/' || n.quote, n.rate) AS note
       FROM (VALUES ('own', ${from}, ${to}), ('from', ${PIVOT}::text, ${from}), ('to', ${PIVOT}::text, ${to})) p (which, base, quote)
       CROSS JOIN LATERAL (
         SELECT e.* FROM (
           (SELECT x.* FROM fx_rates x
             WHERE x.base = p.base AND x.quote = p.quote AND x.day <= ${day} ORDER BY x.day DESC LIMIT 1)
           UNION ALL
           (SELECT x.* FROM fx_rates x
             WHERE x.base = p.quote AND x.quote = p.base AND x.day <= ${day} ORDER BY x.day DESC LIMIT 1)) e
          ORDER BY e.day DESC, e.source = 'manual' DESC, e.base = p.base DESC LIMIT 1) n
      WHERE n.source = 'manual' OR n.day > ${day} - ${PUBLISHED_RATE_DAYS}::integer
   ), found AS (
     SELECT o.rate, o.day, o.note, true AS is_own FROM pairs o WHERE o.which = 'own'
     UNION ALL
     SELECT ${quotient(sql`t.rate`, sql`f.rate`)}, least(f.day, t.day), f.note || ', ' || t.note, false
       FROM pairs f JOIN pairs t ON t.which = 'to' WHERE f.which = 'from'
   )
   SELECT ARRAY[trim_scale(round(r.rate, ${DERIVED_SCALE}))::text, r.note] FROM found r ORDER BY r.day DESC, r.is_own DESC LIMIT 1)`

export interface FoundRate {
  /** An exact decimal. */
  rate: string | null
  source: string | null
}

export function findRate(db: Db, from: string, to: string, day: string): Promise<FoundRate | undefined> {
  return db.first(sql`
    SELECT x.found[1] AS rate, x.found[2] AS source
      FROM (SELECT ${exchangeRate(sql`${from}::text`, sql`${to}::text`, sql`${day}::date`)} AS found) x`)
}

/** Inserts or replaces rates by day; a fetched rate never replaces a manual one of its day. Existing entries keep the rate they were created with. */
export async function upsertRates(db: Db, rates: FxRateRow[]): Promise<void> {
  await db.many(sql`
    INSERT INTO fx_rates (base, quote, day, rate, source)
    SELECT * FROM unnest(${rates.map(rate => rate.base)}::text[], ${rates.map(rate => rate.quote)}::text[],
                         ${rates.map(rate => rate.day)}::date[], ${rates.map(rate => rate.rate)}::numeric[],
                         ${rates.map(rate => rate.source)}::text[])
    ON CONFLICT (base, quote, day) DO UPDATE SET rate = excluded.rate, source = excluded.source, created_at = now()
      WHERE fx_rates.source <> 'manual' OR excluded.source = 'manual'`)
}

/** The latest rate of each pair. */
export function newestRates(db: Db): Promise<FxRateRow[]> {
  return db.many(sql`
    SELECT DISTINCT ON (base, quote) base, quote, day::text AS day, rate::text AS rate, source
      FROM fx_rates ORDER BY base, quote, day DESC LIMIT 500`)
}
