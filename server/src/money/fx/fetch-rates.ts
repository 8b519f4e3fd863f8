import type { Db } from '../../db/database.ts'
import { isCurrency, parseDecimal } from '../../kit/money.ts'
import { type FxRateRow, upsertRates } from './fx-rate.store.ts'

const TIMEOUT_MS = 30_000
const LARGEST_FILE_BYTES = 4 * 1024 * 1024

/**
 * Reads the daily file of the European Central Bank: <Cube time='2026-01-30'> around <Cube currency='USD' rate='1.0853'/>. The
 * format has been the same since 1999 and uses no other XML, so a pattern reads it; what does not fit is refused, not guessed.
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
  if (rates.length === 0) throw new Error('The file of rates holds none in the format of the ECB.')
  return rates
}

/** Fetches the rates from the address that the operator named, and keeps them. Returns how many. */
export async function fetchRates(db: Db, url: string): Promise<number> {
  // Loaded once a day at most, and by few services.
  const { request } = await import('undici')
  const { statusCode, body } = await request(url, { signal: AbortSignal.timeout(TIMEOUT_MS) })
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > LARGEST_FILE_BYTES) throw new Error('The file of rates is larger than 4 MiB.')
    chunks.push(chunk)
  }
  if (statusCode !== 200) throw new Error(`The address of the rates answered HTTP ${statusCode}.`)
  const rates = parseEcbRates(Buffer.concat(chunks).toString('utf8'))
  await upsertRates(db, rates)
  return rates.length
}
