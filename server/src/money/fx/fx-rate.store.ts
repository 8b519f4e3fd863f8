import type { Db } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'

export interface FxRateRow {
  base: string
  quote: string
  day: string
  rate: string
  source: string
}

/** A published rate is valid for a week, to bridge holidays; a manual one until it is replaced. */
const PUBLISHED_RATE_DAYS = 7

/** The latest rate for the pair, in this direction, on or before the day. */
export function findRate(db: Db, base: string, quote: string, day: string): Promise<FxRateRow | undefined> {
  return db.first(sql`
    SELECT base, quote, day::text AS day, rate::text AS rate, source FROM fx_rates
     WHERE base = ${base} AND quote = ${quote} AND day <= ${day}::date
       AND (source = 'manual' OR day > ${day}::date - ${PUBLISHED_RATE_DAYS}::integer)
     ORDER BY day DESC LIMIT 1`)
}

/** Inserts or replaces rates by day; a fetched rate never replaces a manual one. Existing entries keep the rate they were created with. */
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
