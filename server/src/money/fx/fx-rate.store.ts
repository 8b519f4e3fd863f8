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

const newestRow = (base: Sql, quote: Sql, day: Sql): Sql => sql`
  (SELECT x.* FROM fx_rates x
    WHERE x.base = ${base} AND x.quote = ${quote} AND x.day <= ${day} ORDER BY x.day DESC LIMIT 1)`

/**
 * The rate of a pair on a day: the newest one, direct or inverted. On one day a manual one counts, then the one set last. Its age is checked
 * afterwards: this reads one row each way, and a manual rate isn't valid again once what replaced it is too old.
 */
const pairRate = (from: Sql, to: Sql, day: Sql): Sql => sql`
  SELECT CASE WHEN p.base = ${from} THEN p.rate ELSE ${quotient(sql`1`, sql`p.rate`)} END AS rate, p.day,
         concat_ws(' ', p.source, p.day, p.base || '/' || p.quote, p.rate) AS note
    FROM (SELECT * FROM (${newestRow(from, to, day)} UNION ALL ${newestRow(to, from, day)}) x
           ORDER BY x.day DESC, x.source = 'manual' DESC, x.created_at DESC, x.base LIMIT 1) p
   WHERE p.source = 'manual' OR p.day > ${day} - ${PUBLISHED_RATE_DAYS}::integer`

/**
 * The exchange rate on a day, as an expression: a text array of the exact decimal and its source. That of the pair, or the one through the
 * euro if both of its halves are newer; null if unknown.
 */
export const exchangeRate = (from: Sql, to: Sql, day: Sql): Sql => sql`
  (SELECT ARRAY[trim_scale(round(r.rate, ${DERIVED_SCALE}))::text, r.note]
     FROM (SELECT o.*, true AS is_own FROM (${pairRate(from, to, day)}) o
           UNION ALL
           SELECT ${quotient(sql`t.rate`, sql`f.rate`)}, least(f.day, t.day), f.note || ', ' || t.note, false
             FROM (${pairRate(sql`${PIVOT}`, from, day)}) f CROSS JOIN (${pairRate(sql`${PIVOT}`, to, day)}) t) r
    ORDER BY r.day DESC, r.is_own DESC LIMIT 1)`

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
