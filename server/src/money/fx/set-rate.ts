import type { Db } from '../../db/database.ts'
import { invalid } from '../../kit/domain-error.ts'
import { isCurrency, parseDecimal } from '../../kit/money.ts'
import { upsertRates } from './fx-rate.store.ts'

/** Sets the rate of a pair manually, from a day on, until it is replaced. */
export async function setRate(
  db: Db,
  rate: { from: string; to: string; rate: string; day?: string | undefined },
): Promise<{ from: string; to: string; rate: string; day: string }> {
  const day = rate.day ?? new Date().toISOString().slice(0, 10)
  if (!isCurrency(rate.from)) throw invalid('from', 'must be an ISO 4217 code such as EUR')
  if (!isCurrency(rate.to) || rate.to === rate.from)
    throw invalid('to', 'must be another ISO 4217 code such as USD')
  const decimal = parseDecimal(rate.rate)
  if (!decimal || decimal.digits === 0n) throw invalid('rate', 'must be a positive decimal such as 1.0853')
  if (
    !/^\d{4}-\d{2}-\d{2}$/.test(day) ||
    Number.isNaN(Date.parse(day)) ||
    !new Date(day).toISOString().startsWith(day)
  )
    throw invalid('day', 'must be a date such as 2026-01-31')
  await upsertRates(db, [{ base: rate.from, quote: rate.to, day, rate: rate.rate, source: 'manual' }])
  return { from: rate.from, to: rate.to, rate: rate.rate, day }
}
