import type { Db } from '../../db/database.ts'
import { isCurrency, parseDecimal } from '../../kit/money.ts'
import { type FxRateRow, upsertRates } from './fx-rate.store.ts'

const TIMEOUT_MS = 30_000
const MAX_FILE_BYTES = 4 * 1024 * 1024

/**
 * Parses the European Central Bank's daily file: <Cube time='2026-01-30'> around <Cube currency='USD' rate='1.0853'/>. The format has not
 * changed since 1999 and uses no other XML features, so a pattern is enough; a file without a match is an error.
 */
export function parseEcbRates(xml: string): FxRateRow[] {
  const rates: FxRateRow[] = []
  let day: string | undefined
  for (const [, time, currency, rate] of xml.matchAll(
    /<Cube\s+(?:time=["'](\d{4}-\d{2}-\d{2})["']|currency=["']([A-Z]{3})["']\s+rate=["']([\d.]+)["'])/g,
  )) {
    if (time) day = time
    else if (day && currency && rate && isCurrency(currency) && parseDecimal(rate)?.digits)
      rates.push({ base: 'EUR', quote: currency, day, rate, source: 'ecb' })
  }
  if (rates.length === 0) throw new Error('The exchange rate file has no rates in the ECB format.')
  return rates
}

/** Fetches exchange rates from the configured URL and stores them. Returns how many. */
export async function fetchRates(db: Db, url: string, stopped?: AbortSignal): Promise<number> {
  // Imported lazily: used once a day at most, and by few installations.
  const { request } = await import('undici')
  const signal = AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), ...(stopped ? [stopped] : [])])
  const { statusCode, body } = await request(url, { signal })
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > MAX_FILE_BYTES) throw new Error('The exchange rate file is larger than 4 MiB.')
    chunks.push(chunk)
  }
  if (statusCode !== 200) throw new Error(`The exchange rate URL responded with HTTP ${statusCode}.`)
  const rates = parseEcbRates(Buffer.concat(chunks).toString('utf8'))
  await upsertRates(db, rates)
  return rates.length
}
