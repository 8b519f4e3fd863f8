import type { Db } from '../../db/database.ts'
import { type Decimal, parseDecimal } from '../../kit/money.ts'
import { findRate } from './fx-rate.store.ts'

export interface Rate {
  decimal: Decimal
  /** The exact decimal used in the calculation, as stored with the entry. */
  text: string
  source: string
}

/** The exchange rate on a day: direct, inverted, or through the euro, the newest. Undefined if unknown. */
export async function rateOn(db: Db, from: string, to: string, day: string): Promise<Rate | undefined> {
  const { rate: text, source } = (await findRate(db, from, to, day)) ?? {}
  if (!text || !source) return undefined
  const decimal = parseDecimal(text)
  if (!decimal) throw new Error(`The rate ${text} is not a plain decimal.`)
  return { decimal, text, source }
}
