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

/** A SQL condition on a rate `x`. */
const isValidOn = (day: Sql): Sql =>
  sql`x.day <= ${day} AND (x.source = 'manual' OR x.day > ${day} - ${PUBLISHED_RATE_DAYS}::integer)`

/** What a rate `x` is. */
const note: Sql = sql`concat_ws(' ', x.source, x.day, x.base || '/' || x.quote, x.rate)`

/** A decimal without superfluous zeros. The dividend's scale decides how exact a quotient is before it is rounded. */
const quotient = (dividend: Sql, divisor: Sql): Sql =>
  sql`trim_scale(round(${dividend}::numeric(60, 40) / ${divisor}, ${DERIVED_SCALE}))::text`

/**
 * The exchange rate on a day, as an expression: a text array of the exact decimal and its source. Direct, inverted, or through the euro; null
 * if unknown.
 */
export const exchangeRate = (from: Sql, to: Sql, day: Sql): Sql => sql`
  coalesce(
    (SELECT ARRAY[trim_scale(x.rate)::text, ${note}] FROM fx_rates x
      WHERE x.base = ${from} AND x.quote = ${to} AND ${isValidOn(day)} ORDER BY x.day DESC LIMIT 1),
    (SELECT ARRAY[${quotient(sql`1`, sql`x.rate`)}, ${note}] FROM fx_rates x
      WHERE x.base = ${to} AND x.quote = ${from} AND ${isValidOn(day)} ORDER BY x.day DESC LIMIT 1),
    (SELECT ARRAY[${quotient(sql`t.rate`, sql`f.rate`)}, f.note || ', ' || t.note]
       FROM (SELECT x.rate, ${note} AS note FROM fx_rates x
              WHERE x.base = ${PIVOT} AND x.quote = ${from} AND ${isValidOn(day)} ORDER BY x.day DESC LIMIT 1) f
      CROSS JOIN (SELECT x.rate, ${note} AS note FROM fx_rates x
                   WHERE x.base = ${PIVOT} AND x.quote = ${to} AND ${isValidOn(day)} ORDER BY x.day DESC LIMIT 1) t))`

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
